package camera

import (
	"encoding/binary"
	"strings"
	"time"
)

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

// jpegExif returns the EXIF block of a JPEG of which the beginning is given,
// or nil.
func jpegExif(b []byte) []byte {
	if len(b) < 2 || b[0] != 0xff || b[1] != 0xd8 {
		return nil
	}
	for at := 2; at+4 <= len(b) && b[at] == 0xff; {
		marker, n := b[at+1], int(binary.BigEndian.Uint16(b[at+2:]))
		// Only application and comment segments stand before it.
		if marker < 0xe0 || marker > 0xfe || n < 2 || at+2+n > len(b) {
			return nil
		}
		if body := b[at+4 : at+2+n]; marker == 0xe1 && len(body) > 6 && string(body[:6]) == "Exif\x00\x00" {
			return body[6:]
		}
		at += 2 + n
	}
	return nil
}

// The tags of the time at which a picture was taken (EXIF 2.32, 4.6.5 and
// 4.6.6), and of the directory that holds them.
const (
	tagExifIFD          = 0x8769
	tagDateTimeOriginal = 0x9003
	tagSubSecOriginal   = 0x9291
)

// exifTaken reads DateTimeOriginal with its fraction. The block does not say
// in which time zone; UTC stands for it, since only differences are used.
func exifTaken(b []byte) (time.Time, bool) {
	order, at, ok := tiffOrder(b)
	if !ok {
		return time.Time{}, false
	}
	var taken, fraction string
	var sub int
	entries(b, order, at, func(tag, kind uint16, count int, value []byte) {
		if tag == tagExifIFD && kind == 4 {
			sub = int(order.Uint32(value))
		}
	})
	entries(b, order, sub, func(tag, kind uint16, count int, value []byte) {
		if kind != 2 || count > 64 {
			return
		}
		text := value[:min(count, 4)]
		if count > 4 {
			from := int(order.Uint32(value))
			if from < 0 || from > len(b)-count {
				return
			}
			text = b[from : from+count]
		}
		s, _, _ := strings.Cut(string(text), "\x00")
		switch tag {
		case tagDateTimeOriginal:
			taken = s
		case tagSubSecOriginal:
			fraction = strings.TrimSpace(s)
		}
	})
	t, err := time.Parse("2006:01:02 15:04:05", taken)
	if err != nil {
		return time.Time{}, false
	}
	if fraction != "" && strings.Trim(fraction, "0123456789") == "" {
		f, err := time.ParseDuration("0." + fraction + "s")
		if err == nil {
			t = t.Add(f)
		}
	}
	return t, true
}

// entries calls fn with each entry of a TIFF directory; value is the entry's
// last four bytes.
func entries(b []byte, order binary.ByteOrder, at int, fn func(tag, kind uint16, count int, value []byte)) {
	if at < 8 || at+2 > len(b) {
		return
	}
	n := int(order.Uint16(b[at:]))
	for at += 2; n > 0 && at+12 <= len(b); n, at = n-1, at+12 {
		fn(order.Uint16(b[at:]), order.Uint16(b[at+2:]), int(order.Uint32(b[at+4:])), b[at+8:at+12])
	}
}
