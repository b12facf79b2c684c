package battery

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
)

// DefaultDraws is the size of a null table. The combined score divides p-values by weights of a few
// hundredths, so it needs p-values far below the level asked for: about 10/(level x weight) draws,
// 10^5 for 1%. With 499 draws its power on hidden weaves drops fivefold.
const DefaultDraws = 100_000

// chunk is the number of draws that share a random stream. Streams are numbered, so a table is the
// same whatever number of goroutines makes it.
const chunk = 2048

// Table is the law of every statistic, and of the combined scores, over random orders of one deck.
type Table struct {
	b     *Battery
	draws int
	stat  [NumStats]tail

	weights  Weights
	families [NumFamilies]scores
	overall  scores
}

// tail is the upper tail of one statistic by code.
type tail struct {
	low   int       // smallest code drawn
	count []uint32  // count[c-low]: draws with code c or more
	part  []float32 // weight / p by code
}

// NullOptions says how to make a Table. The zero value is the default.
type NullOptions struct {
	Draws   int    // random orders; 0 means DefaultDraws
	Seed    uint64 // seed of the random streams
	Workers int    // goroutines; 0 means one per processor
}

// NewTable draws orders from a null law and evaluates them.
func (b *Battery) NewTable(ctx context.Context, null Null, w Weights, opt NullOptions) (*Table, error) {
	if null.Riffles < 0 || null.Riffles > MaxRiffles {
		return nil, fmt.Errorf("null law of %d riffles: need 0 (uniform) to %d", null.Riffles, MaxRiffles)
	}
	if null != (Null{}) && b.before == nil {
		return nil, errors.New("the null law of so many riffles needs the order before")
	}
	draws := opt.Draws
	if draws == 0 {
		draws = DefaultDraws
	}
	if draws < 1 {
		return nil, fmt.Errorf("%d draws: need at least one", draws)
	}
	workers := opt.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var columns [NumStats][]uint16
	for s := range NumStats {
		if b.active[s] {
			columns[s] = make([]uint16, draws)
		}
	}
	jobs := make(chan int)
	var wg sync.WaitGroup
	for range min(workers, (draws+chunk-1)/chunk) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			s := b.NewScratch()
			var codes [lanes]Codes
			var orders [lanes][]uint8
			var out [lanes]*Codes
			for lane := range lanes {
				orders[lane], out[lane] = slices.Clone(b.readings), &codes[lane]
			}
			for c := range jobs {
				r := newRNG(opt.Seed, uint64(c))
				copy(s.draw.order, b.readings)
				end := min((c+1)*chunk, draws)
				for i := c * chunk; i < end; i += lanes {
					drawn := min(lanes, end-i) // a lane without a draw does its last order again
					for lane := range drawn {
						if null == (Null{}) {
							b.fair(&r, s)
						} else {
							b.riffled(null, &r, s)
						}
						copy(orders[lane], s.draw.order)
					}
					b.evaluateTogether(orders, s, out)
					for st := range columns {
						if col := columns[st]; col != nil {
							for lane := range drawn {
								col[i+lane] = codes[lane][st]
							}
						}
					}
				}
			}
		}()
	}
	var err error
	for c := 0; c*chunk < draws && err == nil; c++ {
		select {
		case jobs <- c:
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	close(jobs)
	wg.Wait()
	if err != nil {
		return nil, err
	}
	t := &Table{b: b, draws: draws, weights: w.restrict(b)}
	t.build(&columns)
	return t, nil
}

func (t *Table) build(columns *[NumStats][]uint16) {
	for s, col := range columns {
		if col != nil {
			t.stat[s] = newTail(col, t.weights.Stat[s])
		}
	}
	score := make([]float32, t.draws)
	overall := make([]float32, t.draws)
	for f := range NumFamilies {
		if t.weights.Family[f] == 0 {
			continue
		}
		clear(score)
		for s, col := range columns {
			if col == nil || f != Stat(s).Family() || t.weights.Stat[s] == 0 {
				continue
			}
			low, part := t.stat[s].low, t.stat[s].part
			for i, c := range col {
				score[i] += part[int(c)-low]
			}
		}
		law := newScores(score)
		t.families[f] = law
		wf := float32(t.weights.Family[f]) * float32(t.draws+1)
		for i, v := range score {
			overall[i] = max(overall[i], wf/float32(law.atLeast(v)))
		}
	}
	t.overall = newScores(overall)
}

func newTail(col []uint16, weight float64) tail {
	lo, hi := col[0], col[0]
	for _, c := range col {
		lo, hi = min(lo, c), max(hi, c)
	}
	t := tail{low: int(lo), count: make([]uint32, int(hi)-int(lo)+1), part: make([]float32, int(hi)-int(lo)+1)}
	for _, c := range col {
		t.count[c-lo]++
	}
	var sum uint32
	for i := len(t.count) - 1; i >= 0; i-- {
		sum += t.count[i]
		t.count[i] = sum
		t.part[i] = float32(weight * float64(len(col)+1) / float64(sum))
	}
	return t
}

// atLeast is the number of draws with this code or a larger one.
func (t *tail) atLeast(code uint16) int {
	i := int(code) - t.low
	switch {
	case len(t.count) == 0:
		return 0
	case i < 0:
		return int(t.count[0])
	case i >= len(t.count):
		return 0
	}
	return int(t.count[i])
}

// Draws is the number of orders behind the table.
func (t *Table) Draws() int { return t.draws }

// P is the Monte Carlo p-value of one statistic: (1 + draws at least as suspicious) / (1 + draws).
// It is valid at every level (Phipson and Smyth 2010).
func (t *Table) P(s Stat, c Codes) float64 {
	if !t.b.active[s] {
		return 1
	}
	return float64(t.stat[s].atLeast(c[s])+1) / float64(t.draws+1)
}

// Tails gives the shares of draws with at least, and with at most, this code of a statistic.
func (t *Table) Tails(s Stat, c Codes) (upper, lower float64) {
	if !t.b.active[s] {
		return 1, 1
	}
	n := float64(t.draws)
	ge := t.stat[s].atLeast(c[s])
	gt := 0
	if c[s] < 65535 {
		gt = t.stat[s].atLeast(c[s] + 1)
	}
	return float64(ge) / n, 1 - float64(gt)/n
}

// Judgement is what a null table says about one order.
type Judgement struct {
	Stat    [NumStats]float64    // p-value of each statistic; 1 where it is not active
	Family  [NumFamilies]float64 // p-value of each verdict; 1 where the deck allows none
	Overall float64
}

// Judge gives the p-values of an evaluated order.
func (t *Table) Judge(c Codes) Judgement {
	j := Judgement{Overall: 1}
	var over float64
	for f := range NumFamilies {
		j.Family[f] = 1
		if t.weights.Family[f] == 0 {
			continue
		}
		var score float32
		for s := range NumStats {
			if s.Family() == f && t.b.active[s] && t.weights.Stat[s] > 0 {
				score += float32(t.weights.Stat[s] / t.P(s, c))
			}
		}
		j.Family[f] = t.plusOne(t.families[f], score)
		over = max(over, t.weights.Family[f]/j.Family[f])
	}
	for s := range NumStats {
		j.Stat[s] = t.P(s, c)
	}
	if over > 0 {
		j.Overall = t.plusOne(t.overall, float32(over))
	}
	return j
}

func (t *Table) plusOne(law scores, v float32) float64 {
	return float64(law.atLeast(v)+1) / float64(t.draws+1)
}
