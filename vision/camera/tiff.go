package camera

import "encoding/binary"

// Tags of a TIFF directory (TIFF 6.0, section 8 and 15).
const (
	tagWidth           = 256
	tagHeight          = 257
	tagBits            = 258
	tagPhotometric     = 262
	tagStripOffsets    = 273
	tagOrientation     = 274
	tagStripByteCounts = 279
	tagTileOffsets     = 324
	tagTileByteCounts  = 325
)

// walkTIFF reads the first directory of a TIFF and checks that every strip or
// tile of its picture lies inside the file.
func walkTIFF(data []byte) (header, error) {
	var h header
	order, at, ok := tiffOrder(data)
	if !ok {
		return h, truncatedf("the TIFF is cut off in its header")
	}
	dir, next, err := tiffDirectory(data, order, at)
	if err != nil {
		return h, err
	}
	one := func(tag uint16) (int, error) {
		v, err := dir[tag].values(data, order, 1)
		if err != nil || len(v) == 0 {
			return 0, err
		}
		return int(v[0]), nil
	}
	if h.width, err = one(tagWidth); err != nil {
		return h, err
	}
	if h.height, err = one(tagHeight); err != nil {
		return h, err
	}
	if h.orientation, err = one(tagOrientation); err != nil {
		return h, err
	}
	if h.orientation < 1 || h.orientation > 8 {
		h.orientation = 0
	}
	bits, err := one(tagBits)
	if err != nil {
		return h, err
	}
	if bits == 16 {
		h.notes = append(h.notes, "16 bits a channel, used with 8")
	}
	if v, err := one(tagPhotometric); err != nil {
		return h, err
	} else if _, stated := dir[tagPhotometric]; stated && v <= 1 {
		h.notes = append(h.notes, "a black-and-white picture: differences of colour cannot be seen in it")
	}
	if next != 0 {
		h.notes = append(h.notes, "a TIFF with several pages: only the first is used")
	}

	offsets, counts := dir[tagStripOffsets], dir[tagStripByteCounts]
	if _, tiled := dir[tagTileOffsets]; tiled {
		offsets, counts = dir[tagTileOffsets], dir[tagTileByteCounts]
	}
	if offsets.count == 0 {
		return h, damagedf("the TIFF has no picture in it")
	}
	// One strip or tile needs a few bytes of directory each, so the file's
	// own length bounds the list.
	starts, err := offsets.values(data, order, len(data))
	if err != nil {
		return h, err
	}
	if counts.count == 0 {
		// Old writers leave the counts out of one-strip pictures.
		starts = starts[:1]
	}
	lengths, err := counts.values(data, order, len(data))
	if err != nil {
		return h, err
	}
	for i, start := range starts {
		length := uint64(1)
		if i < len(lengths) {
			length = uint64(lengths[i])
		}
		if uint64(start)+length > uint64(len(data)) {
			return h, truncatedf("the TIFF is cut off: its picture reaches beyond the end of the file")
		}
	}
	return h, nil
}

// tiffEntry is one field of a directory.
type tiffEntry struct {
	kind   uint16
	count  uint32
	inline [4]byte
}

func tiffDirectory(data []byte, order binary.ByteOrder, at int) (dir map[uint16]tiffEntry, next uint32, err error) {
	if at < 8 {
		return nil, 0, damagedf("the TIFF's directory begins at byte %d", at)
	}
	if at+2 > len(data) {
		return nil, 0, truncatedf("the TIFF is cut off: its directory lies beyond the end of the file")
	}
	n := int(order.Uint16(data[at:]))
	at += 2
	if at+12*n+4 > len(data) {
		return nil, 0, truncatedf("the TIFF is cut off in its directory")
	}
	dir = make(map[uint16]tiffEntry, n)
	for i := range n {
		f := data[at+12*i:]
		dir[order.Uint16(f)] = tiffEntry{kind: order.Uint16(f[2:]), count: order.Uint32(f[4:]), inline: [4]byte(f[8:12])}
	}
	return dir, order.Uint32(data[at+12*n:]), nil
}

// values returns up to limit numbers of a field of type SHORT or LONG.
func (e tiffEntry) values(data []byte, order binary.ByteOrder, limit int) ([]uint32, error) {
	if e.count == 0 {
		return nil, nil
	}
	size := 0
	switch e.kind {
	case 3:
		size = 2
	case 4:
		size = 4
	default:
		return nil, damagedf("the TIFF's directory has a field of type %d where a number belongs", e.kind)
	}
	src := e.inline[:]
	if need := uint64(e.count) * uint64(size); need > 4 {
		at := uint64(order.Uint32(src))
		if at+need > uint64(len(data)) {
			return nil, truncatedf("the TIFF is cut off: a list of its directory lies beyond the end of the file")
		}
		src = data[at : at+need]
	}
	out := make([]uint32, min(int(e.count), limit))
	for i := range out {
		if size == 2 {
			out[i] = uint32(order.Uint16(src[2*i:]))
		} else {
			out[i] = order.Uint32(src[4*i:])
		}
	}
	return out, nil
}
