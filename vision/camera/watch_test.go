package camera_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"fairdeck/vision/camera"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// device is a scripted live device. Its fields may be changed between two
// waits of a synctest bubble.
type device struct {
	mu       sync.Mutex
	every    time.Duration // 0: 100 ms
	openErr  error
	grabErr  error
	silent   bool          // obeys ctx
	hang     chan struct{} // deaf to ctx until it is closed
	hangOpen chan struct{}
	same     bool // the same picture again and again
	broken   bool // no picture is whole

	opens, closes atomic.Int32
	n             int
	clock         time.Duration // added to what the device says
}

type deviceFeed struct {
	d     *device
	begun time.Time
}

func (d *device) open(ctx context.Context) (camera.Feed, error) {
	d.opens.Add(1)
	d.mu.Lock()
	err, hang := d.openErr, d.hangOpen
	d.mu.Unlock()
	if hang != nil {
		<-hang
	}
	if err != nil {
		return nil, err
	}
	return &deviceFeed{d, time.Now()}, nil
}

func (f *deviceFeed) Info() camera.Info {
	return camera.Info{Kind: camera.KindUSB, Name: "scripted", WidthPx: 160, HeightPx: 120, Live: true}
}

func (f *deviceFeed) Grab(ctx context.Context) (*camera.Raw, error) {
	d := f.d
	d.mu.Lock()
	every, silent, hang, err := d.every, d.silent, d.hang, d.grabErr
	d.mu.Unlock()
	if every == 0 {
		every = 100 * time.Millisecond
	}
	switch {
	case hang != nil:
		<-hang
		return nil, errors.New("back from the driver")
	case silent:
		<-ctx.Done()
		return nil, ctx.Err()
	}
	select {
	case <-time.After(every):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.same {
		d.n++
	}
	jpg := film()[d.n%len(film())]
	if d.broken {
		jpg = jpg[:len(jpg)/2]
	}
	return &camera.Raw{Encoded: jpg, Clock: time.Since(f.begun) + d.clock, HasClock: true}, nil
}

func (f *deviceFeed) Close() error { f.d.closes.Add(1); return nil }

func (d *device) set(change func(d *device)) { d.mu.Lock(); defer d.mu.Unlock(); change(d) }

// watched starts a watch over a device, in a bubble.
func watched(t *testing.T, d *device, o camera.WatchOptions) (*camera.Watched, *statusLog) {
	t.Helper()
	log := &statusLog{}
	o.OnStatus, o.Jitter = log.add, func() float64 { return 0.5 }
	w, err := camera.Watch(t.Context(), d.open, o)
	if err != nil {
		t.Fatal(err)
	}
	return w, log
}

func wantStates(t *testing.T, log *statusLog, want ...camera.State) {
	t.Helper()
	if d := cmp.Diff(log.states(), want); d != "" {
		t.Errorf("%s%s", d, log.text())
	}
}

// A slow reader gets the newest few frames, and is told how many it missed.
func TestSlowReaderDropsAndCounts(t *testing.T) {
	film()
	synctest.Test(t, func(t *testing.T) {
		d := &device{}
		w, _ := watched(t, d, camera.WatchOptions{Ring: 4})
		time.Sleep(2050 * time.Millisecond) // 20 frames, of which 4 wait
		f := must(w.Next(t.Context()))
		if f.Index != 16 || f.Dropped != 16 {
			t.Errorf("frame %d with %d dropped, want 16 and 16", f.Index, f.Dropped)
		}
		if c := w.Counts(); c.Received != 20 || c.Dropped != 16 || c.Waiting != 3 {
			t.Errorf("%+v", c)
		}
		f = must(w.Next(t.Context()))
		if f.Index != 17 || f.Dropped != 0 || f.Time != 1700*time.Millisecond {
			t.Errorf("frame %d with %d dropped at %v", f.Index, f.Dropped, f.Time)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		if d.opens.Load() != d.closes.Load() {
			t.Errorf("%d openings and %d closings", d.opens.Load(), d.closes.Load())
		}
	})
}

// A silent camera is lost after two seconds, asked again with growing waits,
// and goes on where it was.
func TestSilentCameraIsLostAndComesBack(t *testing.T) {
	film()
	synctest.Test(t, func(t *testing.T) {
		d := &device{}
		w, log := watched(t, d, camera.WatchOptions{})
		before := must(w.Next(t.Context()))
		began := time.Now()
		d.set(func(d *device) { d.silent, d.openErr = true, &camera.Error{Path: "scripted", Text: "still dark"} })
		time.Sleep(10 * time.Second)
		d.set(func(d *device) { d.silent, d.openErr = false, nil })
		var f *camera.Frame
		for f = before; f.Time < before.Time+9*time.Second; f = must(w.Next(t.Context())) {
		}
		if got, want := f.Time-before.Time, time.Since(began); got != want {
			t.Errorf("%v passed and the frames say %v", want, got)
		}
		wantStates(t, log, camera.Connected, camera.Lost, camera.Retrying, camera.Retrying, camera.Retrying, camera.Retrying, camera.Retrying, camera.Reconnected)
		all := log.list()
		lost, back := all[1], all[len(all)-1]
		if lost.Gap < 2*time.Second || lost.Gap > 2100*time.Millisecond || lost.Reason != nil || !strings.Contains(lost.String(), "no frame for 2s") {
			t.Errorf("%+v: %v", lost, lost)
		}
		// 2 s of silence, then 0.2 + 0.4 + 0.8 + 1.6 + 3.2 + 5 s.
		if back.Gap < 13*time.Second || back.Gap > 14*time.Second {
			t.Errorf("%+v", back)
		}
		if c := w.Counts(); c.Reconnects != 1 || c.Abandoned != 0 {
			t.Errorf("%+v", c)
		}
		w.Close()
	})
}

// A read that hangs in the driver is left behind; the next opening works, and
// the one that hung closes its handle should it ever come back.
func TestHungReadIsAbandoned(t *testing.T) {
	film()
	synctest.Test(t, func(t *testing.T) {
		d := &device{}
		w, log := watched(t, d, camera.WatchOptions{})
		must(w.Next(t.Context()))
		hang := make(chan struct{})
		d.set(func(d *device) { d.hang = hang })
		time.Sleep(2500 * time.Millisecond) // lost by now
		d.set(func(d *device) { d.hang = nil })
		time.Sleep(5 * time.Second)
		wantStates(t, log, camera.Connected, camera.Lost, camera.Reconnected)
		if c := w.Counts(); c.Abandoned != 1 {
			t.Errorf("%+v", c)
		}
		index := -1
		for range 5 {
			f := must(w.Next(t.Context()))
			if f.Index <= index {
				t.Errorf("frame %d after %d", f.Index, index)
			}
			index = f.Index
		}
		close(hang)
		synctest.Wait()
		if c := w.Counts(); c.Abandoned != 0 {
			t.Errorf("%+v", c)
		}
		w.Close()
		if d.opens.Load() != 2 || d.closes.Load() != 2 {
			t.Errorf("%d openings, %d closings", d.opens.Load(), d.closes.Load())
		}
	})
}

// What hangs is bounded: then the source ends with a remedy, and what had
// come before is still given out.
func TestDriverThatAlwaysHangs(t *testing.T) {
	film()
	synctest.Test(t, func(t *testing.T) {
		d := &device{}
		w, log := watched(t, d, camera.WatchOptions{MaxAbandoned: 2})
		must(w.Next(t.Context()))
		hang := make(chan struct{})
		d.set(func(d *device) { d.hang = hang })
		var err error
		for err == nil {
			_, err = w.Next(t.Context())
		}
		wantError(t, err, camera.Unreadable, "driver hangs (2 calls")
		if s := log.states(); s[len(s)-1] != camera.GaveUp {
			t.Errorf("%v", s)
		}
		if _, again := w.Next(t.Context()); !errors.Is(again, err) {
			t.Errorf("then %v", again)
		}
		w.Close()
		close(hang)
	})
}

// Close while a driver hangs takes CloseWait and no longer.
func TestCloseWhileTheDriverHangs(t *testing.T) {
	film()
	synctest.Test(t, func(t *testing.T) {
		d := &device{}
		w, _ := watched(t, d, camera.WatchOptions{})
		must(w.Next(t.Context()))
		hang := make(chan struct{})
		d.set(func(d *device) { d.hang = hang })
		time.Sleep(time.Second)
		began := time.Now()
		w.Close()
		if took := time.Since(began); took != 2*time.Second {
			t.Errorf("Close took %v", took)
		}
		if c := w.Counts(); c.Abandoned != 1 {
			t.Errorf("%+v", c)
		}
		close(hang)
	})
}

func TestOpeningThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &device{hangOpen: make(chan struct{})}
		_, err := camera.Watch(t.Context(), d.open, camera.WatchOptions{OpenWait: 3 * time.Second})
		wantError(t, err, camera.Unreadable, "does not answer within 3s")

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := camera.Watch(ctx, d.open, camera.WatchOptions{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the context's error", err)
		}
		close(d.hangOpen)
		synctest.Wait()
		if d.opens.Load() != d.closes.Load() {
			t.Errorf("%d openings, %d closings", d.opens.Load(), d.closes.Load())
		}
	})
}

// A camera that comes and dies at once is not asked ever faster.
func TestCameraThatDiesAtOnce(t *testing.T) {
	film()
	synctest.Test(t, func(t *testing.T) {
		d := &device{}
		w, _ := watched(t, d, camera.WatchOptions{})
		d.set(func(d *device) { d.grabErr = io.EOF })
		time.Sleep(time.Minute)
		// 0.2 + 0.4 + 0.8 + 1.6 + 3.2 s, and then every 5 s.
		if n := d.opens.Load(); n < 12 || n > 18 {
			t.Errorf("opened %d times in a minute", n)
		}
		w.Close()
		if d.opens.Load() != d.closes.Load() {
			t.Errorf("%d openings, %d closings", d.opens.Load(), d.closes.Load())
		}
	})
}

// A picture that stands still to the last bit is no camera any more.
func TestFrozenPicture(t *testing.T) {
	film()
	synctest.Test(t, func(t *testing.T) {
		d := &device{}
		w, log := watched(t, d, camera.WatchOptions{})
		d.set(func(d *device) { d.same = true })
		time.Sleep(10 * time.Second)
		d.set(func(d *device) { d.same = false })
		time.Sleep(5 * time.Second)
		wantStates(t, log, camera.Connected, camera.Frozen, camera.Moving)
		w.Close()
	})
}

// The device's clock is followed where it makes sense and left where it jumps.
func TestDeviceClock(t *testing.T) {
	film()
	synctest.Test(t, func(t *testing.T) {
		d := &device{clock: 1e6 * time.Hour}
		w, _ := watched(t, d, camera.WatchOptions{Ring: 64})
		if f := must(w.Next(t.Context())); f.Time != 0 {
			t.Errorf("the first frame is at %v", f.Time)
		}
		d.set(func(d *device) { d.clock += 20 * time.Millisecond }) // delivered late before, in time now
		for range 5 {
			w.Next(t.Context())
		}
		f := must(w.Next(t.Context()))
		if f.Time != 620*time.Millisecond {
			t.Errorf("frame %d is at %v, want 620 ms", f.Index, f.Time)
		}
		d.set(func(d *device) { d.clock = -5 * time.Hour })
		for last := f.Time; last < 3*time.Second; {
			g := must(w.Next(t.Context()))
			if g.Time <= last || g.Time > last+200*time.Millisecond {
				t.Errorf("%v after %v", g.Time, last)
			}
			last = g.Time
		}
		w.Close()
	})
}

// Whatever a device does, frames come in order, times grow, every opening is
// closed, and Close ends.
func TestWatchAnyEvents(t *testing.T) {
	film()
	rapid.Check(t, func(rt *rapid.T) {
		events := rapid.SliceOfN(rapid.IntRange(0, 6), 1, 12).Draw(rt, "events")
		waits := rapid.SliceOfN(rapid.IntRange(1, 4000), len(events), len(events)).Draw(rt, "milliseconds")
		reads := rapid.IntRange(0, 5).Draw(rt, "reads")
		synctest.Test(t, func(t *testing.T) {
			d := &device{}
			w, log := watched(t, d, camera.WatchOptions{MaxAbandoned: 100})
			var hangs []chan struct{}
			index, last := -1, time.Duration(-1)
			for i, e := range events {
				d.set(func(d *device) {
					switch e {
					case 0:
						d.silent = !d.silent
					case 1:
						d.openErr = errors.New("no")
					case 2:
						d.openErr, d.grabErr, d.silent, d.hang = nil, nil, false, nil
					case 3:
						d.grabErr = io.EOF
					case 4:
						d.hang = make(chan struct{})
						hangs = append(hangs, d.hang)
					case 5:
						d.clock += time.Duration(waits[i]) * time.Hour
					case 6:
						d.every = time.Duration(waits[i]) * time.Millisecond
					}
				})
				time.Sleep(time.Duration(waits[i]) * time.Millisecond)
				for range reads {
					ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
					f, err := w.Next(ctx)
					cancel()
					if err != nil {
						break
					}
					if f.Index != index+1+f.Dropped || f.Time <= last {
						rt.Errorf("frame %d (%d dropped) at %v after %d at %v", f.Index, f.Dropped, f.Time, index, last)
					}
					index, last = f.Index, f.Time
				}
			}
			w.Close()
			for _, h := range hangs {
				close(h)
			}
			synctest.Wait()
			if c := w.Counts(); c.Abandoned != 0 {
				rt.Errorf("%+v", c)
			}
			failed := 0
			for _, s := range log.list() {
				if s.State == camera.Retrying {
					failed++
				}
			}
			if open := int(d.opens.Load()) - int(d.closes.Load()); open < 0 || open > failed+1 {
				rt.Errorf("%d openings, %d closings, %d failed", d.opens.Load(), d.closes.Load(), failed)
			}
		})
	})
}

// A camera all of whose frames are damaged is as good as silent: a judge who
// deals under it must hear of it.
func TestOnlyDamagedFramesIsLost(t *testing.T) {
	film()
	synctest.Test(t, func(t *testing.T) {
		d := &device{}
		w, log := watched(t, d, camera.WatchOptions{})
		var whole atomic.Int32
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for {
				if _, err := w.Next(context.Background()); err != nil {
					return
				}
				whole.Add(1)
			}
		}()
		time.Sleep(3 * time.Second)
		d.set(func(d *device) { d.broken = true })
		time.Sleep(1500 * time.Millisecond) // a second and a half is a disturbance
		wantStates(t, log, camera.Connected)
		d.set(func(d *device) { d.broken = false })
		time.Sleep(3 * time.Second)
		wantStates(t, log, camera.Connected)
		d.set(func(d *device) { d.broken = true })
		time.Sleep(4500 * time.Millisecond)
		all := log.states()
		if len(all) < 2 || all[1] != camera.Lost || !strings.Contains(log.text(), "none of them is whole") {
			t.Errorf("%s", log.text())
		}
		before := whole.Load()
		d.set(func(d *device) { d.broken = false })
		time.Sleep(10 * time.Second)
		if all := log.states(); all[len(all)-1] != camera.Reconnected || whole.Load() <= before {
			t.Errorf("%d whole frames, %d before\n%s", whole.Load(), before, log.text())
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		<-ended
	})
}
