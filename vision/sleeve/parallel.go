package sleeve

import (
	"runtime"
	"sync"
)

// parallel runs f(0) to f(n-1) on the deck's workers and returns the error of
// the lowest index, or the context's. Results must not depend on the order.
func (d *deck) parallel(n int, f func(i int) error) error {
	workers := d.opt.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = min(workers, n)
	errs := make([]error, n)
	var next int
	var mu sync.Mutex
	take := func() int {
		mu.Lock()
		defer mu.Unlock()
		i := next
		next++
		return i
	}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := take(); i < n; i = take() {
				if d.ctx.Err() != nil {
					return
				}
				errs[i] = f(i)
			}
		})
	}
	wg.Wait()
	if err := d.ctx.Err(); err != nil {
		return err
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
