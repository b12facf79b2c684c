package check

import (
	"context"

	"fairdeck/internal/record"
)

// JointOrders reads the orders of several passes over one deck together, so
// that a face has the same name in all of them: what a shuffle did can be
// seen only then. There is one order for each table, each with the faces of all.
func JointOrders(ctx context.Context, tables []*Table, f FaceOptions) ([]*record.Check, error) {
	var fronts []*front
	var ends []int
	o := Options{}.withDefaults()
	for i, t := range tables {
		if i == 0 {
			o = t.o
		}
		z := t.faceZone()
		if z == nil {
			return nil, &NothingSeenError{[]record.Problem{{
				Code: "no-sighting", Text: "no card lay still in view",
				Remedy: "lay the cards down one at a time, and take the hand away for a moment",
			}}}
		}
		z.dropSpecks()
		fronts = append(fronts, z.fronts()...)
		ends = append(ends, len(fronts))
	}
	all := newCheck(o)
	if _, err := learnOrder(ctx, fronts, o, f, all); err != nil {
		return nil, err
	}
	var out []*record.Check
	from := 0
	for _, to := range ends {
		c := &record.Check{Faces: all.Faces, Order: &record.Order{By: record.OrderFaces}}
		for i, p := range all.Order.Cards[from:to] {
			p.Place = i + 1
			c.Order.Cards = append(c.Order.Cards, p)
		}
		for _, q := range all.Order.Questions {
			// Only that there is a doubt matters here; its places are of all passes.
			if q.Places[0] > from && q.Places[0] <= to || q.Places[1] > from && q.Places[1] <= to {
				c.Order.Questions = append(c.Order.Questions, q)
			}
		}
		out = append(out, c)
		from = to
	}
	return out, nil
}
