package recording

import (
	"bytes"
	"context"
	"math"
	"path/filepath"
	"sync"
	"testing"

	"fairdeck/internal/cv"
	"fairdeck/vision/camera"
	"fairdeck/vision/frame"
	"fairdeck/vision/visiontest"
)

// dealtFrame is one frame of a synthetic deal at 1920 x 1080 with a card, as
// the camera's JPEG and decoded.
var dealtFrame = sync.OnceValues(func() (*camera.Frame, error) {
	d := visiontest.Deal{Deck: visiontest.Deck{Cards: 1, Seed: 1}}
	d.Deck.Camera.WidthPx, d.Deck.Camera.HeightPx = 1920, 1080
	s, err := visiontest.NewDealStream(d)
	if err != nil {
		return nil, err
	}
	var data []byte
	for {
		f, ok, err := s.Next()
		if err != nil {
			return nil, err
		}
		if !ok {
			return camera.Decode("frame", data)
		}
		data = f.JPEG
	}
})

func dealt(b *testing.B) *camera.Frame {
	b.Helper()
	f, err := dealtFrame()
	if err != nil {
		b.Fatal(err)
	}
	return f
}

// BenchmarkDecode is what every MJPEG frame costs anyway, as a measure for
// the others.
func BenchmarkDecode(b *testing.B) {
	f := dealt(b)
	for b.Loop() {
		if _, err := camera.Decode("frame", f.Encoded); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(f.Encoded)), "B/frame")
}

// BenchmarkEncode is what pixels cost on top: JPEG with the decoding after
// it, or PNG. rms is the error that it leaves, in codes.
func BenchmarkEncode(b *testing.B) {
	f := dealt(b)
	for name, lossless := range map[string]bool{"JPEG": false, "PNG": true} {
		b.Run(name, func(b *testing.B) {
			var g *camera.Frame
			for b.Loop() {
				g = &camera.Frame{Image: f.Image}
				if err := Encode(g, lossless); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(g.Encoded)), "B/frame")
			b.ReportMetric(rms(f.Image, g.Image), "rms")
		})
	}
	b.Run("JPEG/alone", func(b *testing.B) {
		for b.Loop() {
			if _, err := cv.EncodeJPEG(f.Image, jpegQuality); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func rms(a, b *frame.Image) float64 {
	sum := 0.0
	for i, v := range a.Pix {
		d := float64(v) - float64(b.Pix[i])
		sum += d * d
	}
	return math.Sqrt(sum / float64(len(a.Pix)))
}

// BenchmarkWrite is a frame's way to the operating system, and that of eight
// frames to the disk.
func BenchmarkWrite(b *testing.B) {
	f := &camera.Frame{Format: camera.JPEG, Encoded: bytes.Clone(dealt(b).Encoded)}
	b.Run("frame", func(b *testing.B) { benchmarkWrite(b, f, 0) })
	b.Run("sighting of 8", func(b *testing.B) { benchmarkWrite(b, f, 8) })
}

func benchmarkWrite(b *testing.B, f *camera.Frame, sync int) {
	w, err := Create(filepath.Join(b.TempDir(), "r"), testHeader)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(f.Encoded) * max(1, sync)))
	for b.Loop() {
		for range max(1, sync) {
			f.Index++
			f.Time++
			if err := w.Frame(f); err != nil {
				b.Fatal(err)
			}
		}
		if sync > 0 {
			if err := w.Sync(); err != nil {
				b.Fatal(err)
			}
		}
	}
	if _, err := w.Close(EndAsked); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkRead reads and checks a recording without decoding it.
func BenchmarkRead(b *testing.B) {
	f := &camera.Frame{Format: camera.JPEG, Encoded: bytes.Clone(dealt(b).Encoded)}
	dir := filepath.Join(b.TempDir(), "r")
	w, err := Create(dir, testHeader)
	if err != nil {
		b.Fatal(err)
	}
	const n = 100
	for range n {
		f.Index++
		f.Time++
		if err := w.Frame(f); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := w.Close(EndAsked); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(n * len(f.Encoded)))
	for b.Loop() {
		if _, rep, err := Span(context.Background(), dir); err != nil || rep.Frames != n {
			b.Fatal(rep, err)
		}
	}
}
