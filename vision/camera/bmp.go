package camera

import "encoding/binary"

// looksLikeBMP tells a bitmap from a text that begins with "BM": the reserved
// words are zero and the header has one of the known sizes.
func looksLikeBMP(head []byte) bool {
	if len(head) < 18 {
		// Too short to tell: cut off rather than a text, unless it reads as one.
		return !isText(head)
	}
	switch binary.LittleEndian.Uint32(head[14:]) {
	case 12, 40, 52, 56, 64, 108, 124:
		return true
	}
	return false
}

// walkBMP reads the two headers of a Windows bitmap and checks that an
// uncompressed picture lies inside the file.
func walkBMP(data []byte) (header, error) {
	var h header
	const fileHeader = 14
	if len(data) < fileHeader+12 {
		return h, truncatedf("the BMP is cut off in its header")
	}
	start := uint64(binary.LittleEndian.Uint32(data[10:]))
	size := binary.LittleEndian.Uint32(data[fileHeader:])
	info := data[fileHeader:]
	var bits, compression uint32
	if size == 12 { // OS/2
		h.width, h.height = int(binary.LittleEndian.Uint16(info[4:])), int(binary.LittleEndian.Uint16(info[6:]))
		bits = uint32(binary.LittleEndian.Uint16(info[10:]))
	} else {
		if len(info) < 40 || uint64(len(info)) < uint64(size) {
			return h, truncatedf("the BMP is cut off in its header")
		}
		h.width = int(int32(binary.LittleEndian.Uint32(info[4:])))
		h.height = int(int32(binary.LittleEndian.Uint32(info[8:])))
		bits = uint32(binary.LittleEndian.Uint16(info[14:]))
		compression = binary.LittleEndian.Uint32(info[16:])
	}
	// A negative height says that the rows begin at the top.
	if h.height < 0 {
		h.height = -h.height
	}
	if h.width <= 0 || h.height <= 0 {
		return h, damagedf("the header says %d x %d pixels", h.width, h.height)
	}
	switch bits {
	case 1, 4, 8, 16, 24, 32:
	default:
		return h, damagedf("the BMP says %d bits a pixel", bits)
	}
	need := start + 1
	if compression == 0 || compression == 3 { // none, or bit fields
		row := (uint64(h.width)*uint64(bits) + 31) / 32 * 4
		need = start + row*uint64(h.height)
	}
	// A bomb is told from a cut-off file by walk, which knows the limit.
	if need > uint64(len(data)) && h.width <= MaxPixels/h.height {
		return h, truncatedf("the BMP is cut off: its picture reaches beyond the end of the file")
	}
	return h, nil
}
