package randomness

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"fairdeck/randomness/battery"
)

// Options tune a Scorer. The zero value is the default.
type Options struct {
	Draws        int     // orders in a null table; 0 means 100,000
	Seed         uint64  // seed of all random streams; the same request and seed give the same verdict
	Workers      int     // goroutines; 0 means one per processor
	Riffles      int     // the honest shuffle of the second null; 0 means 7
	Questionable float64 // level; 0 means 0.01
	Insufficient float64 // level; 0 means 0.001
	Completions  int     // completions of uncertain readings; 0 means 40, negative means none
	CacheSize    int     // null tables kept; 0 means 16
}

func (o Options) withDefaults() Options {
	def := func(v *float64, d float64) {
		if *v <= 0 {
			*v = d
		}
	}
	def(&o.Questionable, .01)
	def(&o.Insufficient, .001)
	if o.Draws == 0 {
		o.Draws = battery.DefaultDraws
	}
	if o.Riffles == 0 {
		o.Riffles = 7
	}
	if o.Completions == 0 {
		o.Completions = 40
	}
	if o.CacheSize == 0 {
		o.CacheSize = 16
	}
	return o
}

// Effective is the options with every default filled in.
func (o Options) Effective() Options { return o.withDefaults() }

func (o Options) level(p float64) Level {
	o = o.withDefaults()
	switch {
	case p <= o.Insufficient:
		return Insufficient
	case p <= o.Questionable:
		return Questionable
	}
	return Sufficient
}

// Request asks for a score.
type Request struct {
	Before  *Order  // the order before the shuffle; nil at a usual deck check
	After   Order   // the order to judge
	Deck    *Deck   // the registered deck, to check the cards against and for classes; may be nil
	Classes Classes // classes of faces; they win over those of Deck
	// Looks is how often this deck's order was looked at in this check, the worst one being
	// reported; 0 means once. The p-value is multiplied by it.
	Looks int
}

// Scorer scores orders. It keeps null tables of decks it has seen and is safe for concurrent use.
type Scorer struct {
	opt Options

	mu    sync.Mutex
	cache map[string]*tables
	age   []string // keys, oldest first
}

// tables are the null laws of one deck.
type tables struct {
	once    sync.Once
	err     error
	b       *battery.Battery
	uniform *battery.Table
	riffled *battery.Table // nil without an order before

	lawsOnce sync.Once
	laws     []Count // laws of the plain counts; what is observed belongs to one order and is filled in later
}

// NewScorer returns a Scorer.
func NewScorer(opt Options) *Scorer {
	return &Scorer{opt: opt.withDefaults(), cache: map[string]*tables{}}
}

func (s *Scorer) tables(ctx context.Context, spec battery.Spec) (*tables, error) {
	key := fmt.Sprintf("%x|%x|%x", spec.Before, spec.Readings, spec.Class)
	s.mu.Lock()
	t := s.cache[key]
	if t == nil {
		t = &tables{}
		s.cache[key] = t
		s.age = append(s.age, key)
		if len(s.age) > s.opt.CacheSize {
			delete(s.cache, s.age[0])
			s.age = s.age[1:]
		}
	}
	s.mu.Unlock()
	t.once.Do(func() { t.err = s.build(ctx, spec, t) })
	if t.err != nil {
		s.mu.Lock()
		if s.cache[key] == t { // a cancelled build must not poison the cache
			delete(s.cache, key)
			for i, k := range s.age {
				if k == key {
					s.age = append(s.age[:i:i], s.age[i+1:]...)
					break
				}
			}
		}
		s.mu.Unlock()
		if errors.Is(t.err, context.Canceled) || errors.Is(t.err, context.DeadlineExceeded) {
			if ctx.Err() == nil { // somebody else gave up on the table that this call waited for
				return s.tables(ctx, spec)
			}
		}
	}
	return t, t.err
}

func (s *Scorer) build(ctx context.Context, spec battery.Spec, t *tables) error {
	b, err := battery.New(spec)
	if err != nil {
		return err
	}
	t.b = b
	w := battery.DefaultWeights(spec.Before == nil || b.Distinct())
	opt := battery.NullOptions{Draws: s.opt.Draws, Seed: s.opt.Seed, Workers: s.opt.Workers}
	if t.uniform, err = b.NewTable(ctx, battery.Null{}, w, opt); err != nil {
		return err
	}
	if spec.Before != nil {
		t.riffled, err = b.NewTable(ctx, battery.Null{Riffles: s.opt.Riffles}, w, opt)
	}
	return err
}

// counts gives the plain counts of an order with their laws, which depend on the deck alone.
func (t *tables) counts(c coded, o Options) []Count {
	t.lawsOnce.Do(func() { t.laws = laws(c, o.Seed, o.Draws) })
	out := slices.Clone(t.laws)
	for i, k := range counters(c) {
		out[i].Text, out[i].Observed = k.text, k.f(c.after) // the text names classes, and a table serves every deck of its shape
	}
	return out
}

// judged is what the tables say about one order.
type judged struct {
	codes   battery.Codes
	uniform battery.Judgement
	riffled *battery.Judgement
	p       float64 // the larger overall p
}

func (t *tables) judge(after []uint8, scratch *battery.Scratch) (judged, error) {
	codes, err := t.b.Codes(after, scratch)
	if err != nil {
		return judged{}, err
	}
	j := judged{codes: codes, uniform: t.uniform.Judge(codes)}
	j.p = j.uniform.Overall
	if t.riffled != nil {
		r := t.riffled.Judge(codes)
		j.riffled = &r
		j.p = max(j.p, r.Overall)
	}
	return j, nil
}

// stat is the larger p-value of a statistic.
func (j judged) stat(s battery.Stat) float64 {
	p := j.uniform.Stat[s]
	if j.riffled != nil {
		p = max(p, j.riffled.Stat[s])
	}
	return p
}

// Score judges an order. Orders that do not hold the cards they should give a *MismatchError. Too
// few cards give a verdict of level Undecided, not an error.
func (s *Scorer) Score(ctx context.Context, req Request) (Verdict, error) {
	if err := ctx.Err(); err != nil { // where the tables exist already, nothing below would notice
		return Verdict{}, err
	}
	if req.Before != nil {
		if err := (Pair{*req.Before, req.After}).Check(); err != nil {
			return Verdict{}, err
		}
	}
	if req.Deck != nil {
		if err := checkDeck(*req.Deck, req.After); err != nil {
			return Verdict{}, err
		}
	}
	classes := Classes{}
	if req.Deck != nil {
		for f, k := range req.Deck.Classes() {
			classes[f] = k
		}
	}
	for f, k := range req.Classes {
		classes[f] = k
	}
	c := encode(req.Before, req.After, classes)
	v := Verdict{Cards: req.After.Len(), Faces: len(c.faces), Gaps: req.After.Gaps(), Looks: max(req.Looks, 1), Evidence: 1, P: 1, Level: Undecided,
		Findings: []Finding{}, Warnings: []Warning{}}
	t, err := s.tables(ctx, c.spec)
	if errors.Is(err, battery.ErrTooFew) {
		v.Sentence = "There is too little to look at to judge this order."
		v.Warnings = append(v.Warnings, Warning{"few-cards", tooLittle(req, c)})
		return v, nil
	}
	if err != nil {
		return Verdict{}, err
	}
	scratch := t.b.NewScratch()
	j, err := t.judge(c.after, scratch)
	if err != nil {
		return Verdict{}, err
	}
	v.P = min(1, j.p*float64(v.Looks))
	v.Level = s.opt.level(v.P)
	v.Results = []NullResult{result(0, j.uniform, s.opt.Draws)}
	if j.riffled != nil {
		v.Results = append(v.Results, result(s.opt.Riffles, *j.riffled, s.opt.Draws))
	}
	v.Evidence = EValue(j.p)
	v.Effects = effects(c.spec.Before, c.after)
	v.Stats = map[string]float64{}
	for st := range battery.NumStats {
		if t.b.Active(st) {
			v.Stats[st.String()] = j.stat(st)
		}
	}
	v.Counts = t.counts(c, s.opt)
	if c.spec.Before != nil {
		readable := 0
		for _, p := range matchInOrder(c.spec.Before, c.after) {
			if p >= 0 {
				readable++
			}
		}
		if t.b.Active(battery.Rising) {
			if v.Riffles, err = s.estimateRiffles(ctx, t.b, j.codes, v.Effects.RisingSequences, readable); err != nil {
				return Verdict{}, err
			}
			if t.b.Distinct() {
				v.RiffleEvidence = riffleEvidence(readable, v.Effects.RisingSequences)
			} else if g, places := groupedStart(c.spec.Before, c.after); g != nil {
				r := v.Riffles
				if r.Best, v.RiffleEvidence, err = groupedLikelihood(g, places); err != nil {
					return Verdict{}, err
				}
				r.Low, r.High = min(r.Low, r.Best), max(r.High, r.Best)
			}
		}
	}
	if v.Range, err = s.completions(ctx, req, classes); err != nil {
		return Verdict{}, err
	}
	v.Findings = s.findings(c, j, v)
	v.Warnings = append(v.Warnings, s.warnings(req, c, j, v)...)
	v.Sentence = sentence(v, s.opt)
	v.Plots = plotData(req, c, classes)
	return v, nil
}

func result(riffles int, j battery.Judgement, draws int) NullResult {
	return NullResult{Riffles: riffles, Overall: j.Overall, Memory: j.Family[battery.Memory], Arrangement: j.Family[battery.Arrangement], Draws: draws}
}

// SeriesVerdict is the answer for several shuffles of one deck.
type SeriesVerdict struct {
	Steps    []Verdict `json:"steps"`      // each shuffle against the order before it
	FromHere []Verdict `json:"from_start"` // the order after each shuffle against the very first order
	Evidence Evidence  `json:"evidence"`   // the steps together
	Sentence string    `json:"sentence"`
}

// Series scores every step, every order against the first one, and adds the evidence of the steps up.
func (s *Scorer) Series(ctx context.Context, series Series, classes Classes) (SeriesVerdict, error) {
	if len(series.Orders) < 2 {
		return SeriesVerdict{}, fmt.Errorf("series of %d orders: need an order before and one after", len(series.Orders))
	}
	var out SeriesVerdict
	var values []float64
	for i, p := range series.Pairs() {
		v, err := s.Score(ctx, Request{Before: &p.Before, After: p.After, Classes: classes})
		if err != nil {
			return SeriesVerdict{}, fmt.Errorf("shuffle %d: %w", i+1, err)
		}
		out.Steps = append(out.Steps, v)
		values = append(values, v.Evidence)
		v, err = s.Score(ctx, Request{Before: &series.Orders[0], After: p.After, Classes: classes})
		if err != nil {
			return SeriesVerdict{}, fmt.Errorf("start to shuffle %d: %w", i+1, err)
		}
		out.FromHere = append(out.FromHere, v)
	}
	out.Evidence = s.opt.Combine(values)
	out.Sentence = fmt.Sprintf("%d shuffles together: evidence %s to 1 against fair shuffling, which fair shuffling reaches %s.",
		len(values), number(out.Evidence.Product), atMostOneIn(out.Evidence.P))
	if out.Evidence.P >= .5 {
		out.Sentence = fmt.Sprintf("%d shuffles together give no evidence against fair shuffling.", len(values))
	}
	return out, nil
}

// number prints evidence without false precision.
func number(v float64) string {
	switch {
	case v >= 1e15:
		return fmt.Sprintf("10^%d", int(math.Log10(v)))
	case v >= 100:
		return thousands(round2(v))
	}
	return fmt.Sprintf("%.1f", v)
}
