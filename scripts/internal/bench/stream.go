package main

import (
	"context"
	"errors"
	"fmt"
	"image"
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
	"fairdeck/vision/frame"
	"fairdeck/vision/settle"
	"fairdeck/vision/visiontest"
)

// What was set for a live stream of 1920 x 1080 at 30 frames a second.
const (
	streamFPS       = 30
	maxStreamGrowth = 1.1 // memory at the end over that after the first tenth
	maxSettleShare  = 0.5 // of what decoding costs
	dealCards       = 6
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
	deal, err := b.dealFrames()
	if err != nil {
		return err
	}
	frames := deal.jpeg
	share, err := deal.settling(b.ctx)
	if err != nil {
		return err
	}
	// What the camera itself and the network cost, without decoding.
	idle, err := b.streamOnce(min(length, 20*time.Second), deal, false)
	if err != nil {
		return err
	}
	got, err := b.streamOnce(length, deal, true)
	if err != nil {
		return err
	}
	work := (got.cpu - idle.cpu*got.seconds/idle.seconds) / got.delivered * 1000
	walk, plain, err := decodeParts(frames)
	if err != nil {
		return err
	}
	kib := 0
	for _, f := range frames {
		kib += len(f) >> 10
	}
	d.Raw("## A live stream\n\n")
	d.Para("MJPEG over HTTP from a camera of the same process, 1920 x 1080 pixels, %d frames a second, %d KiB a frame on average, for %v: a deal of %d cards over and over, which the reader settles as it comes. "+
		"Processor time is that of the whole process, the camera's own share (measured without decoding) taken off; that of settling alone was measured on the same frames, one after the other.", streamFPS, kib/len(frames), length, dealCards)
	d.Table([]string{"what", "measured"}, [][]string{
		{"frames received, delivered, dropped, damaged", fmt.Sprintf("%d, %.0f, %d, %d", got.counts.Received, got.delivered, got.counts.Dropped, got.counts.Damaged)},
		{"processor time for receiving, with the camera's own", fmt.Sprintf("%.1f ms a second", 1000*idle.cpu/idle.seconds)},
		{"processor time for decoding and settling", fmt.Sprintf("%.1f ms a frame: %.0f%% of one core", work, work*streamFPS/10)},
		{"settling alone, decoding by OpenCV alone", fmt.Sprintf("%.1f ms, %.1f ms", share.settle, share.decode)},
		{"cards counted, cards dealt while it was watched", fmt.Sprintf("%d, about %d", got.sightings, int(got.delivered)*dealCards/len(frames))},
		{"of it: looking whether the frame is whole, decoding by OpenCV alone", fmt.Sprintf("%.1f ms, %.1f ms", walk, plain)},
		{"frames that waited for the reader, at most", strconv.Itoa(got.waiting)},
		{"memory after a tenth, at the end, at most", fmt.Sprintf("%d, %d, %d MiB", got.early, got.late, got.peak)},
		{"longest wait between two frames", fmt.Sprintf("%.0f ms", got.gap*1000)},
	})
	growth := float64(got.late) / float64(got.early)
	b.target(fmt.Sprintf("memory of a live stream does not grow over %v", length), fmt.Sprintf("≤ %.1f x", maxStreamGrowth), fmt.Sprintf("%.2f x", growth), growth <= maxStreamGrowth)
	b.target(fmt.Sprintf("settling beside decoding MJPEG at 1920 x 1080, %d cards a second", 1), fmt.Sprintf("≤ %.1f x", maxSettleShare), fmt.Sprintf("%.2f x", share.settle/share.decode), share.settle/share.decode <= maxSettleShare)
	b.target("no queue grows: frames that wait", "≤ 4", strconv.Itoa(got.waiting), got.waiting <= 4)
	return nil
}

// streamedDeal is a short deal as a webcam encodes it.
type streamedDeal struct {
	jpeg  [][]byte
	zones []settle.Zone
}

func (b *bench) dealFrames() (*streamedDeal, error) {
	deck := benchDeck(dealCards)
	stream, err := visiontest.NewDealStream(visiontest.Deal{Deck: deck, Kind: visiontest.OnePassDeal, FPS: streamFPS})
	if err != nil {
		return nil, err
	}
	stream.Codec = func(m *frame.Image, quality int) ([]byte, *frame.Image, error) {
		data, err := cv.EncodeJPEG(m, quality)
		return data, m, err
	}
	d := &streamedDeal{}
	for {
		f, ok, err := stream.Next()
		if err != nil || b.ctx.Err() != nil {
			return nil, errors.Join(err, b.ctx.Err())
		}
		if !ok {
			break
		}
		d.jpeg = append(d.jpeg, f.JPEG)
	}
	for _, z := range stream.Truth().Zones {
		d.zones = append(d.zones, settle.Zone{Name: z.Name, Rect: image.Rect(z.Rect[0], z.Rect[1], z.Rect[2], z.Rect[3])})
	}
	return d, nil
}

// settlingShare is processor time in ms a frame.
type settlingShare struct{ decode, settle float64 }

// settling measures what settling costs beside decoding, nothing else running.
func (d *streamedDeal) settling(ctx context.Context) (s settlingShare, err error) {
	runtime.GC()
	settler := settle.New(settle.Options{Zones: d.zones})
	for i, data := range d.jpeg {
		t0 := processorTime()
		m, err := cv.Decode(data, 1920, 1080)
		if err != nil {
			return s, err
		}
		t1 := processorTime()
		if _, err := settler.Add(ctx, &camera.Frame{Index: i, Image: m, Time: time.Duration(i) * time.Second / streamFPS}); err != nil {
			return s, err
		}
		s.decode += t1 - t0
		s.settle += processorTime() - t1
	}
	n := float64(len(d.jpeg)) / 1000
	s.decode, s.settle = s.decode/n, s.settle/n
	return s, nil
}

// streamed is what one run saw.
type streamed struct {
	counts            camera.Counts
	delivered         float64
	waiting           int
	seconds, cpu      float64
	early, late, peak int // MiB
	gap               float64
	sightings         int
}

func (b *bench) streamOnce(length time.Duration, deal *streamedDeal, read bool) (r streamed, err error) {
	settler := settle.New(settle.Options{Zones: deal.zones})
	cam, err := cameratest.NewMJPEG(cameratest.MJPEGOptions{Frames: deal.jpeg, Interval: time.Second / streamFPS})
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
			events, err := settler.Add(ctx, f)
			if err != nil && ctx.Err() == nil {
				return r, err
			}
			for _, e := range events {
				if e.Sighting != nil {
					r.sightings++
				}
			}
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
