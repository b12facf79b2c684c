package camera

import (
	"encoding/binary"
	"hash/crc32"
)

// walkPNG follows the chunks of a PNG (W3C PNG, 3rd ed., section 5) to IEND
// and checks each one's sum.
func walkPNG(data []byte) (header, error) {
	var h header
	const signature = 8
	if len(data) < signature {
		return h, truncatedf("the PNG is cut off in its signature")
	}
	sawData := false
	for at, first := signature, true; ; first = false {
		if at+12 > len(data) {
			return h, truncatedf("the PNG is cut off: it ends before its end chunk")
		}
		n := int64(binary.BigEndian.Uint32(data[at:]))
		if n > 1<<31-1 {
			return h, damagedf("the PNG is damaged at byte %d: a chunk of %d bytes", at, n)
		}
		if int64(at)+12+n > int64(len(data)) {
			return h, truncatedf("the PNG is cut off: it ends before its end chunk")
		}
		name := string(data[at+4 : at+8])
		body := data[at+8 : at+8+int(n)]
		sum := binary.BigEndian.Uint32(data[at+8+int(n):])
		if crc32.ChecksumIEEE(data[at+4:at+8+int(n)]) != sum {
			return h, damagedf("the PNG is damaged: the sum of chunk %q at byte %d is wrong", name, at)
		}
		at += 12 + int(n)
		if first != (name == "IHDR") {
			return h, damagedf("the PNG is damaged: its header chunk is missing or repeated")
		}
		switch name {
		case "IHDR":
			if len(body) != 13 {
				return h, damagedf("the PNG's header has %d bytes, want 13", len(body))
			}
			w, ht := binary.BigEndian.Uint32(body), binary.BigEndian.Uint32(body[4:])
			if w > 1<<31-1 || ht > 1<<31-1 {
				return h, damagedf("the header says %d x %d pixels", w, ht)
			}
			h.width, h.height = int(w), int(ht)
			if depth := body[8]; depth == 16 {
				h.notes = append(h.notes, "16 bits a channel, used with 8")
			}
			switch body[9] {
			case 0:
				h.notes = append(h.notes, "a black-and-white picture: differences of colour cannot be seen in it")
			case 4, 6:
				h.notes = append(h.notes, "transparency is ignored")
			}
		case "acTL":
			return h, unsupportedf("an animated PNG is not read")
		case "eXIf":
			h.orientation = exifOrientation(body)
		case "IDAT":
			sawData = true
		case "IEND":
			if !sawData {
				return h, damagedf("the PNG ends without a picture in it")
			}
			return h, nil
		}
	}
}
