package card

import (
	"context"
	"math"

	"fairdeck/vision/frame"
	"fairdeck/vision/plane"
)

// A deck at a fixed station lies at about the same place in frame after
// frame. Most of the time of a search goes into quads of the print within the
// card and of lines that lead past it, which the card itself rules out once
// it is known. So a search with expected quads runs in two rounds:
//
//	quads that may be the expected cards ──weigh, choose──▶ the cards
//	quads that do not reach into those   ──weigh, choose──▶ everything
//
// What else lies in view is found as ever, and the cards are taken to a
// fraction of a pixel as ever. Where an expected card is not found, or not
// clearly, nothing is concluded from that: the frame is searched in full.

const (
	// nearPlace and nearSize are how far a card may be from where it is
	// expected: its corners, as a part of its side, and its side as a ratio.
	// A deck that is squared by hand wanders by some millimetres; the size
	// leaves room for inner frames, which have to compete.
	nearPlace, nearSize = 0.15, 1.08
	// nearValue is what an expected card has to be worth at the least.
	nearValue = 0.6
	// nearAgree is how far a found card's side may be from the expected one,
	// as a ratio: some millimetres of pile make a percent, a seam or a frame
	// taken for the rim makes 3% and more.
	nearAgree = 1.02
)

// expected are the expected cards at one level.
func (l *level) expected(o Options) []hypothesis {
	var out []hypothesis
	for _, q := range o.Near {
		if !q.Convex() {
			continue // nor are infinite ones
		}
		for i := range q {
			q[i] = l.fromFrame(q[i])
		}
		out = append(out, hypothesis{quad: q, open: -1})
	}
	return out
}

// about reports whether a quad may be the expected card.
func about(q, expected plane.Quad) bool {
	side := math.Sqrt(expected.Area())
	r := math.Sqrt(math.Abs(q.Area())) / side
	return r < nearSize && r > 1/nearSize && closerThan(q, expected, nearPlace*side)
}

// searchNear is search for a frame whose cards are expected. It reports
// whether they were found.
func searchNear(ctx context.Context, img *frame.Image, o Options) (look, bool, error) {
	long := searchLongPx
	if scale := float64(max(img.Width, img.Height)) / searchLongPx; scale > 1 {
		hs := (&level{scale: scale}).expected(o)
		if small(hs) {
			// The first look would only say so.
			long *= 2
		}
	}
	l, err := newLevel(img, long)
	if err != nil {
		return look{}, false, err
	}
	out := look{level: l}
	view := newViewer(l.img.Width, l.img.Height, l.scale, o)
	lines := joinSegments(l.segments(8))
	hs, err := l.propose(ctx, lines, view, stationSlack)
	if err != nil {
		return look{}, false, err
	}
	expected := l.expected(o)
	if len(expected) == 0 {
		return look{}, false, nil
	}
	fits := o.fits(l.scale)

	var good []hypothesis
	rest := make([]hypothesis, 0, len(hs))
next:
	for i := range hs {
		for k := range expected {
			if about(hs[i].quad, expected[k].quad) {
				if l.weigh(&hs[i], 1) {
					good = append(good, hs[i])
				}
				continue next
			}
		}
		rest = append(rest, hs[i])
	}
	good = distinct(good)
	chosen, _ := l.chooseWhole(good, fits)
	if !match(chosen, expected) {
		return look{}, false, nil
	}
	found := make([]candidate, len(chosen))
	for i := range chosen {
		found[i] = newCandidate(&chosen[i])
	}
	// More quads are looked at for the sake of other cards only: neither they
	// nor others within the found ones could be chosen beside those.
more:
	for i := range rest {
		c := newCandidate(&rest[i])
		for k := range found {
			if found[k].clashes(&c) {
				continue more
			}
		}
		if l.weigh(&rest[i], 1) {
			good = append(good, rest[i])
		}
	}
	out.good = distinct(good)
	out.chosen, _ = l.chooseWhole(out.good, fits)
	if !match(out.chosen, expected) || !clear(out.chosen) || len(out.chosen) != len(expected) {
		return look{}, false, nil
	}
	// Blocks of smaller cards are left to the search in full, as it would.
	if long == searchLongPx && l.scale > 1 && (small(out.chosen) || l.blocks(out.chosen)) {
		return look{}, false, nil
	}
	return out, true, nil
}

// match reports whether each expected card is among the chosen ones, is worth
// enough and has its size.
func match(chosen, expected []hypothesis) bool {
	for k := range expected {
		found := false
		for i := range chosen {
			r := math.Sqrt(chosen[i].quad.Area() / expected[k].quad.Area())
			if about(chosen[i].quad, expected[k].quad) && chosen[i].value() >= nearValue && !chosen[i].cut() && r < nearAgree && r > 1/nearAgree {
				found = true
			}
		}
		if !found {
			return false
		}
	}
	return true
}
