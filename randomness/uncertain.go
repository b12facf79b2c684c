package randomness

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sort"

	"fairdeck/randomness/battery"
)

// completions judges plausible completions of uncertain readings. Every reading is believed with
// its confidence; places that are not believed, and gaps, are filled at random with the cards that
// are left of the deck. Each completion is a full order of the same cards and is judged on one null
// table. It returns nil when nothing is uncertain, or when the deck's cards are not known (no order
// before and no deck list).
//
// The headline p-value does not come from here: it permutes the readings as they are, "?" included,
// and is exact as long as reading errors do not depend on the place. The range says how much hangs
// on the places that are not known.
func (s *Scorer) completions(ctx context.Context, req Request, classes Classes) (*Range, error) {
	doubt := req.After.doubtful()
	if req.Before != nil {
		doubt += req.Before.doubtful()
	}
	if doubt == 0 || s.opt.Completions < 0 {
		return nil, nil
	}
	cards, ok := knownCards(req)
	if !ok {
		return nil, nil
	}
	rng := rand.New(rand.NewPCG(s.opt.Seed, 0xf111))
	before := req.Before
	r := &Range{Completions: s.opt.Completions}
	var ps []float64
	if before != nil && before.doubtful() > 0 {
		// Each completion of the order before needs its own null table: only a few are affordable,
		// and each is filled once.
		full := complete(*before, cards, rng)
		before = &full
	}
	for range s.opt.Completions {
		c := encode(before, complete(req.After, cards, rng), classes)
		t, err := s.tables(ctx, c.spec)
		if errors.Is(err, battery.ErrTooFew) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		j, err := t.judge(c.after, t.b.NewScratch())
		if err != nil {
			return nil, err
		}
		ps = append(ps, min(1, j.p*float64(max(req.Looks, 1))))
	}
	sort.Float64s(ps)
	r.LowP, r.HighP = ps[len(ps)/20], ps[len(ps)-1-len(ps)/20]
	r.From, r.To = s.opt.level(r.HighP), s.opt.level(r.LowP)
	return r, nil
}

// knownCards is the full multiset of the deck: from the list, or from an order before or after
// without gaps.
func knownCards(req Request) ([]string, bool) {
	var o Order
	switch {
	case req.Deck != nil:
		o = req.Deck.Order()
	case req.Before != nil && req.Before.doubtful() == 0:
		o = *req.Before
	case req.Before != nil && req.After.doubtful() == 0:
		o = req.After
	default:
		return nil, false
	}
	if o.Len() != req.After.Len() {
		return nil, false
	}
	faces := make([]string, 0, o.Len())
	for _, c := range o.Cards {
		faces = append(faces, c.Face)
	}
	return faces, true
}

// complete fills what is not believed. The result always holds exactly the given cards.
func complete(o Order, cards []string, rng *rand.Rand) Order {
	left := map[string]int{}
	for _, f := range cards {
		left[f]++
	}
	out := Order{Name: o.Name, Cards: make([]Card, len(o.Cards))}
	var open []int
	// A face read more often than the deck holds it was misread somewhere: the surest readings are
	// served first, equal ones in random order.
	order := rng.Perm(len(o.Cards))
	slices.SortStableFunc(order, func(a, b int) int {
		switch x, y := o.Cards[a].sure(), o.Cards[b].sure(); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	for _, i := range order {
		c := o.Cards[i]
		if c.Face != Gap && left[c.Face] > 0 && rng.Float64() < c.sure() {
			left[c.Face]--
			out.Cards[i] = Card{Face: c.Face}
			continue
		}
		open = append(open, i)
	}
	var rest []string
	for _, f := range cards {
		if left[f] > 0 {
			left[f]--
			rest = append(rest, f)
		}
	}
	rng.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	for k, i := range open {
		out.Cards[i] = Card{Face: rest[k]}
	}
	return out
}
