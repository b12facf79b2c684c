package camera_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fairdeck/vision/camera"
	"fairdeck/vision/camera/cameratest"
	"fairdeck/vision/frame"

	"go.uber.org/goleak"
)

// readAll reads a source to its end.
func readAll(t *testing.T, src camera.Source) []*camera.Frame {
	t.Helper()
	var out []*camera.Frame
	for {
		f, err := src.Next(t.Context())
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, f)
	}
}

// stillVideo renders the picture with four quarters of known colours as a
// video.
func stillVideo(t *testing.T, w, h int) string {
	t.Helper()
	dir := t.TempDir()
	still, out := filepath.Join(dir, "still.png"), filepath.Join(dir, "still.mp4")
	write(t, still, cameratest.PNG(cameratest.Picture(w, h)))
	ffmpeg(t, "-loop", "1", "-framerate", "10", "-t", "0.5", "-i", still, "-c:v", "libx264", "-qp", "4", "-pix_fmt", "yuv444p", out)
	return out
}

// turn writes the matrix of a turn clockwise into a video's track header, as a
// phone does (ISO/IEC 14496-12, 8.3.2: the matrix stands 40 bytes into tkhd;
// 6.2.2: x' = a x + c y + tx, y' = b x + d y + ty).
func turn(t *testing.T, video string, degrees, w, h int) {
	t.Helper()
	data, err := os.ReadFile(video)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(data, []byte("tkhd")) + 4 + 40
	m := map[int][6]int32{0: {1, 0, 0, 1, 0, 0}, 90: {0, 1, -1, 0, int32(h), 0}, 180: {-1, 0, 0, -1, int32(w), int32(h)}, 270: {0, -1, 1, 0, 0, int32(w)}}[degrees]
	for i, place := range []int{0, 4, 12, 16, 24, 28} { // a b u c d v x y w
		binary.BigEndian.PutUint32(data[at+place:], uint32(m[i])<<16)
	}
	write(t, video, data)
}

// TestVideoRotation: a phone's video comes upright, whichever way the phone
// was held; also at odd sizes.
func TestVideoRotation(t *testing.T) {
	for _, degrees := range []int{0, 90, 180, 270} {
		t.Run(fmt.Sprint(degrees), func(t *testing.T) {
			const w, h = 63, 47
			video := stillVideo(t, w, h)
			turn(t, video, degrees, w, h)
			f := must(open(t, video, camera.SourceOptions{}).Next(t.Context()))
			// A picture stored for EXIF's 8 is the upright one turned by 90
			// degrees clockwise.
			want := frame.FromImage(store(cameratest.Picture(w, h), map[int]int{0: 1, 90: 8, 180: 3, 270: 6}[degrees]))
			if f.Image.Width != want.Width || f.Image.Height != want.Height {
				t.Fatalf("%d x %d, want %d x %d", f.Image.Width, f.Image.Height, want.Width, want.Height)
			}
			if d := meanDifference(f.Image, want); d > 6 {
				t.Errorf("the picture is off by %.1f on average", d)
			}
		})
	}
}

func meanDifference(a, b *frame.Image) float64 {
	sum := 0.0
	for i := range a.Pix {
		sum += math.Abs(float64(a.Pix[i]) - float64(b.Pix[i]))
	}
	return sum / float64(len(a.Pix))
}

// TestVideoTimes: the times are those of the frames, also where their rate
// varies, and no frame is doubled or left out to even it out.
func TestVideoTimes(t *testing.T) {
	for _, name := range []string{"vfr.mp4", "vfr.mkv"} {
		video := filepath.Join(t.TempDir(), name)
		// Frames 0, 5, 7, 10, 14, 15 of 30 a second.
		ffmpeg(t, "-f", "lavfi", "-i", "testsrc2=s=160x120:r=30:d=0.6", "-vf", "select='not(mod(n,7))+not(mod(n,5))'", "-fps_mode", "passthrough", "-enc_time_base", "1:90000", "-c:v", "libx264", "-bf", "2", video)
		src := open(t, video, camera.SourceOptions{})
		frames := readAll(t, src)
		want := []int{0, 5, 7, 10, 14, 15}
		if len(frames) != len(want) {
			t.Fatalf("%s: %d frames, want %d", name, len(frames), len(want))
		}
		for i, f := range frames {
			at := time.Duration(want[i]) * time.Second / 30
			if d := f.Time - at; d < -time.Millisecond || d > time.Millisecond || f.Index != i || f.Dropped != 0 {
				t.Errorf("%s: frame %d (%d dropped) at %v, want %d at %v", name, f.Index, f.Dropped, f.Time, i, at)
			}
		}
		if info := src.Info(); info.Format != "H264" || info.Kind != camera.KindVideo || info.Live || len(info.Warnings) != 0 {
			t.Errorf("%s: %+v", name, info)
		}
	}
}

// TestVideoTruncated: frames come up to the end, each as it is in the whole
// video, and a warning says that it was cut off.
func TestVideoTruncated(t *testing.T) {
	for _, kind := range []struct {
		name string
		args []string
	}{{"faststart.mp4", []string{"-movflags", "+faststart"}}, {"fragmented.mp4", []string{"-movflags", "+frag_keyframe+empty_moov", "-g", "5"}}, {"film.mkv", nil}, {"film.avi", nil}, {"film.ts", nil}} {
		t.Run(kind.name, func(t *testing.T) {
			whole := makeVideo(t, kind.name, "testsrc2=s=320x240:r=30:d=1", kind.args...)
			all := readAll(t, open(t, whole, camera.SourceOptions{}))
			if len(all) != 30 {
				t.Fatalf("%d frames", len(all))
			}
			data, err := os.ReadFile(whole)
			if err != nil {
				t.Fatal(err)
			}
			write(t, whole, data[:len(data)*6/10])
			src := open(t, whole, camera.SourceOptions{})
			some := readAll(t, src)
			if len(some) < 10 || len(some) > 25 {
				t.Errorf("%d frames of 30 from 60%% of the file", len(some))
			}
			for i, f := range some {
				if !bytes.Equal(f.Image.Pix, all[i].Image.Pix) {
					t.Errorf("frame %d is another picture than in the whole video", i)
				}
			}
			// A transport stream may end anywhere; nothing says it was cut.
			if w := src.Info().Warnings; len(w) == 0 && kind.name != "film.ts" {
				t.Error("no warning")
			}
		})
	}
}

// TestVideoDamaged: bytes that were changed within the film never make a
// picture that was not filmed.
func TestVideoDamaged(t *testing.T) {
	whole := makeVideo(t, "film.mp4", "testsrc2=s=320x240:r=30:d=2", "-movflags", "+faststart", "-g", "10")
	all := readAll(t, open(t, whole, camera.SourceOptions{}))
	data, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	damaged := 0
	for seed := range 8 {
		bad := bytes.Clone(data)
		at := len(bad)/3 + seed*len(bad)/20
		for i := range 200 {
			bad[at+i] ^= byte(37*i + seed + 1)
		}
		write(t, whole, bad)
		src := open(t, whole, camera.SourceOptions{})
		for _, f := range readAll(t, src) {
			i := int(math.Round(f.Time.Seconds() * 30))
			if i >= len(all) || meanDifference(f.Image, all[i].Image) > 3 {
				damaged++
			}
		}
		if len(src.Info().Warnings) == 0 {
			t.Errorf("seed %d: no warning", seed)
		}
	}
	if damaged > 0 {
		t.Errorf("%d frames look otherwise than they were filmed", damaged)
	}
}

// TestVideoRefusals: what is no video is told in words, and quickly.
func TestVideoRefusals(t *testing.T) {
	dir := t.TempDir()
	ffmpeg(t, "-f", "lavfi", "-i", "sine=d=1", filepath.Join(dir, "sound.mp4"))
	late := makeVideo(t, "late.mp4", "testsrc2=s=160x120:r=30:d=1")
	data, err := os.ReadFile(late)
	if err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(dir, "secret.mp4")
	write(t, secret, data)
	for _, test := range []struct {
		name    string
		data    []byte
		problem camera.Problem
		text    string
	}{
		{"cut off before the index.mp4", data[:len(data)/2], camera.Truncated, "index"},
		{"head only.mp4", data[:64], "", ""},
		{"noise.mp4", append([]byte("\x00\x00\x00\x18ftypisom\x00\x00\x00\x00isomisom"), bytes.Repeat([]byte("noise"), 1000)...), "", ""},
		{"ebml.mkv", append([]byte("\x1a\x45\xdf\xa3"), bytes.Repeat([]byte{0xff}, 1000)...), "", ""},
		{"playlist.m3u8", []byte("#EXTM3U\n#EXTINF:1,\nfile://" + secret + "\n"), camera.NotAPicture, "text"},
		{"concat.mp4", []byte("ffconcat version 1.0\nfile " + secret + "\n"), camera.NotAPicture, "text"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := filepath.Join(dir, test.name)
			write(t, p, test.data)
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			_, err := camera.OpenSource(ctx, p, camera.SourceOptions{})
			var e *camera.Error
			if !errors.As(err, &e) || e.Remedy == "" || e.Path != p {
				t.Fatalf("%v", err)
			}
			if test.problem != "" && (e.Problem != test.problem || !strings.Contains(e.Text, test.text)) {
				t.Errorf("%q: %v", e.Problem, e)
			}
		})
	}
	_, err = camera.OpenSource(t.Context(), filepath.Join(dir, "sound.mp4"), camera.SourceOptions{})
	wantError(t, err, camera.NotAPicture, "no picture in it")
	_, err = camera.OpenSource(t.Context(), secret, camera.SourceOptions{FFmpeg: "no-such-program"})
	wantError(t, err, camera.Unsupported, "ffmpeg")
}

// TestVideoReaderHangs: an ffmpeg that says nothing is killed.
func TestVideoReaderHangs(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	dir := t.TempDir()
	hung := filepath.Join(dir, "hung")
	if err := os.WriteFile(hung, []byte("#!/bin/sh\ntrap '' TERM\nexec sleep 1000\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	video := filepath.Join(dir, "film.mp4")
	write(t, video, []byte("\x00\x00\x00\x18ftypisom\x00\x00\x00\x00isomisom"))
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err := camera.OpenSource(ctx, video, camera.SourceOptions{FFmpeg: hung, FFprobe: "no-such-program"})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("took %v", took)
	}
}
