package camera

import (
	"context"
	"sync"
	"time"
)

// entry is a frame that waits for its reader.
type entry struct {
	raw   *Raw
	index int // place in the source, the lost ones counted
	at    time.Duration
}

// ring holds the newest few frames between the goroutine that owns a device
// and the reader. A full ring forgets its oldest frame: the reader sees a gap
// in the indices, the device never waits.
type ring struct {
	mu      sync.Mutex
	entries []entry
	size    int
	dropped int   // for want of room
	end     error // set once: nothing more will come
	wake    chan struct{}
}

func newRing(size int) *ring {
	return &ring{size: size, wake: make(chan struct{}, 1)}
}

func (r *ring) push(e entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.end != nil {
		return
	}
	if len(r.entries) == r.size {
		// The frame's memory goes with it.
		copy(r.entries, r.entries[1:])
		r.entries = r.entries[:r.size-1]
		r.dropped++
	}
	r.entries = append(r.entries, e)
	r.signal()
}

// finish makes pop return err: at once where the frames that wait are of no
// more use, otherwise behind them.
func (r *ring) finish(err error, atOnce bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if atOnce {
		clear(r.entries[:cap(r.entries)])
		r.entries = nil
	}
	if r.end == nil || atOnce {
		r.end = err
	}
	r.signal()
}

func (r *ring) signal() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// pop waits for the oldest frame. One goroutine calls it.
func (r *ring) pop(ctx context.Context) (entry, error) {
	for {
		if err := ctx.Err(); err != nil {
			return entry{}, err
		}
		r.mu.Lock()
		if len(r.entries) > 0 {
			e := r.entries[0]
			n := copy(r.entries, r.entries[1:])
			r.entries[n] = entry{}
			r.entries = r.entries[:n]
			r.mu.Unlock()
			return e, nil
		}
		end := r.end
		r.mu.Unlock()
		if end != nil {
			return entry{}, end
		}
		select {
		case <-r.wake:
		case <-ctx.Done():
		}
	}
}

// counts are the frames that wait and those that were dropped.
func (r *ring) counts() (waiting, dropped int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.entries), r.dropped
}
