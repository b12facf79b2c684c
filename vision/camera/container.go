package camera

import (
	"encoding/binary"
	"io"
	"math"
	"math/bits"
)

// container is a kind of video file.
type container struct {
	name    string // for people
	demuxer string // ffmpeg's name; it is told, so that content cannot choose (a playlist that fetches from the network)
}

// sniffVideo recognises a video file by its first bytes.
func sniffVideo(head []byte) (container, bool) {
	has := func(at int, magic string) bool {
		return len(head) >= at+len(magic) && string(head[at:at+len(magic)]) == magic
	}
	switch {
	case has(4, "ftyp"):
		switch brand := string(head[8:min(12, len(head))]); brand {
		case "heic", "heix", "hevc", "hevx", "heim", "heis", "mif1", "msf1", "avif", "avis":
			return container{}, false // pictures
		}
		return container{"MP4", "mov"}, true
	case has(4, "moov"), has(4, "mdat"), has(4, "wide"), has(4, "free") && has(12, "mdat"):
		return container{"QuickTime", "mov"}, true
	case has(0, "\x1a\x45\xdf\xa3"):
		return container{"Matroska", "matroska"}, true
	case has(0, "RIFF") && has(8, "AVI "):
		return container{"AVI", "avi"}, true
	case has(0, "\x00\x00\x01\xba"):
		return container{"MPEG", "mpeg"}, true
	case has(0, "G") && has(188, "G") && has(376, "G"): // one sync byte every 188
		return container{"MPEG-TS", "mpegts"}, true
	}
	return container{}, false
}

// fileExtent says how many bytes a video file claims to have and whether all
// of them are there, by following its outermost boxes. want is 0 where the
// kind of file does not say.
func fileExtent(path string, c container) (have, want int64, err error) {
	f, err := openRegular(path)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, 0, statError(path, err)
	}
	have = info.Size()
	switch c.demuxer {
	case "mov":
		want = boxesEnd(f, have)
	case "avi":
		want = riffEnd(f, have)
	case "matroska":
		want = segmentEnd(f)
	}
	return have, want, nil
}

// maxBoxes is far above what outermost boxes a file has, also a fragmented one
// of some hours.
const maxBoxes = 1 << 16

// boxesEnd follows the boxes of ISO/IEC 14496-12 (4.2) to where the last ends.
func boxesEnd(f io.ReaderAt, size int64) int64 {
	at := int64(0)
	for range maxBoxes {
		var head [16]byte
		n, err := f.ReadAt(head[:], at)
		if n < 8 || err != nil && n < 8 {
			return at
		}
		length := int64(binary.BigEndian.Uint32(head[:]))
		switch {
		case length == 0: // to the end of the file
			return size
		case length == 1:
			if n < 16 {
				return at + 16
			}
			long := binary.BigEndian.Uint64(head[8:])
			if long < 16 || long > math.MaxInt64-uint64(at) {
				return 0
			}
			length = int64(long)
		case length < 8:
			return 0
		}
		at += length
		if at >= size {
			return at
		}
	}
	return 0
}

// riffEnd adds up the RIFF chunks: AVI files of more than 1 GB have several.
func riffEnd(f io.ReaderAt, size int64) int64 {
	at := int64(0)
	for range maxBoxes {
		var head [8]byte
		if n, _ := f.ReadAt(head[:], at); n < 8 || string(head[:4]) != "RIFF" {
			return at
		}
		at += 8 + int64(binary.LittleEndian.Uint32(head[4:]))
		at += at & 1
		if at >= size {
			return at
		}
	}
	return 0
}

// segmentEnd reads the length of the segment behind the EBML head; a file that
// was written without going back does not state it.
func segmentEnd(f io.ReaderAt) int64 {
	head := make([]byte, 4096)
	n, _ := f.ReadAt(head, 0)
	head = head[:n]
	at := 0
	for _, want := range []string{"\x1a\x45\xdf\xa3", "\x18\x53\x80\x67"} {
		if len(head) < at+4 || string(head[at:at+4]) != want {
			return 0
		}
		at += 4
		if at >= len(head) || head[at] == 0 {
			return 0
		}
		width := bits.LeadingZeros8(head[at]) + 1
		if at+width > len(head) {
			return 0
		}
		length, unknown := uint64(head[at])&(1<<(8-width)-1), uint64(1)<<(8-width)-1
		for _, b := range head[at+1 : at+width] {
			length, unknown = length<<8|uint64(b), unknown<<8|0xff
		}
		at += width
		if length == unknown || length > math.MaxInt32<<16 {
			return 0
		}
		if want[0] == 0x18 {
			return int64(at) + int64(length)
		}
		if length > uint64(len(head)) {
			return 0
		}
		at += int(length)
	}
	return 0
}
