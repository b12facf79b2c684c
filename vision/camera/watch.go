package camera

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"sync"
	"time"
)

// WatchOptions says how a live source is watched over. The zero value is the
// default.
type WatchOptions struct {
	LostAfter time.Duration // silence that counts as lost; 0 means LostTimeout
	// FrozenAfter is for how long every frame may be the same to the last bit
	// before the picture counts as frozen; 0 means 5 s. It is longer than
	// LostAfter because a camera app may rightly send a still picture again.
	FrozenAfter time.Duration

	OpenWait  time.Duration // for opening and the first frame; 0 means 20 s
	CloseWait time.Duration // for a call that hangs in a driver; 0 means 2 s
	Ring      int           // frames that wait for the reader; 0 means 4

	// After a loss: the first wait, which doubles up to the last; 0 means
	// 200 ms and 5 s. Each is varied by a fifth up or down, so that several
	// stations do not ask one camera in step.
	FirstWait, LastWait time.Duration
	// Jitter gives numbers from 0 to below 1; nil means random ones.
	Jitter func() float64

	// MaxAbandoned is how many calls may hang in a driver before the source
	// gives up: each holds a thread and perhaps the device; 0 means 3.
	MaxAbandoned int

	// OnStatus is told of every change, in order, by one goroutine. It must
	// return at once.
	OnStatus func(Status)
}

func (o WatchOptions) withDefaults() WatchOptions {
	def := func(d *time.Duration, v time.Duration) {
		if *d <= 0 {
			*d = v
		}
	}
	def(&o.LostAfter, LostTimeout)
	def(&o.FrozenAfter, 5*time.Second)
	def(&o.OpenWait, 20*time.Second)
	def(&o.CloseWait, 2*time.Second)
	def(&o.FirstWait, 200*time.Millisecond)
	def(&o.LastWait, 5*time.Second)
	if o.Ring <= 0 {
		o.Ring = 4
	}
	if o.MaxAbandoned <= 0 {
		o.MaxAbandoned = 3
	}
	if o.Jitter == nil {
		o.Jitter = rand.Float64
	}
	if o.OnStatus == nil {
		o.OnStatus = func(Status) {}
	}
	return o
}

// Opener opens a device or stream anew and returns when its first frame is
// there. It obeys ctx unless a driver hangs.
type Opener func(ctx context.Context) (Feed, error)

// Watched is a live source that is watched over.
//
//	                       ┌──────────── supervisor ────────────┐
//	                       │ silence, end ─▶ lost ─▶ wait ─▶ open│─▶ Status
//	                       └───────┬─────────────────────────────┘
//	                         opens │ cancels, abandons
//	device ◀─ one goroutine owns ──┘
//	   └─ Grab ─▶ Raw ─▶ ring of a few ─▶ Next: decode ─▶ Frame
//	                       └ full: the oldest is dropped, undecoded
//
// The goroutine that owns the device opens it, grabs from it and closes it,
// and nobody else touches it. When a call hangs in the driver, that goroutine
// is left behind with its handle and counted; should it ever come back, it
// closes the handle and ends. This is the one case in which a goroutine may
// outlive Close.
type Watched struct {
	open Opener
	o    WatchOptions
	life context.Context
	end  context.CancelFunc
	done chan struct{} // the supervisor has ended
	ring *ring

	last int // index of the frame that Next returned last; -1 none

	mu       sync.Mutex
	info     Info
	warn     warnings
	counts   Counts
	started  time.Time // when the first frame came
	lastSeen time.Time // when the newest came
	index    int       // of the next frame
	lastTime time.Duration
	frozen   bool
	broken   time.Time // since when no frame of this connection was whole; zero: the last one was
}

var _ Source = (*Watched)(nil)

// Watch opens a live source and goes on watching over it. ctx bounds the
// opening alone; Close ends the source. Errors are the opener's, ctx's, or a
// *[Error] when the device did not answer.
func Watch(ctx context.Context, open Opener, o WatchOptions) (*Watched, error) {
	w := &Watched{open: open, o: o.withDefaults(), done: make(chan struct{}), last: -1}
	w.ring = newRing(w.o.Ring)
	w.life, w.end = context.WithCancel(context.Background())
	stop := context.AfterFunc(ctx, w.end)
	c, err := w.connect()
	if !stop() || ctx.Err() != nil {
		// ctx ended meanwhile; whatever came of it is closed.
		w.end()
		if c != nil {
			w.leave(c)
		}
		return nil, ctx.Err()
	}
	if err != nil {
		w.end()
		return nil, err
	}
	go w.supervise(c)
	return w, nil
}

// connection is one opening of the device with the goroutine that owns it.
type connection struct {
	cancel context.CancelFunc
	opened chan error    // nil: frames will come
	gone   chan struct{} // the owner has ended and closed the device
	err    error         // why, once gone
	since  time.Time

	abandoned bool // under Watched.mu
}

// connect opens the device in a goroutine of its own and waits for it.
func (w *Watched) connect() (*connection, error) {
	ctx, cancel := context.WithCancel(w.life)
	c := &connection{cancel: cancel, opened: make(chan error, 1), gone: make(chan struct{}), since: time.Now()}
	go w.own(ctx, c)
	timer := time.NewTimer(w.o.OpenWait)
	defer timer.Stop()
	var err error
	select {
	case err = <-c.opened:
		if err == nil {
			return c, nil
		}
	case <-timer.C:
		err = &Error{Path: w.name(), Problem: Unreadable, Text: fmt.Sprintf("the camera does not answer within %v", w.o.OpenWait),
			Remedy: "unplug it and plug it in again, or start its app again"}
	case <-w.life.Done():
		err = ErrClosed
	}
	w.leave(c)
	return nil, err
}

func (w *Watched) name() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.info.Name == "" {
		return "camera"
	}
	return w.info.Name
}

// own is the goroutine that owns a device.
func (w *Watched) own(ctx context.Context, c *connection) {
	var err error
	defer func() {
		w.mu.Lock()
		if c.err = err; c.abandoned {
			w.counts.Abandoned--
		}
		w.mu.Unlock()
		close(c.gone)
	}()
	feed, err := w.open(ctx)
	if err != nil {
		c.opened <- err
		return
	}
	defer func() {
		if cerr := feed.Close(); err == nil {
			err = cerr
		}
	}()
	w.mu.Lock()
	w.info = feed.Info()
	w.lastSeen, w.broken = time.Now(), time.Time{}
	w.mu.Unlock()
	c.opened <- nil
	same := sameness{}
	for {
		var raw *Raw
		if raw, err = feed.Grab(ctx); err != nil {
			return
		}
		if err = ctx.Err(); err != nil {
			return // it was left behind meanwhile
		}
		w.arrived(c, raw, &same)
	}
}

// arrived puts a frame on the ring.
func (w *Watched) arrived(c *connection, raw *Raw, same *sameness) {
	now := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	if c.abandoned {
		return
	}
	if w.started.IsZero() {
		w.started = now
	}
	w.lastSeen = now
	w.counts.Received++
	w.counts.Lost += raw.Lost
	same.see(raw, now)
	if f := now.Sub(same.since) >= w.o.FrozenAfter; f != w.frozen {
		w.frozen = f // the supervisor tells
	}
	w.index += raw.Lost
	at := same.clock.at(raw, now.Sub(w.started))
	if at <= w.lastTime && w.index > 0 {
		at = w.lastTime + time.Microsecond
	}
	w.lastTime = at
	w.ring.push(entry{raw: raw, index: w.index, at: at})
	w.index++
}

// sameness belongs to one connection: when its picture last changed, and how
// its clock goes.
type sameness struct {
	last  uint64
	since time.Time
	clock deviceClock
}

// see compares a frame with the one before. The noise of a sensor makes every
// frame another one; bytes that are all equal are a stream that hangs behind
// its server.
func (s *sameness) see(raw *Raw, now time.Time) {
	// A sum, since the bytes belong to the reader from now on.
	sum := maphash.Bytes(sameSeed, raw.Encoded)
	if s.since.IsZero() || raw.Encoded == nil || sum != s.last {
		s.since = now
	}
	s.last = sum
}

var sameSeed = maphash.MakeSeed()

// deviceClock carries the clock of a device over to the source's time: equal
// at its first frame, and as the device counts from there. Where the two are
// apart by more than maxClockSkew (a device that was reset, or tells
// nonsense), they are set equal again.
type deviceClock struct {
	set    bool
	offset time.Duration
}

// maxClockSkew is above any delay of delivery that a station could work with.
const maxClockSkew = time.Second

func (d *deviceClock) at(raw *Raw, arrival time.Duration) time.Duration {
	if !raw.HasClock {
		return arrival
	}
	at := raw.Clock + d.offset
	if skew := at - arrival; !d.set || skew > maxClockSkew || skew < -maxClockSkew {
		d.set, d.offset = true, arrival-raw.Clock
		return arrival
	}
	return at
}

// leave ends a connection: its owner is asked to, given time, and left behind
// when a driver holds it.
func (w *Watched) leave(c *connection) {
	c.cancel()
	timer := time.NewTimer(w.o.CloseWait)
	defer timer.Stop()
	select {
	case <-c.gone:
		return
	case <-timer.C:
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case <-c.gone:
	default:
		if !c.abandoned {
			c.abandoned = true
			w.counts.Abandoned++
		}
	}
}

// supervise watches a connection, and replaces it when it is lost.
func (w *Watched) supervise(c *connection) {
	defer close(w.done)
	w.tell(Status{State: Connected})
	attempt := 0
	for {
		reason, closed := w.watch(c)
		if closed {
			w.leave(c)
			return
		}
		w.tell(Status{State: Lost, Gap: w.silence(), Reason: reason})
		w.leave(c)
		// A camera that comes and goes at once is not asked ever faster.
		if time.Since(c.since) > w.o.LastWait {
			attempt = 0
		}
		lostAt := w.seen()
		for c = nil; c == nil; {
			if w.tooMany() {
				err := &Error{Path: w.name(), Problem: Unreadable, Text: fmt.Sprintf("the camera's driver hangs (%d calls have not come back)", w.abandoned()),
					Remedy: "unplug the camera and start fairdeck again; what was captured is kept"}
				w.ring.finish(err, false)
				w.tell(Status{State: GaveUp, Reason: err})
				return
			}
			wait := w.backoff(attempt)
			attempt++
			timer := time.NewTimer(wait)
			select {
			case <-timer.C:
			case <-w.life.Done():
				timer.Stop()
				return
			}
			var err error
			if c, err = w.connect(); err != nil {
				if w.life.Err() != nil {
					return
				}
				w.tell(Status{State: Retrying, Gap: w.silence(), Reason: err, Attempt: attempt, Next: w.backoffMean(attempt)})
			}
		}
		w.mu.Lock()
		w.counts.Reconnects++
		w.mu.Unlock()
		w.tell(Status{State: Reconnected, Gap: time.Since(lostAt), Attempt: attempt})
	}
}

// watch returns when a connection is lost, or the source was closed.
func (w *Watched) watch(c *connection) (reason error, closed bool) {
	timer := time.NewTimer(w.o.LostAfter)
	defer timer.Stop()
	frozen := false
	for {
		select {
		case <-c.gone:
			if w.life.Err() != nil {
				return nil, true
			}
			return c.err, false
		case <-w.life.Done():
			return nil, true
		case <-timer.C:
		}
		quiet := w.silence()
		if quiet >= w.o.LostAfter {
			return nil, false
		}
		w.mu.Lock()
		now, broken := w.frozen, w.broken
		w.mu.Unlock()
		if !broken.IsZero() && time.Since(broken) >= w.o.LostAfter {
			// To a person it is as good as silent.
			return &Error{Path: w.name(), Problem: Damaged, Text: "its frames come, and none of them is whole",
				Remedy: "look at its cable or network; set its app to a smaller picture"}, false
		}
		if now != frozen {
			if frozen = now; now {
				w.tell(Status{State: Frozen, Gap: w.o.FrozenAfter})
			} else {
				w.tell(Status{State: Moving})
			}
		}
		timer.Reset(min(w.o.LostAfter-quiet, w.o.LostAfter))
	}
}

func (w *Watched) seen() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lastSeen
}

func (w *Watched) silence() time.Duration { return time.Since(w.seen()) }

func (w *Watched) abandoned() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.counts.Abandoned
}

func (w *Watched) tooMany() bool { return w.abandoned() >= w.o.MaxAbandoned }

func (w *Watched) backoffMean(attempt int) time.Duration {
	wait := w.o.FirstWait
	for range attempt {
		if wait >= w.o.LastWait {
			break
		}
		wait *= 2
	}
	return min(wait, w.o.LastWait)
}

func (w *Watched) backoff(attempt int) time.Duration {
	mean := w.backoffMean(attempt)
	return mean + time.Duration((w.o.Jitter()-0.5)*0.4*float64(mean))
}

func (w *Watched) tell(s Status) {
	w.mu.Lock()
	if !w.started.IsZero() {
		s.At = time.Since(w.started)
	}
	s.Abandoned = w.counts.Abandoned
	w.mu.Unlock()
	w.o.OnStatus(s)
}

// Info implements [Source]. After a reconnection it is that of the new
// connection.
func (w *Watched) Info() Info {
	w.mu.Lock()
	defer w.mu.Unlock()
	info := w.info
	info.Warnings = append(info.Warnings[:len(info.Warnings):len(info.Warnings)], w.warn.all()...)
	return info
}

// Counts says what was received, dropped and lost so far.
func (w *Watched) Counts() Counts {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.counts
	c.Waiting, c.Dropped = w.ring.counts()
	return c
}

// Next implements [Source]. While the camera is lost it waits.
func (w *Watched) Next(ctx context.Context) (*Frame, error) {
	for {
		if w.life.Err() != nil {
			return nil, ErrClosed
		}
		e, err := w.ring.pop(ctx)
		if err != nil {
			return nil, err
		}
		began := time.Now()
		f, err := e.raw.decode(w.name())
		w.mu.Lock()
		w.counts.DecodeNanos += int64(time.Since(began))
		if err != nil {
			w.counts.Damaged++
			if w.broken.IsZero() {
				w.broken = time.Now()
			}
			w.warn.add("frames that are not whole are left out (%v)", reasonOnly(err))
		} else {
			w.broken = time.Time{}
		}
		w.mu.Unlock()
		if err != nil {
			continue
		}
		if w.life.Err() != nil {
			return nil, ErrClosed
		}
		f.Index, f.Time, f.Dropped = e.index, e.at, e.index-w.last-1
		w.last = e.index
		return f, nil
	}
}

// reasonOnly is an error's kind, so that a thousand damaged frames make one
// warning.
func reasonOnly(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return string(e.Problem)
	}
	return err.Error()
}

// Close implements [Source].
func (w *Watched) Close() error {
	w.end()
	w.ring.finish(ErrClosed, true)
	<-w.done
	return nil
}
