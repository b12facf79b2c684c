package camera

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"
)

// direct is a source whose frames wait for their reader: pictures on disk, a
// video. Nothing is dropped but what cannot be decoded, and nothing runs
// between two calls of Next.
type direct struct {
	feed  Feed
	ended context.Context // done once Close was called
	end   context.CancelFunc

	next sync.Mutex // held while Next runs; Close waits for it
	last error      // what Next goes on returning
	idx  int
	lost int

	times timeline

	mu   sync.Mutex
	warn warnings

	once     sync.Once
	closeErr error
}

var _ Source = (*direct)(nil)

// newDirect takes over a feed.
func newDirect(feed Feed) *direct {
	d := &direct{feed: feed}
	d.ended, d.end = context.WithCancel(context.Background())
	return d
}

func (d *direct) Info() Info {
	info := d.feed.Info()
	d.mu.Lock()
	defer d.mu.Unlock()
	info.Warnings = append(info.Warnings[:len(info.Warnings):len(info.Warnings)], d.warn.all()...)
	return info
}

func (d *direct) Next(ctx context.Context) (*Frame, error) {
	d.next.Lock()
	defer d.next.Unlock()
	for {
		switch {
		case d.ended.Err() != nil:
			return nil, ErrClosed
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case d.last != nil:
			return nil, d.last
		}
		raw, err := d.grab(ctx)
		switch {
		case err == nil:
		case d.ended.Err() != nil:
			return nil, ErrClosed
		case ctx.Err() != nil:
			return nil, ctx.Err()
		default:
			d.last = err
			return nil, err
		}
		d.lost += raw.Lost
		name := d.feed.Info().Name
		f, err := raw.decode(name)
		if err != nil {
			d.lost++
			d.warned(err)
			continue
		}
		if d.ended.Err() != nil {
			return nil, ErrClosed
		}
		d.idx += d.lost
		f.Index, f.Dropped = d.idx, d.lost
		d.idx, d.lost = d.idx+1, 0
		f.Time = d.times.at(raw.Clock)
		return f, nil
	}
}

// timeline turns a clock of any zero into times from the first frame on that
// only grow.
type timeline struct {
	started    bool
	base, last time.Duration
}

func (t *timeline) at(clock time.Duration) time.Duration {
	if !t.started {
		t.started, t.base = true, clock
		return 0
	}
	v := clock - t.base
	if v <= t.last {
		// Two frames of one moment, as broken clocks tell it.
		v = t.last + time.Microsecond
	}
	t.last = v
	return v
}

// grab is the feed's, ended by Close too.
func (d *direct) grab(ctx context.Context) (*Raw, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(d.ended, cancel)()
	return d.feed.Grab(ctx)
}

// warned keeps what was wrong with a frame that was left out.
func (d *direct) warned(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.warn.add("left out: %v", err)
}

func (d *direct) Close() error {
	d.once.Do(func() {
		d.end()
		d.next.Lock()
		defer d.next.Unlock()
		d.closeErr = d.feed.Close()
		if errors.Is(d.closeErr, io.EOF) {
			d.closeErr = nil
		}
	})
	return d.closeErr
}
