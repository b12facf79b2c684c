package randomness

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"fairdeck/randomness/simulate"
	"gonum.org/v1/gonum/stat/distuv"
)

// PowerRequest asks how surely a poor shuffle would be noticed in a deck.
type PowerRequest struct {
	Deck    Deck
	Classes Classes        // classes of faces; they win over those of Deck
	Model   simulate.Model // what is done to the deck
	Trials  int            // simulated decks; 0 means 2,000
	// Start is the order before; nil lets the deck start in a random order that the seed fixes, or,
	// with Sorted, as its list names it.
	Start  *Order
	Sorted bool
	// Blind judges the order after without the one before, as at a usual deck check.
	Blind bool
}

// Power is the answer: shares of the simulated decks, with 95% intervals.
type Power struct {
	Model        string  `json:"model"`
	Trials       int     `json:"trials"`
	Questionable float64 `json:"questionable"` // share called questionable or insufficient
	Insufficient float64 `json:"insufficient"` // share called insufficient
	// The intervals are those of Clopper and Pearson (1934), exact for any share.
	QuestionableInterval [2]float64 `json:"questionable_interval"`
	InsufficientInterval [2]float64 `json:"insufficient_interval"`
	// UniformQuestionable is the share that would be questionable or worse if only "uniformly
	// random" counted as fair.
	UniformQuestionable float64 `json:"uniform_questionable"`
}

const defaultTrials = 2000

// ErrNoClass is returned for a shuffle that moves one class of cards in a deck of one class or none.
var ErrNoClass = errors.New("weave, clump and stack move the cards of one class; give the deck at least two, as in land:24x1,spell:4x9")

// marked is the class that order-aware models move: that of the first line that has one.
func (d Deck) marked() string {
	for _, l := range d.Lines {
		if l.Class != "" {
			return l.Class
		}
	}
	return ""
}

// Power simulates decks and judges them.
func (s *Scorer) Power(ctx context.Context, req PowerRequest) (Power, error) {
	trials := req.Trials
	if trials == 0 {
		trials = defaultTrials
	}
	if trials < 1 {
		return Power{}, fmt.Errorf("%d trials: need at least one", trials)
	}
	start := req.Deck.Order()
	if req.Start != nil {
		start = *req.Start
	} else if !req.Sorted {
		rng := simulate.NewRand(s.opt.Seed, 0x57a27)
		rng.Shuffle(len(start.Cards), func(i, j int) { start.Cards[i], start.Cards[j] = start.Cards[j], start.Cards[i] })
	}
	classes := Classes{}
	for f, k := range req.Deck.Classes() {
		classes[f] = k
	}
	for f, k := range req.Classes {
		classes[f] = k
	}
	before := &start
	if req.Blind {
		before = nil
	}
	// The canonical direction of encode depends on the order before alone, so one coding serves
	// every trial.
	c := encode(before, start, classes)
	t, err := s.tables(ctx, c.spec)
	if errors.Is(err, ErrTooFew) {
		return Power{}, fmt.Errorf("%w: %s", ErrTooFew, tooLittle(Request{Before: before, After: start}, c))
	}
	if err != nil {
		return Power{}, err
	}
	kind := req.Deck.marked()
	if k := mainClass(c); kind == "" && k >= 0 {
		kind = c.classes[k]
	}
	n := len(start.Cards)
	marked := make([]bool, n)
	for i, card := range start.Cards {
		marked[i] = kind != "" && classes[card.Face] == kind
	}
	if simulate.NeedsClass(req.Model) && (!slices.Contains(marked, true) || !slices.Contains(marked, false)) {
		return Power{}, fmt.Errorf("%s: %w", req.Model, ErrNoClass)
	}
	code := map[string]uint8{}
	for i, f := range c.faces {
		code[f] = uint8(i)
	}
	const chunk = 128
	type tally struct{ q, i, u int }
	results := make([]tally, (trials+chunk-1)/chunk)
	jobs := make(chan int)
	errs := make(chan error, 1)
	var wg sync.WaitGroup
	workers := s.opt.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	for range min(workers, len(results)) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			scratch := t.b.NewScratch()
			deck, after := make([]int, n), make([]uint8, n)
			for k := range jobs {
				rng := simulate.NewRand(s.opt.Seed+0x9047, uint64(k))
				for range min(chunk, trials-k*chunk) {
					for i := range deck {
						deck[i] = i
					}
					req.Model.Shuffle(rng, deck, marked)
					for i, card := range deck {
						at := i
						if c.turned {
							at = n - 1 - i
						}
						after[at] = code[start.Cards[card].Face]
					}
					j, err := t.judge(after, scratch)
					if err != nil {
						select {
						case errs <- err:
						default:
						}
						continue
					}
					if j.p <= s.opt.Questionable {
						results[k].q++
					}
					if j.p <= s.opt.Insufficient {
						results[k].i++
					}
					if j.uniform.Overall <= s.opt.Questionable {
						results[k].u++
					}
				}
			}
		}()
	}
	for k := 0; k < len(results) && ctx.Err() == nil; k++ {
		jobs <- k
	}
	close(jobs)
	wg.Wait()
	select {
	case err := <-errs:
		return Power{}, err
	default:
	}
	if err := ctx.Err(); err != nil {
		return Power{}, err
	}
	var sum tally
	for _, r := range results {
		sum.q, sum.i, sum.u = sum.q+r.q, sum.i+r.i, sum.u+r.u
	}
	p := Power{Model: req.Model.String(), Trials: trials}
	share := func(k int) float64 { return float64(k) / float64(trials) }
	p.Questionable, p.Insufficient, p.UniformQuestionable = share(sum.q), share(sum.i), share(sum.u)
	p.QuestionableInterval, p.InsufficientInterval = interval(sum.q, trials), interval(sum.i, trials)
	return p, nil
}

// interval is the 95% interval of Clopper and Pearson for a share k/n: its ends are quantiles of beta laws.
func interval(k, n int) [2]float64 {
	const tail = .025
	out := [2]float64{0, 1}
	if k > 0 {
		out[0] = distuv.Beta{Alpha: float64(k), Beta: float64(n - k + 1)}.Quantile(tail)
	}
	if k < n {
		out[1] = distuv.Beta{Alpha: float64(k + 1), Beta: float64(n - k)}.Quantile(1 - tail)
	}
	return out
}
