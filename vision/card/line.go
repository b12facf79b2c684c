package card

import (
	"cmp"
	"math"
	"slices"

	"fairdeck/vision/plane"
)

// A line is a set of segments on one straight line, with the gaps known. The
// side of a card is often seen in pieces; a row of touching cards shares one
// line.
type line struct {
	p, u    plane.Point  // a point on it and its unit direction
	pieces  [][2]float64 // covered intervals along u, sorted, not overlapping
	support float64      // their total length, px
	lo, hi  float64      // first start, last end
}

func (l *line) at(t float64) plane.Point { return l.p.Add(l.u.Mul(t)) }

// covered returns the fraction of [t0, t1] (either order) that is covered.
func (l *line) covered(t0, t1 float64) float64 {
	if t1 < t0 {
		t0, t1 = t1, t0
	}
	if !(t1 > t0) {
		return 0
	}
	sum := 0.0
	for _, p := range l.pieces {
		if p[0] > t1 {
			break
		}
		if o := min(p[1], t1) - max(p[0], t0); o > 0 {
			sum += o
		}
	}
	return sum / (t1 - t0)
}

// meet returns the parameters along both lines of their crossing.
func (l *line) meet(m *line) (tl, tm float64, ok bool) {
	den := l.u.Cross(m.u)
	if math.Abs(den) < 0.2 {
		return 0, 0, false
	}
	d := m.p.Sub(l.p)
	return d.Cross(m.u) / den, d.Cross(l.u) / den, true
}

const (
	maxSegments = 1500 // longest ones; more come from carpets and print only
	maxLines    = 400
)

// joinSegments groups collinear segments, longest first, and returns the
// lines with the most support.
func joinSegments(segs []segment) []line {
	slices.SortFunc(segs, func(a, b segment) int { return cmp.Compare(b.length, a.length) })
	segs = segs[:min(len(segs), maxSegments)]
	taken := make([]bool, len(segs))
	var out []line
	for i, s := range segs {
		if taken[i] {
			continue
		}
		l := line{p: s.a.Add(s.b).Mul(0.5), u: s.b.Sub(s.a).Mul(1 / s.length)}
		l.pieces = append(l.pieces, [2]float64{-s.length / 2, s.length / 2})
		// A pixel of error at either end of the base, seen from further off.
		slope := 1.0 / max(s.length, 20)
		for j := i + 1; j < len(segs); j++ {
			if taken[j] {
				continue
			}
			a, b := segs[j].a.Sub(l.p), segs[j].b.Sub(l.p)
			ta, tb := l.u.Dot(a), l.u.Dot(b)
			da, db := l.u.Cross(a), l.u.Cross(b)
			if math.Abs(da) > 1.2+slope*math.Abs(ta) || math.Abs(db) > 1.2+slope*math.Abs(tb) {
				continue
			}
			// A gap beyond the pieces' own length joins strangers.
			gap := max(min(ta, tb)-s.length/2, -s.length/2-max(ta, tb))
			if gap > 2*(s.length+segs[j].length) || math.Abs(db-da) > 0.09*segs[j].length+1 {
				continue
			}
			taken[j] = true
			l.pieces = append(l.pieces, [2]float64{min(ta, tb), max(ta, tb)})
		}
		l.tidy()
		out = append(out, l)
	}
	slices.SortFunc(out, func(a, b line) int { return cmp.Compare(b.support, a.support) })
	return out[:min(len(out), maxLines)]
}

// tidy sorts and merges the pieces.
func (l *line) tidy() {
	slices.SortFunc(l.pieces, func(a, b [2]float64) int { return cmp.Compare(a[0], b[0]) })
	out := l.pieces[:1]
	for _, p := range l.pieces[1:] {
		if last := &out[len(out)-1]; p[0] <= last[1]+2 {
			last[1] = max(last[1], p[1])
		} else {
			out = append(out, p)
		}
	}
	l.pieces, l.support = out, 0
	for _, p := range out {
		l.support += p[1] - p[0]
	}
	l.lo, l.hi = out[0][0], out[len(out)-1][1]
}
