package check

import (
	"slices"

	"fairdeck/vision/plane"
)

const (
	// usualOf is how many pictures are searched without an idea of where the
	// cards lie, and usualLeast how many of them must agree on it.
	usualOf, usualLeast = 5, 3
	// usualReach is how far corners may be from the median of those that
	// agree, as a part of the card's side: cards put down by hand, not cards
	// thrown about.
	usualReach = 0.08
)

// usualQuads are where the cards of these pictures lie in most of them, in
// frame pixels; nil when they do not lie at the same places. They come from
// the greatest number of pictures of one size with equally many cards.
func usualQuads(pics []picture) []plane.Quad {
	// Pictures by size and number of cards, in the order they come.
	type kind struct{ w, h, cards int }
	var kinds []kind
	groups := map[kind][][]plane.Quad{}
	for i := range pics {
		p := &pics[i]
		if p.err != nil || len(p.cards) == 0 || slices.ContainsFunc(p.cards, func(f found) bool { return f.Unusable != "" }) {
			continue
		}
		var quads []plane.Quad
		for k := range p.cards {
			quads = append(quads, p.cards[k].Corners)
		}
		k := kind{p.source.WidthPx, p.source.HeightPx, len(quads)}
		if groups[k] == nil {
			kinds = append(kinds, k)
		}
		groups[k] = append(groups[k], quads)
	}
	var most [][]plane.Quad
	for _, k := range kinds {
		if len(groups[k]) > len(most) {
			most = groups[k]
		}
	}
	if len(most) < usualLeast {
		return nil
	}
	out := make([]plane.Quad, len(most[0]))
	for c := range out {
		for i := range out[c] {
			var x, y []float64
			for _, quads := range most {
				x, y = append(x, quads[c][i].X), append(y, quads[c][i].Y)
			}
			out[c][i] = plane.Point{X: median(x), Y: median(y)}
		}
	}
	agree := 0
	for _, quads := range most {
		if slices.EqualFunc(out, quads, nearby) {
			agree++
		}
	}
	if agree < usualLeast {
		return nil
	}
	return out
}

// nearby reports whether the corners of two quads lie at the same places.
func nearby(a, b plane.Quad) bool {
	reach := usualReach * areaScale(b, 1)
	for i := range a {
		if a[i].Sub(b[i]).Norm() > reach {
			return false
		}
	}
	return true
}
