package camera

import "encoding/binary"

// tiffOrder returns the byte order of a TIFF or EXIF block and the place of
// its first directory.
func tiffOrder(b []byte) (binary.ByteOrder, int, bool) {
	if len(b) < 8 {
		return nil, 0, false
	}
	var order binary.ByteOrder
	switch string(b[:4]) {
	case "II*\x00":
		order = binary.LittleEndian
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return nil, 0, false
	}
	return order, int(order.Uint32(b[4:])), true
}

// exifOrientation returns the orientation tag (0x0112, EXIF 2.32 4.6.4) of
// the first directory, 1 to 8, or 0 where it is not stated or makes no sense.
func exifOrientation(b []byte) int {
	order, at, ok := tiffOrder(b)
	if !ok || at < 8 || at+2 > len(b) {
		return 0
	}
	n := int(order.Uint16(b[at:]))
	at += 2
	for range n {
		if at+12 > len(b) {
			return 0
		}
		if order.Uint16(b[at:]) == 0x0112 {
			if v := int(order.Uint16(b[at+8:])); order.Uint16(b[at+2:]) == 3 && v >= 1 && v <= 8 {
				return v
			}
			return 0
		}
		at += 12
	}
	return 0
}
