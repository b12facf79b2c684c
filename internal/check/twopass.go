package check

import (
	"context"
	"fmt"
	"slices"

	"fairdeck/internal/record"
)

// TwoPasses checks backs and faces that come as pictures of two passes over the
// same deck, in the same order, or the faces in the reverse one. Where the
// numbers of cards differ nothing says which back belongs to which face: the
// order is read, and marks and faces are not compared.
func TwoPasses(ctx context.Context, o Options, f FaceOptions, backs, faces []string, reversed bool) (*Whole, error) {
	o = o.withDefaults()
	o.Patterns = backs
	c, e, err := Run(ctx, o)
	if err != nil {
		return nil, err
	}
	side := newCheck(o)
	fo := o
	fo.Patterns = faces
	parts, err := readParts(ctx, fo, side)
	if err != nil {
		return nil, err
	}
	if len(side.Sources) == 0 {
		return nil, &InputError{side.Problems}
	}
	d := draft{Check: c}
	for _, p := range side.Problems {
		p.Sleeve = 0 // places of the faces are not those of sleeves yet
		d.problem(p)
	}
	d.Warnings = append(d.Warnings, side.Warnings...)
	var fronts []*front
	for n := range parts[0].number {
		fr := &front{unread: "no card was seen here"}
		if i := slices.IndexFunc(parts[0].places, func(pl place) bool { return pl.number == n+1 }); i >= 0 {
			fr = newFront(&parts[0].places[i])
		}
		fronts = append(fronts, fr)
	}
	if reversed {
		slices.Reverse(fronts)
	}
	if n := c.Verdict.Count.Sleeves; n == len(fronts) {
		for i, fr := range fronts {
			fr.sleeve = i + 1
		}
	} else {
		d.problem(record.Problem{Code: "passes-differ", Text: fmt.Sprintf("the pictures show %d backs and %d faces: which belong together is not known, and marks were not compared with faces", n, len(fronts)), Remedy: "take the pictures of both sides again, of all cards and in one order"})
	}
	return joinFaces(ctx, &Dealt{Check: c, Evidence: e}, fronts, record.OrderTwoPasses, o, f)
}
