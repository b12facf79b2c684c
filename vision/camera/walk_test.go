package camera

import (
	"slices"
	"testing"

	"fairdeck/vision/frame"

	"pgregory.net/rapid"
)

// sample is a whole small file of one format, made by hand so that the test
// sees every byte's meaning.
var samples = map[Format][]byte{
	JPEG: []byte("\xff\xd8" +
		"\xff\xe1\x00\x0cExif\x00\x00\xff\xd9\xff\xd9" + // end markers in a segment do not count
		"\xff\xc2\x00\x11\x08\x00\x10\x00\x20\x03\x01\x11\x00\x02\x11\x00\x03\x11\x00" + // progressive, without codes: its data is not looked at
		"\xff\xda\x00\x0c\x03\x01\x00\x02\x00\x03\x00\x00\x00\x00" + "data\xff\x00more\xff\xd0rest" +
		"\xff\xd9"),
	WebP: []byte("RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x1f\xc0\x03\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00"),
}

// TestCutAnywhere cuts a whole file at every byte: never whole, never a
// panic.
func TestCutAnywhere(t *testing.T) {
	for format, data := range samples {
		h, err := walk(format, data)
		if err != nil || h.width != 32 || h.height != 16 {
			t.Errorf("%s: %d x %d, %v; want 32 x 16", format, h.width, h.height, err)
		}
		for n := range data {
			if _, err := walk(format, data[:n]); err == nil {
				t.Errorf("%s cut to %d of %d bytes passes for whole", format, n, len(data))
			}
		}
	}
}

// FuzzWalk feeds every walker: no panic, no picture beyond the limits.
func FuzzWalk(f *testing.F) {
	for _, data := range samples {
		f.Add(data)
	}
	f.Add([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00\x90\x77\x53\xde"))
	f.Add([]byte("II*\x00\x08\x00\x00\x00\x02\x00\x00\x01\x04\x00\x01\x00\x00\x00\x04\x00\x00\x00\x11\x01\x04\x00\xff\xff\xff\xff\x00\x00\x00\x00"))
	f.Add([]byte("BM\x00\x00\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00\x28\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x80\x01\x00\x18\x00\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		sniff(data[:min(len(data), sniffLen)])
		for _, format := range []Format{JPEG, PNG, TIFF, WebP, BMP} {
			h, err := walk(format, data)
			if err == nil && (h.width <= 0 || h.height <= 0 || h.width > MaxPixels/h.height || h.orientation < 0 || h.orientation > 8) {
				t.Errorf("%s: accepted %+v", format, h)
			}
		}
	})
}

// TestOrient checks the turn that WebP needs against its meaning in EXIF: the
// stored row 0 and column 0 lie at these sides of the scene.
func TestOrient(t *testing.T) {
	// A stored 3 x 2 picture whose bytes are 0 to 5.
	stored := frame.New(3, 2)
	for i := range 6 {
		stored.SetBGR(i%3, i/3, uint8(i), 0, 0)
	}
	want := map[int][]uint8{
		0: {0, 1, 2, 3, 4, 5}, 9: {0, 1, 2, 3, 4, 5}, // not stated, nonsense
		1: {0, 1, 2, 3, 4, 5}, // row 0 top, column 0 left
		2: {2, 1, 0, 5, 4, 3}, // top, right
		3: {5, 4, 3, 2, 1, 0}, // bottom, right
		4: {3, 4, 5, 0, 1, 2}, // bottom, left
		5: {0, 3, 1, 4, 2, 5}, // left, top
		6: {3, 0, 4, 1, 5, 2}, // right, top
		7: {5, 2, 4, 1, 3, 0}, // right, bottom
		8: {2, 5, 1, 4, 0, 3}, // left, bottom
	}
	for o, pixels := range want {
		m := orient(stored, o)
		var got []uint8
		for i := 0; i < len(m.Pix); i += 3 {
			got = append(got, m.Pix[i])
		}
		if turned := m.Width == 2; turned != (o >= 5 && o <= 8) || !slices.Equal(got, pixels) {
			t.Errorf("orientation %d: %d wide, %v, want %v", o, m.Width, got, pixels)
		}
	}
}

func TestNaturalOrder(t *testing.T) {
	names := []string{"a", "a1", "a2", "a02b", "a10", "back_2.jpg", "back_10.jpg", "back_10a.jpg", "c"}
	if !slices.IsSortedFunc(names, compareNatural) {
		slices.SortFunc(names, compareNatural)
		t.Errorf("sorted to %v", names)
	}
	// A total order: exactly one of less, greater, equal, and transitive.
	name := rapid.StringMatching(`[ab01_]{0,6}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := name.Draw(t, "a"), name.Draw(t, "b"), name.Draw(t, "c")
		if ab, ba := naturalLess(a, b), naturalLess(b, a); ab && ba || (a == b) != (!ab && !ba) {
			t.Fatalf("%q, %q: less %v, greater %v", a, b, ab, ba)
		}
		if naturalLess(a, b) && naturalLess(b, c) && !naturalLess(a, c) {
			t.Fatalf("%q < %q < %q but not %q < %q", a, b, c, a, c)
		}
	})
}

// TestProbe expects every codec: the OpenCV packages that fairdeck asks for
// have them all.
func TestProbe(t *testing.T) {
	for _, f := range Formats() {
		if err := Probe(f); err != nil {
			t.Errorf("%s: %v", f, err)
		}
	}
	if err := Probe("gif"); err == nil {
		t.Error("a format that is not read has a codec")
	}
}
