package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"fairdeck/internal/cv"
	"fairdeck/scripts/internal/markdown"
	"fairdeck/vision/camera"
	"fairdeck/vision/camera/cameratest"
	"fairdeck/vision/visiontest"
)

// What was set for a live stream of 1920 x 1080 at 30 frames a second.
const (
	streamFPS       = 30
	maxStreamGrowth = 1.1 // memory at the end over that after the first tenth
)

// stream measures a live source: an MJPEG camera of this process at 1920 x
// 1080 and 30 frames a second, read by somebody who takes every frame.
func (b *bench) stream(d *markdown.Document) error {
	length := b.streamFor
	if length == 0 {
		length = 10 * time.Minute
		if b.quick {
			length = 20 * time.Second
		}
	}
	frames, err := b.streamFrames()
	if err != nil {
		return err
	}
	// What the camera itself and the network cost, without decoding.
	idle, err := b.streamOnce(min(length, 20*time.Second), frames, false)
	if err != nil {
		return err
	}
	got, err := b.streamOnce(length, frames, true)
	if err != nil {
		return err
	}
	decode := (got.cpu - idle.cpu) / got.delivered * 1000
	walk, plain, err := decodeParts(frames)
	if err != nil {
		return err
	}
	kib := 0
	for _, f := range frames {
		kib += len(f) >> 10
	}
	d.Raw("## A live stream\n\n")
	d.Para("MJPEG over HTTP from a camera of the same process, 1920 x 1080 pixels, %d frames a second, %d KiB a frame on average, for %v. The reader takes every frame and does nothing with it. "+
		"Processor time is that of the whole process, the camera's own share (measured without decoding) taken off.", streamFPS, kib/len(frames), length)
	d.Table([]string{"what", "measured"}, [][]string{
		{"frames received, delivered, dropped, damaged", fmt.Sprintf("%d, %.0f, %d, %d", got.counts.Received, got.delivered, got.counts.Dropped, got.counts.Damaged)},
		{"processor time for receiving, with the camera's own", fmt.Sprintf("%.1f ms a second", 1000*idle.cpu/idle.seconds)},
		{"processor time for decoding", fmt.Sprintf("%.1f ms a frame: %.0f%% of one core", decode, decode*streamFPS/10)},
		{"of it: looking whether the frame is whole, decoding by OpenCV alone", fmt.Sprintf("%.1f ms, %.1f ms", walk, plain)},
		{"frames that waited for the reader, at most", strconv.Itoa(got.waiting)},
		{"memory after a tenth, at the end, at most", fmt.Sprintf("%d, %d, %d MiB", got.early, got.late, got.peak)},
		{"longest wait between two frames", fmt.Sprintf("%.0f ms", got.gap*1000)},
	})
	growth := float64(got.late) / float64(got.early)
	b.target(fmt.Sprintf("memory of a live stream does not grow over %v", length), fmt.Sprintf("≤ %.1f x", maxStreamGrowth), fmt.Sprintf("%.2f x", growth), growth <= maxStreamGrowth)
	b.target("no queue grows: frames that wait", "≤ 4", strconv.Itoa(got.waiting), got.waiting <= 4)
	return nil
}

// streamFrames are twelve frames of a station, as a webcam encodes them.
func (b *bench) streamFrames() ([][]byte, error) {
	st, err := visiontest.New(benchDeck(12))
	if err != nil {
		return nil, err
	}
	out := make([][]byte, st.Frames())
	err = parallel(b.ctx, len(out), func(i int) error {
		m, err := st.Frame(i)
		if err != nil {
			return err
		}
		out[i], err = cv.EncodeJPEG(m, jpegQuality)
		return err
	})
	return out, err
}

// streamed is what one run saw.
type streamed struct {
	counts            camera.Counts
	delivered         float64
	waiting           int
	seconds, cpu      float64
	early, late, peak int // MiB
	gap               float64
}

func (b *bench) streamOnce(length time.Duration, frames [][]byte, read bool) (r streamed, err error) {
	cam, err := cameratest.NewMJPEG(cameratest.MJPEGOptions{Frames: frames, Interval: time.Second / streamFPS})
	if err != nil {
		return r, err
	}
	defer cam.Stop()
	src, err := camera.OpenSource(b.ctx, cam.URL(), camera.SourceOptions{})
	if err != nil {
		return r, err
	}
	defer src.Close()
	watched := src.(*camera.Watched)
	ctx, cancel := context.WithTimeout(b.ctx, length)
	defer cancel()
	began, cpu, last := time.Now(), processorTime(), time.Now()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for ctx.Err() == nil {
		if read {
			f, err := src.Next(ctx)
			switch {
			case errors.Is(err, context.DeadlineExceeded):
				continue
			case err != nil:
				return r, err
			case f.Image.Width != 1920:
				return r, fmt.Errorf("a frame of %d px", f.Image.Width)
			}
			r.delivered++
			r.gap = max(r.gap, time.Since(last).Seconds())
			last = time.Now()
		}
		// Without a reader the ring is full all the time, and drops.
		if read {
			r.waiting = max(r.waiting, watched.Counts().Waiting)
			select {
			case <-tick.C:
			default:
				continue
			}
		} else {
			select {
			case <-tick.C:
			case <-ctx.Done():
			}
		}
		mib, err := residentMiB()
		if err != nil {
			return r, err
		}
		if time.Since(began) <= length/10 || r.early == 0 {
			r.early = max(r.early, mib)
		}
		r.late, r.peak = mib, max(r.peak, mib)
	}
	if err := b.ctx.Err(); err != nil {
		return r, err
	}
	r.seconds, r.cpu, r.counts = time.Since(began).Seconds(), processorTime()-cpu, watched.Counts()
	return r, nil
}

// decodeParts measures, on one frame after the other and nothing else
// running, the two parts of decoding, in ms of processor time a frame.
func decodeParts(frames [][]byte) (walk, plain float64, err error) {
	runtime.GC()
	begin := processorTime()
	for _, f := range frames {
		if _, err := cv.Decode(f, 1920, 1080); err != nil {
			return 0, 0, err
		}
	}
	plain = processorTime() - begin
	begin = processorTime()
	for _, f := range frames {
		if _, err := camera.Decode("frame", f); err != nil {
			return 0, 0, err
		}
	}
	walk = processorTime() - begin - plain
	n := float64(len(frames)) / 1000
	return walk / n, plain / n, nil
}

// processorTime is what this process has used so far, in seconds.
func processorTime() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	t := func(v syscall.Timeval) float64 { return float64(v.Sec) + float64(v.Usec)/1e6 }
	return t(u.Utime) + t(u.Stime)
}

// residentMiB is the memory that this process holds now.
func residentMiB() (int, error) {
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, fmt.Errorf("memory in use: %w", err)
	}
	f := strings.Fields(string(data))
	if len(f) < 2 {
		return 0, fmt.Errorf("memory in use: %q", data)
	}
	pages, err := strconv.Atoi(f[1])
	return pages * os.Getpagesize() >> 20, err
}
