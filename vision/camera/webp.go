package camera

import "encoding/binary"

// walkWebP follows the chunks of a WebP file (RFC 9649) to the length that
// its RIFF header states.
func walkWebP(data []byte) (header, error) {
	var h header
	if len(data) < 12 {
		return h, truncatedf("the WebP is cut off in its header")
	}
	end := uint64(binary.LittleEndian.Uint32(data[4:])) + 8
	if end > uint64(len(data)) {
		return h, truncatedf("the WebP is cut off: %d of %d bytes are there", len(data), end)
	}
	data = data[:end]
	sawData := false
	for at := 12; at < len(data); {
		if at+8 > len(data) {
			return h, damagedf("the WebP is damaged at byte %d: half a chunk", at)
		}
		n := uint64(binary.LittleEndian.Uint32(data[at+4:]))
		if uint64(at)+8+n > uint64(len(data)) {
			return h, damagedf("the WebP is damaged at byte %d: a chunk longer than the file", at)
		}
		name, body := string(data[at:at+4]), data[at+8:at+8+int(n)]
		// Chunks are padded to an even length.
		at += 8 + int(n+n&1)
		switch name {
		case "VP8X": // flags, then 24-bit width-1 and height-1
			if len(body) < 10 {
				return h, damagedf("the WebP's header is too short")
			}
			if body[0]&0x02 != 0 {
				return h, unsupportedf("an animated WebP is not read")
			}
			h.width, h.height = 1+int(uint24(body[4:])), 1+int(uint24(body[7:]))
			if body[0]&0x10 != 0 {
				h.notes = append(h.notes, "transparency is ignored")
			}
		case "VP8 ": // RFC 6386, 9.1: frame tag, start code, two 14-bit sizes
			if len(body) < 10 || string(body[3:6]) != "\x9d\x01\x2a" {
				return h, damagedf("the WebP's picture has no start code")
			}
			if err := h.sizeIs(int(binary.LittleEndian.Uint16(body[6:])&0x3fff), int(binary.LittleEndian.Uint16(body[8:])&0x3fff)); err != nil {
				return h, err
			}
			sawData = true
		case "VP8L": // signature, then two 14-bit sizes less one
			if len(body) < 5 || body[0] != 0x2f {
				return h, damagedf("the WebP's picture has no start code")
			}
			bits := binary.LittleEndian.Uint32(body[1:])
			if err := h.sizeIs(1+int(bits&0x3fff), 1+int(bits>>14&0x3fff)); err != nil {
				return h, err
			}
			sawData = true
		case "EXIF":
			if len(body) > 6 && string(body[:6]) == "Exif\x00\x00" {
				body = body[6:]
			}
			h.orientation = exifOrientation(body)
		}
	}
	if !sawData {
		return h, damagedf("the WebP ends without a picture in it")
	}
	return h, nil
}

// sizeIs sets the size, or checks it against the one stated before.
func (h *header) sizeIs(width, height int) error {
	if h.width != 0 && (h.width != width || h.height != height) {
		return damagedf("the WebP says %d x %d pixels in one place and %d x %d in another", h.width, h.height, width, height)
	}
	h.width, h.height = width, height
	return nil
}

func uint24(b []byte) uint32 { return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 }
