package reference

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"fairdeck/vision/frame"
)

// Deck is what a method compares: views of one size, registered to each other
// and corrected for light.
type Deck struct {
	Views []*frame.Image

	// FloorCodes is the least deviation of a pixel, in 8-bit codes: without
	// one a pixel on which all sleeves happen to agree would make any
	// difference infinite. Zero: 1, the quantisation of the views.
	FloorCodes float64

	// Workers is how many goroutines share the work. Zero: all cores.
	Workers int
}

// Method scores every pixel of every view: row-major, Width x Height of the
// views, 0 and up, higher meaning more unlike the deck. Scores of different
// methods have different units.
type Method interface {
	Name() string
	Scores(ctx context.Context, d Deck) ([][]float32, error)
}

// Methods are the three references, with the golden card given.
func Methods(golden int) []Method { return []Method{GoldenCard{Index: golden}, Variation{}, Robust{}} }

// ninths is the sum of 3 x 3 codes: averaged views stay whole numbers.
const ninths = 9

// work is a Deck made ready: sums over 3 x 3 pixels, three channels
// interleaved, at the rim over the pixels there are, repeated.
type work struct {
	sums    [][]uint16
	width   int
	height  int
	floor   float64 // ninths
	workers int
}

func (d Deck) ready(ctx context.Context, least int) (*work, error) {
	if len(d.Views) < least {
		return nil, fmt.Errorf("reference: %d views where at least %d are compared", len(d.Views), least)
	}
	w := &work{floor: d.FloorCodes * ninths, workers: d.Workers}
	if w.floor == 0 {
		w.floor = ninths
	}
	if w.workers == 0 {
		w.workers = runtime.GOMAXPROCS(0)
	}
	for i, v := range d.Views {
		if v.Empty() || !v.Valid() {
			return nil, fmt.Errorf("reference: view %d has no pixels", i)
		}
		if i == 0 {
			w.width, w.height = v.Width, v.Height
		} else if v.Width != w.width || v.Height != w.height {
			return nil, fmt.Errorf("reference: view %d is %d x %d pixels, the first %d x %d", i, v.Width, v.Height, w.width, w.height)
		}
	}
	w.sums = make([][]uint16, len(d.Views))
	err := w.each(ctx, len(d.Views), func(i int) { w.sums[i] = average(d.Views[i]) })
	return w, err
}

func average(m *frame.Image) []uint16 {
	out := make([]uint16, 3*m.Width*m.Height)
	wide := make([]uint16, 3*m.Width)
	for y := range m.Height {
		a, b, c := m.Row(max(0, y-1)), m.Row(y), m.Row(min(m.Height-1, y+1))
		for i := range wide {
			wide[i] = uint16(a[i]) + uint16(b[i]) + uint16(c[i])
		}
		row := out[3*y*m.Width:][:3*m.Width]
		last := 3 * (m.Width - 1)
		for i := range row {
			x := i - i%3
			row[i] = wide[max(0, x-3)+i%3] + wide[i] + wide[min(last, x+3)+i%3]
		}
	}
	return out
}

// each runs do for 0 to n-1 on the workers.
func (w *work) each(ctx context.Context, n int, do func(i int)) error {
	var wg sync.WaitGroup
	next := make(chan int)
	for range min(n, w.workers) {
		wg.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	for i := range n {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	wg.Wait()
	return ctx.Err()
}

// score fills one map per view from a function of a view's row.
func (w *work) score(ctx context.Context, row func(view, y int, out []float32)) ([][]float32, error) {
	out := make([][]float32, len(w.sums))
	err := w.each(ctx, len(w.sums), func(k int) {
		out[k] = make([]float32, w.width*w.height)
		for y := range w.height {
			row(k, y, out[k][y*w.width:][:w.width])
		}
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}
