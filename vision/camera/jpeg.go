package camera

import "encoding/binary"

// walkJPEG follows the segments of a JPEG (ITU-T T.81 annex B) to the end
// marker. Segments are skipped by their length, so that the end marker of a
// thumbnail inside the EXIF block does not count; in the compressed data
// every code is looked at (see jpegFrame). Whatever follows the end marker (phones append
// films and previews there) is left alone.
func walkJPEG(data []byte) (header, error) {
	var h header
	components, sawScan, adobe := 0, false, false
	var scans jpegFrame
	if len(data) < 2 || data[0] != 0xff || data[1] != 0xd8 {
		return h, damagedf("the JPEG does not begin with its start marker")
	}
	at := 2
	for {
		// A marker is any number of 0xff and one byte that is not.
		if at >= len(data) {
			return h, truncatedf("the JPEG is cut off: it ends before its end marker")
		}
		if data[at] != 0xff {
			return h, damagedf("the JPEG is damaged at byte %d: a marker was expected", at)
		}
		for at < len(data) && data[at] == 0xff {
			at++
		}
		if at >= len(data) {
			return h, truncatedf("the JPEG is cut off: it ends before its end marker")
		}
		marker := data[at]
		at++
		switch {
		case marker == 0xd9: // end of image
			if h.width == 0 || !sawScan {
				return h, damagedf("the JPEG ends without a picture in it")
			}
			if err := scans.complete(); err != nil {
				return h, err
			}
			if components == 1 {
				h.notes = append(h.notes, "a black-and-white picture: differences of colour cannot be seen in it")
			}
			if components == 4 {
				// Adobe's programs store inverted ink and say so by their
				// marker; OpenCV takes inverted ink for granted.
				if !adobe {
					return h, unsupportedf("a CMYK JPEG that does not say how its ink is stored is not read")
				}
				h.notes = append(h.notes, "a CMYK picture, converted: its colours are approximate")
			}
			return h, nil
		case marker == 0x01 || marker >= 0xd0 && marker <= 0xd7: // no length
			continue
		case marker == 0x00 || marker == 0xd8:
			return h, damagedf("the JPEG is damaged at byte %d: marker %#x has no place there", at-1, marker)
		}
		if at+2 > len(data) {
			return h, truncatedf("the JPEG is cut off: it ends before its end marker")
		}
		n := int(binary.BigEndian.Uint16(data[at:]))
		if n < 2 {
			return h, damagedf("the JPEG is damaged at byte %d: a segment of %d bytes", at, n)
		}
		if at+n > len(data) {
			return h, truncatedf("the JPEG is cut off: it ends before its end marker")
		}
		body := data[at+2 : at+n]
		at += n
		switch {
		case isSOF(marker):
			if h.width != 0 {
				return h, damagedf("the JPEG has more than one frame header")
			}
			if len(body) < 6 || len(body) < 6+3*int(body[5]) {
				return h, damagedf("the JPEG's frame header is too short")
			}
			if body[0] != 8 {
				return h, unsupportedf("a JPEG of %d bits a sample is not read", body[0])
			}
			if marker == 0xc3 || marker >= 0xc5 {
				return h, unsupportedf("a lossless, hierarchical or arithmetic-coded JPEG is not read")
			}
			h.height = int(binary.BigEndian.Uint16(body[1:]))
			h.width = int(binary.BigEndian.Uint16(body[3:]))
			components = int(body[5])
			if h.width == 0 || h.height == 0 {
				return h, damagedf("the header says %d x %d pixels", h.width, h.height)
			}
			if components != 1 && components != 3 && components != 4 {
				return h, unsupportedf("a JPEG of %d colour channels is not read", components)
			}
			if err := scans.header(marker, body); err != nil {
				return h, err
			}
		case marker == 0xc4: // codes
			if err := scans.tables(body); err != nil {
				return h, err
			}
		case marker == 0xdd && len(body) >= 2: // restarts
			scans.restartEvery = int(binary.BigEndian.Uint16(body))
		case marker == 0xe1 && len(body) > 6 && string(body[:6]) == "Exif\x00\x00":
			if o := exifOrientation(body[6:]); o != 0 && h.orientation == 0 {
				h.orientation = o
			}
		case marker == 0xee && len(body) >= 5 && string(body[:5]) == "Adobe":
			adobe = true
		case marker == 0xda: // start of scan
			if h.width == 0 {
				return h, damagedf("the JPEG has data before its frame header")
			}
			sawScan = true
			end := skipEntropy(data, at)
			// A file that ends here is cut off, which says more.
			if end < len(data) {
				if err := scans.check(body, data[:end], at); err != nil {
					return h, err
				}
			}
			at = end
		}
	}
}

// isSOF tells the frame headers apart from DHT, JPG and DAC, which share
// their range (T.81 table B.1).
func isSOF(marker byte) bool {
	return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc
}

// skipEntropy returns the place of the first marker after compressed data:
// 0xff00 is a stuffed byte and 0xffd0 to 0xffd7 are restarts.
func skipEntropy(data []byte, at int) int {
	for at+1 < len(data) {
		if data[at] != 0xff {
			at++
			continue
		}
		switch m := data[at+1]; {
		case m == 0x00 || m >= 0xd0 && m <= 0xd7:
			at += 2
		case m == 0xff:
			at++
		default:
			return at
		}
	}
	return len(data)
}
