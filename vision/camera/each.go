package camera

import (
	"context"
	"sync"
	"time"
)

// budgetPixels bounds what is decoded at one time over all workers: one
// picture of the largest size, or a dozen of 8 million pixels (360 MB).
const budgetPixels = MaxPixels

// Each reads every picture and calls fn with it, from up to workers (at least
// one) goroutines at once. Pictures are begun in order; Frame.Index says
// which one fn was given, so that a caller keeps results in order by index.
// Exactly one of f and err is set; err is an *[Error] and does not end the
// run. decode is the time that decoding alone took.
//
// fn must be done with the pixels when it returns: the memory of all frames
// in flight is bounded by counting on that. Each returns ctx's error when it
// was stopped, or the first error of fn, which also stops it.
func (s *Files) Each(ctx context.Context, workers int, fn func(index int, f *Frame, decode time.Duration, err error) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	b := newBudget(budgetPixels)
	next := make(chan int)
	var wg sync.WaitGroup
	for range max(1, workers) {
		wg.Go(func() {
			for i := range next {
				f, took, err := read(ctx, s.Paths[i], b)
				pixels := 0
				if f != nil {
					f.Index, pixels = i, f.Image.Width*f.Image.Height
				}
				if ctx.Err() == nil {
					if err := fn(i, f, took, err); err != nil {
						cancel(err)
					}
				}
				b.release(pixels)
			}
		})
	}
feed:
	for i := range s.Paths {
		select {
		case next <- i:
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	wg.Wait()
	return context.Cause(ctx)
}

// budget hands out a bounded number of pixels.
type budget struct {
	mu   sync.Mutex
	free int
	wake chan struct{} // closed and replaced at each release
}

func newBudget(pixels int) *budget { return &budget{free: pixels, wake: make(chan struct{})} }

func (b *budget) acquire(ctx context.Context, n int) error {
	for {
		b.mu.Lock()
		if n <= b.free {
			b.free -= n
			b.mu.Unlock()
			return nil
		}
		wake := b.wake
		b.mu.Unlock()
		select {
		case <-wake:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (b *budget) release(n int) {
	if n == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.free += n
	close(b.wake)
	b.wake = make(chan struct{})
}
