package camera_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fairdeck/vision/camera"
	"fairdeck/vision/camera/cameratest"

	"github.com/google/go-cmp/cmp"
)

// taken is an EXIF block that says when a picture was taken (EXIF 2.32: IFD0
// points to the Exif directory, which holds DateTimeOriginal and its
// fraction).
func taken(when, fraction string) []byte {
	be := binary.BigEndian
	b := []byte("MM\x00*\x00\x00\x00\x08\x00\x01")
	entry := func(tag, kind uint16, count, value uint32) {
		b = be.AppendUint16(b, tag)
		b = be.AppendUint16(b, kind)
		b = be.AppendUint32(b, count)
		b = be.AppendUint32(b, value)
	}
	entry(0x8769, 4, 1, 26)
	b = append(b, 0, 0, 0, 0)
	b = be.AppendUint16(b, 2)
	entry(0x9003, 2, uint32(len(when)+1), 26+2+24+4)
	b = be.AppendUint16(b, 0x9291)
	b = be.AppendUint16(b, 2)
	b = be.AppendUint32(b, uint32(len(fraction)+1))
	b = append(b, (fraction + "\x00\x00\x00\x00")[:4]...)
	b = append(b, 0, 0, 0, 0)
	return append(append(b, when...), 0)
}

// TestPictureTimes: frames are in time by EXIF where all files say it in the
// order of their names, and by their place otherwise.
func TestPictureTimes(t *testing.T) {
	type file struct{ when, fraction string }
	day := func(s string) string { return "2026:05:02 " + s }
	for _, test := range []struct {
		name  string
		files []file
		gap   time.Duration
		want  []time.Duration
	}{
		{"seconds", []file{{day("10:00:00"), ""}, {day("10:00:02"), ""}, {day("10:01:00"), ""}}, 0, []time.Duration{0, 2 * time.Second, time.Minute}},
		{"fractions", []file{{day("10:00:00"), "25"}, {day("10:00:00"), "75"}, {day("10:00:01"), "5"}}, 0, []time.Duration{0, 500 * time.Millisecond, 1250 * time.Millisecond}},
		{"several in a second", []file{{day("10:00:00"), ""}, {day("10:00:00"), ""}, {day("10:00:01"), ""}}, 0, []time.Duration{0, 500 * time.Millisecond, time.Second}},
		{"one time copied", []file{{day("10:00:00"), ""}, {day("10:00:00"), ""}}, 0, []time.Duration{0, time.Second}},
		{"backwards", []file{{day("10:00:02"), ""}, {day("10:00:01"), ""}}, 0, []time.Duration{0, time.Second}},
		{"one without", []file{{day("10:00:02"), ""}, {"", ""}, {day("10:00:09"), ""}}, 200 * time.Millisecond, []time.Duration{0, 200 * time.Millisecond, 400 * time.Millisecond}},
		{"nonsense", []file{{"yesterday, about noon", ""}, {day("10:00:09"), "x"}}, 0, []time.Duration{0, time.Second}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			for i, f := range test.files {
				jpg := film()[i]
				if f.when != "" {
					jpg = cameratest.WithExif(jpg, taken(f.when, f.fraction))
				}
				// Natural order: 9 before 10.
				write(t, filepath.Join(dir, fmt.Sprintf("p%d.jpg", 9+i)), jpg)
			}
			var got []time.Duration
			for _, f := range readAll(t, open(t, dir, camera.SourceOptions{PictureGap: test.gap})) {
				got = append(got, f.Time)
			}
			if d := cmp.Diff(got, test.want); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestPicturesThatCannotBeRead are named in the warnings, also the last ones.
func TestPicturesThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	for i, jpg := range film()[:4] {
		if i == 0 || i == 3 {
			jpg = jpg[:len(jpg)/2]
		}
		write(t, filepath.Join(dir, fmt.Sprintf("p%d.jpg", i)), jpg)
	}
	write(t, filepath.Join(dir, "list.txt"), []byte("4 cards"))
	src := open(t, dir, camera.SourceOptions{})
	frames := readAll(t, src)
	if len(frames) != 2 || frames[0].Index != 1 || frames[0].Dropped != 1 || frames[1].Index != 2 {
		t.Errorf("%d frames", len(frames))
	}
	all := strings.Join(src.Info().Warnings, "\n")
	for _, want := range []string{"p0.jpg: the JPEG is cut off", "p3.jpg: the JPEG is cut off", "left aside: list.txt"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in %q", want, all)
		}
	}
}

// TestSpecs: what cannot be a source is told what to give instead; what is one
// is recognised by what it is.
func TestSpecs(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "one.jpg"), film()[0])
	write(t, filepath.Join(dir, "notes.txt"), []byte("round 3"))
	rec := filepath.Join(dir, "rec")
	if err := os.Mkdir(rec, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(rec, camera.RecordingFile), []byte("{}"))
	o := fakes(t)
	for _, test := range []struct {
		spec    string
		problem camera.Problem
		text    string
	}{
		{"", camera.Missing, "no source was named"},
		{"3", camera.Missing, "no such camera"},
		{"/dev/video3", camera.Missing, "no such camera"},
		{"/dev/null", camera.Missing, "no such camera"}, // not below the root of the test
		{"Brio", camera.Missing, "no camera is there"},
		{filepath.Join(dir, "nowhere"), camera.Missing, "no such file"},
		{"nowhere.mp4", camera.Missing, "no such file"},
		{filepath.Join(dir, "*.png"), camera.Missing, "no file matches"},
		{filepath.Join(dir, "notes.txt"), camera.NotAPicture, "text"},
		{rec, camera.Unsupported, "recording"},
		{"ftp://host/x", camera.Unsupported, "ftp://"},
	} {
		_, err := camera.OpenSource(t.Context(), test.spec, o)
		wantError(t, err, test.problem, test.text)
	}
	for _, spec := range []string{filepath.Join(dir, "one.jpg"), filepath.Join(dir, "*.jpg")} {
		if n := len(readAll(t, open(t, spec, o))); n != 1 {
			t.Errorf("%s: %d frames", spec, n)
		}
	}
	opened := ""
	o.OpenRecording = func(_ context.Context, dir string) (camera.Source, error) {
		opened = dir
		return nil, io.ErrUnexpectedEOF
	}
	if _, err := camera.OpenSource(t.Context(), rec, o); opened != rec || err != io.ErrUnexpectedEOF {
		t.Errorf("%q, %v", opened, err)
	}
}
