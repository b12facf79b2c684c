package camera_test

import (
	"context"
	"errors"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"fairdeck/internal/cv"
	"fairdeck/internal/cv/cvtest"
	"fairdeck/vision/camera"
	"fairdeck/vision/camera/cameratest"
	"fairdeck/vision/frame"

	"github.com/google/go-cmp/cmp"
)

func TestMain(m *testing.M) { cvtest.Main(m) }

// TestMalformed gives every file of the malformed set to the source, one at a
// time: a typed error that names the file and the remedy, or a picture; never
// a crash, a hang or silence.
func TestMalformed(t *testing.T) {
	cases, done, err := cameratest.Malformed(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	for _, c := range cases {
		t.Run(filepath.Base(c.Path), func(t *testing.T) {
			if c.NeedsUser && os.Geteuid() == 0 {
				t.Skip("permissions do not bind the superuser")
			}
			start := time.Now()
			problems, frames := collect(t, c.Path)
			if took := time.Since(start); took > 2*time.Second {
				t.Errorf("took %v, want less than 2 s", took)
			}
			if c.Want == "" {
				if len(problems) != 0 || len(frames) != 1 {
					t.Fatalf("got %d frames and %v, want the picture", len(frames), problems)
				}
				return
			}
			if len(problems) != 1 || len(frames) != 0 {
				t.Fatalf("got %d frames and %v, want one problem", len(frames), problems)
			}
			p := problems[0]
			if p.Problem != c.Want || p.Path != c.Path || p.Text == "" || p.Remedy == "" {
				t.Errorf("got %q of %q (%s; %s), want %q of %q", p.Problem, p.Path, p.Text, p.Remedy, c.Want, c.Path)
			}
		})
	}
}

// collect opens patterns and reads everything, in order.
func collect(t *testing.T, patterns ...string) ([]*camera.Error, []*camera.Frame) {
	t.Helper()
	files, err := camera.Open(context.Background(), patterns...)
	if err != nil {
		t.Fatal(err)
	}
	problems := files.Problems
	frames := make([]*camera.Frame, len(files.Paths))
	var mu sync.Mutex
	err = files.Each(context.Background(), 2, func(i int, f *camera.Frame, _ time.Duration, err error) error {
		mu.Lock()
		defer mu.Unlock()
		var e *camera.Error
		switch {
		case errors.As(err, &e):
			problems = append(problems, e)
		case err != nil:
			return err
		default:
			frames[i] = f
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return problems, slices.DeleteFunc(frames, func(f *camera.Frame) bool { return f == nil })
}

// TestMalformedFolder gives the whole set as one folder: every file turns up
// as a picture, a problem or a note.
func TestMalformedFolder(t *testing.T) {
	dir := t.TempDir()
	cases, done, err := cameratest.Malformed(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	files, err := camera.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	problems, frames := collect(t, dir)
	notes := ""
	for _, n := range files.Notes {
		notes += n.Text + "\n"
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		p := filepath.Join(dir, e.Name())
		told := strings.Contains(notes, e.Name()) ||
			slices.ContainsFunc(problems, func(q *camera.Error) bool { return q.Path == p }) ||
			slices.ContainsFunc(frames, func(f *camera.Frame) bool { return f.Path == p })
		if !told {
			t.Errorf("%q was skipped in silence", e.Name())
		}
	}
	if len(entries) < len(cases)-3 {
		t.Errorf("%d entries for %d cases", len(entries), len(cases))
	}
}

// TestOrientation turns one picture in all eight ways (EXIF) and expects the
// same upright picture back, in every format that carries the tag.
func TestOrientation(t *testing.T) {
	upright := cameratest.Picture(64, 48)
	for o := 1; o <= 8; o++ {
		stored := store(upright, o)
		exif := cameratest.Exif(o, nil)
		pngFile := cameratest.PNG(stored)
		pngFile = slices.Insert(pngFile, 8+12+13, cameratest.PNGChunk("eXIf", exif)...)
		for name, data := range map[string][]byte{
			"picture.jpg": cameratest.WithExif(cameratest.JPEG(stored), exif),
			"picture.png": pngFile,
			"picture.tif": cameratest.TIFF(stored, o),
		} {
			p := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(p, data, 0o644); err != nil {
				t.Fatal(err)
			}
			f, err := camera.Read(context.Background(), p)
			if err != nil {
				t.Errorf("orientation %d, %s: %v", o, name, err)
				continue
			}
			if f.Image.Width != 64 || f.Image.Height != 48 {
				t.Errorf("orientation %d, %s: %d x %d, want 64 x 48", o, name, f.Image.Width, f.Image.Height)
				continue
			}
			if d := worst(f.Image, frame.FromImage(upright)); d > 60 {
				t.Errorf("orientation %d, %s: pixels differ by %d from the upright picture", o, name, d)
			}
		}
	}
}

// store lays an upright picture down as a camera held in orientation o does.
func store(m *image.NRGBA, o int) *image.NRGBA {
	w, h := m.Rect.Dx(), m.Rect.Dy()
	sw, sh := w, h
	if o >= 5 {
		sw, sh = h, w
	}
	out := image.NewNRGBA(image.Rect(0, 0, sw, sh))
	for y := range sh {
		for x := range sw {
			// EXIF: where the stored row 0 and column 0 lie in the scene.
			var ux, uy int
			switch o {
			case 1:
				ux, uy = x, y
			case 2:
				ux, uy = w-1-x, y
			case 3:
				ux, uy = w-1-x, h-1-y
			case 4:
				ux, uy = x, h-1-y
			case 5:
				ux, uy = y, x
			case 6:
				ux, uy = w-1-y, x
			case 7:
				ux, uy = w-1-y, h-1-x
			case 8:
				ux, uy = y, h-1-x
			}
			out.SetNRGBA(x, y, m.NRGBAAt(ux, uy))
		}
	}
	return out
}

// worst is the largest difference of quarter centres, where JPEG rings least.
func worst(a, b *frame.Image) int {
	d := 0
	for _, p := range []image.Point{{4, 4}, {24, 18}, {48, 12}, {16, 36}, {48, 36}} {
		b1, g1, r1 := a.BGR(p.X, p.Y)
		b2, g2, r2 := b.BGR(p.X, p.Y)
		for _, v := range []int{int(b1) - int(b2), int(g1) - int(g2), int(r1) - int(r2)} {
			d = max(d, v, -v)
		}
	}
	return d
}

// TestColours checks what conversions make of unusual pictures.
func TestColours(t *testing.T) {
	cases, done, err := cameratest.Malformed(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	want := map[string]struct {
		bgr  [3]int
		note string
	}{
		// Ink 20 200 90 10 of 255: light is (1-ink)(1-black).
		"cmyk.jpg":    {[3]int{159, 53, 226}, "CMYK"},
		"16bit.png":   {[3]int{220, 220, 220}, "16 bits"},
		"alpha.png":   {[3]int{220, 220, 220}, "transparency"},
		"grey.png":    {[3]int{0, 0, 0}, "black-and-white"},
		"palette.png": {[3]int{255, 255, 255}, ""},
	}
	for _, c := range cases {
		w, ok := want[filepath.Base(c.Path)]
		if !ok {
			continue
		}
		f, err := camera.Read(context.Background(), c.Path)
		if err != nil {
			t.Errorf("%s: %v", c.Path, err)
			continue
		}
		b, g, r := f.Image.BGR(48, 36)
		for i, v := range []int{int(b), int(g), int(r)} {
			if d := v - w.bgr[i]; d < -3 || d > 3 {
				t.Errorf("%s: B G R is %d %d %d, want %v", filepath.Base(c.Path), b, g, r, w.bgr)
				break
			}
		}
		if w.note != "" && (len(f.Notes) != 1 || !strings.Contains(f.Notes[0].Text, w.note)) {
			t.Errorf("%s: notes %v, want one of %q", filepath.Base(c.Path), f.Notes, w.note)
		}
	}
}

func TestFormats(t *testing.T) {
	upright := frame.FromImage(cameratest.Picture(64, 48))
	png, err := cv.EncodePNG(upright, 1)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, data := range map[string][]byte{
		"a.png":  png,
		"b.jpeg": cameratest.JPEG(upright),
		"c.tiff": cameratest.TIFF(cameratest.Picture(64, 48), 1),
		"d.bmp":  cameratest.BMP(cameratest.Picture(64, 48)),
		"e.webp": cameratest.WebP(),
		"f":      png, // recognised by content
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	problems, frames := collect(t, dir)
	if len(problems) != 0 || len(frames) != 6 {
		t.Fatalf("%d pictures and problems %v, want 6 and none", len(frames), problems)
	}
	for _, f := range frames {
		if f.Format != camera.WebP && worst(f.Image, upright) > 60 {
			t.Errorf("%s does not look like the picture", f.Path)
		}
		if len(f.SHA256) != 64 || f.Bytes == 0 {
			t.Errorf("%s: sha256 %q, %d bytes", f.Path, f.SHA256, f.Bytes)
		}
	}
}

func TestOpenOrder(t *testing.T) {
	dir := t.TempDir()
	jpg := cameratest.JPEG(cameratest.Picture(8, 8))
	for _, n := range []string{"back_10.jpg", "back_2.jpg", "back_1.jpg", "notes.txt", ".hidden.jpg", "front.JPG"} {
		if err := os.WriteFile(filepath.Join(dir, n), jpg, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("text"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("back_1.jpg", filepath.Join(dir, "link.jpg")); err != nil {
		t.Fatal(err)
	}
	at := func(n string) string { return filepath.Join(dir, n) }
	open := func(patterns ...string) *camera.Files {
		f, err := camera.Open(context.Background(), patterns...)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}

	f := open(dir)
	if d := cmp.Diff([]string{at("back_1.jpg"), at("back_2.jpg"), at("back_10.jpg"), at("front.JPG")}, f.Paths); d != "" {
		t.Errorf("order in a folder (-want +got):\n%s", d)
	}
	notes := ""
	for _, n := range f.Notes {
		notes += n.Path + ": " + n.Text + "\n"
	}
	for _, want := range []string{"notes.txt", ".hidden.jpg", "sub", "link.jpg: given twice"} {
		if !strings.Contains(notes, want) {
			t.Errorf("no note of %s in:\n%s", want, notes)
		}
	}

	f = open(at("front.JPG"), at("back_*.jpg"), at("front.JPG"), at("./back_2.jpg"))
	if d := cmp.Diff([]string{at("front.JPG"), at("back_1.jpg"), at("back_2.jpg"), at("back_10.jpg")}, f.Paths); d != "" {
		t.Errorf("order of patterns (-want +got):\n%s", d)
	}
	if len(f.Notes) != 2 {
		t.Errorf("notes %v, want the two files given twice", f.Notes)
	}

	if f = open("rtsp://camera/1"); len(f.Problems) != 1 {
		t.Errorf("an address gave %v, want a problem", f.Problems)
	}
}

// TestHugeCount gives more files than one check takes.
func TestHugeCount(t *testing.T) {
	dir := t.TempDir()
	for i := range camera.MaxPictures + 5 {
		if err := os.WriteFile(filepath.Join(dir, "p_"+fmt.Sprint(i)+".jpg"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f, err := camera.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Paths) != camera.MaxPictures || len(f.Problems) != 1 || f.Problems[0].Problem != camera.TooLarge {
		t.Errorf("%d pictures, problems %v", len(f.Paths), f.Problems)
	}
}

func TestEachStops(t *testing.T) {
	dir := t.TempDir()
	jpg := cameratest.JPEG(cameratest.Picture(8, 8))
	for i := range 50 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)+".jpg"), jpg, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f, err := camera.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stop")
	calls := 0
	if err := f.Each(context.Background(), 1, func(int, *camera.Frame, time.Duration, error) error { calls++; return stop }); !errors.Is(err, stop) {
		t.Errorf("the error of fn became %v", err)
	}
	if calls > 2 {
		t.Errorf("fn was called %d times after its error", calls)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := f.Each(ctx, 2, func(int, *camera.Frame, time.Duration, error) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled run gave %v", err)
	}
}

func ExampleOpen() {
	files, err := camera.Open(context.Background(), "no-such-folder")
	if err != nil {
		panic(err)
	}
	for _, p := range files.Problems {
		fmt.Println(p)
	}
	// Output: no-such-folder: no such file or folder; check the name
}
