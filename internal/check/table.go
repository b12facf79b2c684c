package check

import (
	"context"
	"fmt"
	"slices"
	"time"

	"fairdeck/internal/record"
	"fairdeck/vision/camera"
	"fairdeck/vision/settle"
)

// Table keeps what lay in each zone of a pass: backs in one, faces in the
// other, or only one of them.
//
//	camera ──▶ Table.Watch(settler) ──▶ capture
//	                 │ each sighting, by zone
//	                 ▼
//	     Order: the faces alone      OnePass: backs and faces of the same cards
type Table struct {
	o     Options
	zones []*zoneDeal
}

// zoneDeal is what lay in one zone.
type zoneDeal struct {
	name       string
	deal       *Deal
	start, end []time.Duration // of each sighting
	reason     []string        // why it cannot be used; empty: it can
}

// NewTable begins a pass.
func NewTable(o Options) *Table { return &Table{o: o.withDefaults()} }

// Settler is what turns frames into sightings.
type Settler interface {
	Add(ctx context.Context, f *camera.Frame) ([]settle.Event, error)
	Flush(ctx context.Context) ([]settle.Event, error)
}

// Watch is s with every sighting kept.
func (t *Table) Watch(s Settler) Settler { return &watched{s, t} }

type watched struct {
	Settler
	t *Table
}

func (w *watched) Add(ctx context.Context, f *camera.Frame) ([]settle.Event, error) {
	es, err := w.Settler.Add(ctx, f)
	w.t.keep(es)
	return es, err
}

func (w *watched) Flush(ctx context.Context) ([]settle.Event, error) {
	es, err := w.Settler.Flush(ctx)
	w.t.keep(es)
	return es, err
}

func (t *Table) keep(es []settle.Event) {
	for _, e := range es {
		s := e.Sighting
		if s == nil {
			continue
		}
		i := slices.IndexFunc(t.zones, func(z *zoneDeal) bool { return z.name == s.Zone })
		if i < 0 {
			i = len(t.zones)
			t.zones = append(t.zones, &zoneDeal{name: s.Zone, deal: NewDeal(t.o)})
		}
		z := t.zones[i]
		z.start, z.end = append(z.start, s.Start), append(z.end, s.End)
		z.reason = append(z.reason, z.deal.Look(len(z.start), s))
	}
}

// dropSpecks takes out what cannot be a card of this pass: something unusable of
// another size than the cards that lay there, such as a crumb on the bare table
// before the first card.
func (z *zoneDeal) dropSpecks() {
	var scales []float64
	for i := range z.start {
		if z.reason[i] == "" {
			scales = append(scales, z.deal.seen[i].PxPerMM)
		}
	}
	if len(scales) == 0 {
		return
	}
	usual := median(scales)
	var start, end []time.Duration
	var reason []string
	var seen []dealt
	for i := range z.start {
		// The finder scales a card to its own size: one half as large is none.
		if s := z.deal.seen[i].PxPerMM; z.reason[i] != "" && (s < 0.5*usual || s > 2*usual) {
			continue
		}
		start, end, reason, seen = append(start, z.start[i]), append(end, z.end[i]), append(reason, z.reason[i]), append(seen, z.deal.seen[i])
	}
	z.start, z.end, z.reason, z.deal.seen = start, end, reason, seen
}

// faceZone is the zone of the faces: by its name, or the one in which most
// cards lay.
func (t *Table) faceZone() *zoneDeal {
	var best *zoneDeal
	for _, z := range t.zones {
		if z.name == "face" {
			return z
		}
		if best == nil || len(z.start) > len(best.start) {
			best = z
		}
	}
	return best
}

// backAndFace are the zones of the backs and of the faces: by their names; else
// of the two in which most cards lay, the backs are where a card lay first:
// before a one-pass deal the deck lies there. Nil: there is none.
func (t *Table) backAndFace() (back, face *zoneDeal) {
	for _, z := range t.zones {
		switch z.name {
		case backZone:
			back = z
		case "face":
			face = z
		}
	}
	if back != nil || face != nil {
		return back, face
	}
	two := slices.Clone(t.zones)
	slices.SortStableFunc(two, func(a, b *zoneDeal) int { return len(b.start) - len(a.start) })
	switch {
	case len(two) == 0:
		return nil, nil
	case len(two) == 1 || 2*len(two[1].start) < len(two[0].start):
		return two[0], nil
	case two[0].start[0] < two[1].start[0]:
		return two[0], two[1]
	}
	return two[1], two[0]
}

// fronts are the faces of a zone in the order in which they were dealt.
func (z *zoneDeal) fronts() []*front {
	var out []*front
	for i := range z.start {
		f := &front{file: FaceFile(i + 1), unread: z.reason[i]}
		if f.unread == "" {
			t := &z.deal.seen[i]
			f.place = &place{number: i + 1, file: f.file, card: 1, found: t.found}
		}
		out = append(out, f)
	}
	return out
}

// FaceFile is the name of the picture of the face at place n, from 1.
func FaceFile(n int) string { return fmt.Sprintf("faces/%03d.png", n) }

// Order reads the order of the faces that were dealt. The error is ctx's, a
// *[NothingSeenError], or a fault of ours.
func (t *Table) Order(ctx context.Context, pass *record.Capture, f FaceOptions) (*Faced, error) {
	c := newCheck(t.o)
	c.Capture = pass
	z := t.faceZone()
	if z == nil {
		return nil, &NothingSeenError{[]record.Problem{{
			Code: "no-sighting", Text: "no card lay still in view",
			Remedy: "lay the cards down one at a time, and take the hand away for a moment",
		}}}
	}
	z.dropSpecks()
	pass.Sightings, pass.Again = 0, 0
	for _, r := range z.reason {
		if r == "" {
			pass.Sightings++
		} else {
			pass.Again++
		}
	}
	tellPass(c, pass)
	c.Layout = record.Layout{Kind: string(OnePerFrame), By: "user", Text: "The cards were dealt one at a time: the order in which they were seen is the deck's."}
	out, err := learnOrder(ctx, z.fronts(), t.o, f, c)
	if err != nil {
		return nil, err
	}
	orderVerdict(c.Check)
	c.Normalise()
	return out, nil
}
