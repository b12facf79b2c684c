package recording

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"time"

	"fairdeck/vision/camera"
)

// Schema names the version of the format that is written.
const Schema = "recording/v1"

// The bounds of a recording, for writers and readers alike. A length beyond
// them is damage or malice and is never believed.
const (
	// MaxFrameBytes is the largest picture: an uncompressed 24-bit frame of 4K
	// has 25 MB, a lossless one of the largest machine-vision sensors about 60.
	MaxFrameBytes = 64 << 20

	// MaxEventBytes is the longest event; they are short.
	MaxEventBytes = 1 << 20

	// MaxHeaderBytes is the longest header.json. A profile that carries its
	// flat field as a picture has a few MB.
	MaxHeaderBytes = 32 << 20

	// maxSegments bounds the files of a folder: at SegmentBytes each, 12 TB.
	maxSegments = 100_000
)

// SegmentBytes is the size at which a new file is begun: below the 4 GB of
// FAT sticks by far, and large enough that an hour is a hundred files.
const SegmentBytes = 128 << 20

// kind says what a record holds.
type kind uint8

const (
	kindFrame kind = 1
	kindEvent kind = 2
	kindEnd   kind = 3
)

// content says how the bytes of a record are to be read.
type content uint8

const (
	contentJPEG content = 1
	contentPNG  content = 2
	contentJSON content = 3
)

func contentOf(f camera.Format) (content, bool) {
	switch f {
	case camera.JPEG:
		return contentJPEG, true
	case camera.PNG:
		return contentPNG, true
	}
	return 0, false
}

func (c content) format() camera.Format {
	if c == contentPNG {
		return camera.PNG
	}
	return camera.JPEG
}

// castagnoli is CRC-32C, which processors compute at memory speed. (RFC 3720
// appendix B.4)
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// recordMagic begins a record. It can be searched for: its first byte is
// neither text nor the beginning of a JPEG or PNG.
const recordMagic = "\xf5FDr"

// headSize is the length of a record's head.
const headSize = 48

// head is the fixed part of a record, little-endian:
//
//	 0  magic    4  f5 'F' 'D' 'r'
//	 4  kind     1  1 frame, 2 event, 3 end
//	 5  content  1  1 JPEG, 2 PNG, 3 JSON
//	 6  zero     2
//	 8  number   8  place among all records of the recording, from 0
//	16  time     8  ns since the source's first frame, signed
//	24  index    8  Frame.Index
//	32  dropped  4  Frame.Dropped
//	36  length   4  bytes that follow
//	40  body     4  CRC-32C of those
//	44  head     4  CRC-32C of the 44 bytes before
type head struct {
	kind    kind
	content content
	number  uint64
	time    time.Duration
	index   uint64
	dropped uint32
	length  uint32
	body    uint32
}

func (h *head) append(b []byte) []byte {
	at := len(b)
	le := binary.LittleEndian
	b = append(b, recordMagic...)
	b = append(b, byte(h.kind), byte(h.content), 0, 0)
	b = le.AppendUint64(b, h.number)
	b = le.AppendUint64(b, uint64(h.time))
	b = le.AppendUint64(b, h.index)
	b = le.AppendUint32(b, h.dropped)
	b = le.AppendUint32(b, h.length)
	b = le.AppendUint32(b, h.body)
	return le.AppendUint32(b, crc32.Checksum(b[at:], castagnoli))
}

// parseHead reads a head. ok is false where there is none: other bytes, a
// wrong checksum, or values that no writer writes.
func parseHead(b []byte) (h head, ok bool) {
	le := binary.LittleEndian
	if len(b) < headSize || string(b[:4]) != recordMagic || le.Uint32(b[44:]) != crc32.Checksum(b[:44], castagnoli) {
		return h, false
	}
	h = head{
		kind: kind(b[4]), content: content(b[5]), number: le.Uint64(b[8:]), time: time.Duration(le.Uint64(b[16:])),
		index: le.Uint64(b[24:]), dropped: le.Uint32(b[32:]), length: le.Uint32(b[36:]), body: le.Uint32(b[40:]),
	}
	switch h.kind {
	case kindFrame:
		ok = (h.content == contentJPEG || h.content == contentPNG) && h.length > 0 && h.length <= MaxFrameBytes
	case kindEvent, kindEnd:
		ok = h.content == contentJSON && h.length <= MaxEventBytes
	}
	// A day has 2.6 million frames of 30 a second: what does not fit in 53
	// bits is not a count, and would not fit in every reader's numbers.
	const most = 1 << 53
	return h, ok && b[6] == 0 && b[7] == 0 && h.number < most && h.index < most
}

// segmentMagic begins a file of records. The line break and the byte beyond
// ASCII show a file that was copied as text.
const segmentMagic = "FDrec\x01\r\n\xf5"

// segmentHeadSize is the length of what precedes the records of a file: the
// magic, the recording's ID, the file's number from 1, and a CRC-32C.
const segmentHeadSize = len(segmentMagic) + idBytes + 4 + 4

// idBytes is the length of a recording's ID.
const idBytes = 16

func segmentHead(id [idBytes]byte, number int) []byte {
	b := append([]byte(segmentMagic), id[:]...)
	b = binary.LittleEndian.AppendUint32(b, uint32(number))
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// segmentName is the name of a file of records; number is from 1.
func segmentName(number int) string { return fmt.Sprintf("frames-%06d.fdr", number) }

// headerName is the file that says what the recording is.
const headerName = camera.RecordingFile
