package camera

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// tiny is a JPEG in outline: what jpegStream looks at and nothing else.
func tiny(n int) []byte {
	b := []byte("\xff\xd8\xff\xe0\x00\x06JFIF\xff\xda\x00\x04ab")
	for i := range n {
		b = append(b, byte(i), 0xff, 0x00, 0xff, 0xd0+byte(i%8))
	}
	return append(b, 0xff, 0xd9)
}

// TestJPEGStreamAnyCut: whatever a stream is made of and in whatever pieces it
// arrives, the whole pictures come out, in order, and the cut-off ones are
// counted.
func TestJPEGStreamAnyCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var stream bytes.Buffer
		var want [][]byte
		lost := 0
		for i := range rapid.IntRange(1, 8).Draw(t, "parts") {
			pic := tiny(rapid.IntRange(0, 40).Draw(t, "size"))
			stream.WriteString(rapid.SampledFrom([]string{"", "\r\n", "--b\r\nContent-Type: image/jpeg\r\n\r\n", "--b\nContent-Length: 12\n\n", "noise \xff\xd8 \xff noise"}).Draw(t, "between"))
			if rapid.Bool().Draw(t, "whole") {
				stream.Write(pic)
				want = append(want, pic)
				continue
			}
			// Cut off within the data, where a new picture shows it.
			head := len(tiny(0)) - 2
			if len(pic)-2 > head {
				stream.Write(pic[:rapid.IntRange(head, len(pic)-2).Draw(t, "cut")])
				lost++
			}
			_ = i
		}
		last := tiny(3)
		stream.Write(last)
		want = append(want, last)
		var r io.Reader = bytes.NewReader(stream.Bytes())
		switch rapid.IntRange(0, 2).Draw(t, "reader") {
		case 1:
			r = iotest.OneByteReader(r)
		case 2:
			r = iotest.DataErrReader(iotest.HalfReader(r))
		}
		s := newJPEGStream(r)
		got, gotLost := [][]byte{}, 0
		for {
			jpg, _, l, err := s.next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			got, gotLost = append(got, jpg), gotLost+l
		}
		if len(got) != len(want) || gotLost != lost {
			t.Fatalf("%d pictures and %d lost, want %d and %d", len(got), gotLost, len(want), lost)
		}
		for i := range got {
			if !bytes.Equal(got[i], want[i]) {
				t.Errorf("picture %d is %x, want %x", i, got[i], want[i])
			}
		}
	})
}

// endless is a stream without end of one byte.
type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

// TestJPEGStreamBounds: no stream takes memory beyond the limits.
func TestJPEGStreamBounds(t *testing.T) {
	for name, head := range map[string]string{"text": "", "data": string(tiny(1)[:20]), "fill": "\xff\xd8\xff"} {
		fill := endless('x')
		if name == "fill" {
			fill = 0xff
		}
		s := newJPEGStream(io.MultiReader(bytes.NewReader([]byte(head)), fill))
		_, _, _, err := s.next()
		var limit *errStream
		if !errors.As(err, &limit) {
			t.Errorf("%s: %v", name, err)
		}
		if cap(s.buf) > 3*maxStreamJPEG {
			t.Errorf("%s: %d MiB are held", name, cap(s.buf)>>20)
		}
	}
}

func FuzzJPEGStream(f *testing.F) {
	f.Add([]byte("--b\r\nContent-Length: 5\r\n\r\n" + string(tiny(3)) + "\r\n--b\r\n\r\n" + string(tiny(4)[:20]) + string(tiny(1))))
	f.Add(append(tiny(2), tiny(3)...))
	f.Add([]byte("\xff\xd8\xff\xe1\xff\xff"))
	f.Add([]byte("Content-Length: 99999999999999999999\nX-Timestamp: 1e300\n\n" + string(tiny(0))))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := newJPEGStream(iotest.HalfReader(bytes.NewReader(data)))
		total := 0
		for range len(data) + 1 {
			jpg, head, lost, err := s.next()
			if err != nil {
				return
			}
			if total += len(jpg); total > len(data) || lost < 0 || head.length < 0 {
				t.Fatalf("%d bytes of pictures out of %d, %d lost", total, len(data), lost)
			}
			if !bytes.HasPrefix(jpg, []byte{0xff, 0xd8, 0xff}) || !bytes.HasSuffix(jpg, []byte{0xff, 0xd9}) || !bytes.Contains(data, jpg) {
				t.Fatalf("%x is no picture of the stream", jpg)
			}
		}
		t.Fatal("more pictures than bytes")
	})
}

func FuzzRawVideo(f *testing.F) {
	// A frame of 2 x 1 pixels.
	f.Add([]byte("\x1a\x45\xdf\xa3\x80\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xff\x16\x54\xae\x6b\x88\xae\x86\xe0\x86\xb0\x81\x02\xba\x81\x01\x1f\x43\xb6\x75\x90\xe7\x81\x05\xa3\x8a\x81\x00\x01\x80abcdef"))
	f.Add([]byte("\xa3\xff\xb0\x88\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		v := newRawVideo(bytes.NewReader(data))
		for range len(data) + 1 {
			pix, _, err := v.next()
			if err != nil {
				return
			}
			if len(pix) != 3*v.width*v.height || len(pix) > len(data) {
				t.Fatalf("%d bytes for %d x %d", len(pix), v.width, v.height)
			}
		}
		t.Fatal("more frames than bytes")
	})
}

func FuzzContainer(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x18ftypisom\x00\x00\x00\x00isomisom\x00\x00\x00\x01mdat\x00\x00\x00\x00\x00\x00\x00\x20"))
	f.Add([]byte("RIFF\x00\x00\x01\x00AVI LIST"))
	f.Add([]byte("\x1a\x45\xdf\xa3\x80\x18\x53\x80\x67\x10\x00\x00\x20"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, size := bytes.NewReader(data), int64(len(data))
		for name, end := range map[string]int64{"boxes": boxesEnd(r, size), "riff": riffEnd(r, size), "segment": segmentEnd(r)} {
			if end < 0 {
				t.Errorf("%s end at %d", name, end)
			}
		}
		sniffVideo(data)
		exifTaken(data)
		jpegExif(data)
	})
}
