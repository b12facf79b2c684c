package camera_test

import (
	"bytes"
	"testing"

	"fairdeck/vision/camera"

	"github.com/google/go-cmp/cmp"
)

// withoutCodes takes the tables of codes out of a JPEG, as webcams do.
func withoutCodes(jpg []byte) []byte {
	out := bytes.Clone(jpg[:2])
	for at := 2; ; {
		marker, n := jpg[at+1], 2+int(jpg[at+2])<<8+int(jpg[at+3])
		if marker == 0xda {
			return append(out, jpg[at:]...)
		}
		if marker != 0xc4 {
			out = append(out, jpg[at:at+n]...)
		}
		at += n
	}
}

// TestJPEGWithoutCodes: Go's encoder uses the usual tables, so that a frame
// without them is the same picture; and half of one is still found out.
func TestJPEGWithoutCodes(t *testing.T) {
	whole := film()[3]
	bare := withoutCodes(whole)
	if len(bare) >= len(whole) {
		t.Fatal("nothing was taken out")
	}
	want, err := camera.Decode("whole", whole)
	if err != nil {
		t.Fatal(err)
	}
	got, err := camera.Decode("bare", bare)
	if err != nil {
		t.Fatal(err)
	}
	if !cmp.Equal(got.Image, want.Image) {
		t.Error("another picture without the tables")
	}
	for _, part := range []float64{0.5, 0.7, 0.9} {
		torn := append(bytes.Clone(bare[:int(float64(len(bare))*part)]), 0xff, 0xd9)
		if _, err := camera.Decode("torn", torn); err == nil {
			t.Errorf("%.0f%% of a frame passes for a whole one", 100*part)
		}
	}
}
