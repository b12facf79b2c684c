package sleeve

import (
	"math"
)

// A finder that took a shadow, a seam or a line of the table for a side is off
// by more than a step of Lucas & Kanade reaches, and by more at one end of the
// side than at the other. So the side is first looked for: pieces of it, some
// millimetres long, are compared with the deck's own profile at all shifts
// within coarseReachMM, and where most of them agree on a line, that line is
// where the fine registration starts.
//
//	share(u) = (sum_c cov(v(x+u), C(x)))^2 / (sum_c var v  sum_c var C)
//
// is what the deck's profile C explains of the view's profile v, shifted by u;
// it does not depend on the light.

const (
	coarseReachMM  = 1.4 // how far a side is looked for, within the view's margin
	coarsePieceMM  = 8.0
	coarseShare    = 0.75 // least share by which a piece is placed
	coarseContrast = 3.0  // codes: root mean square of a profile with a step in it
	coarseLine     = 1.5  // px that a placed piece may lie off the common line
	coarsePieces   = 0.6  // share of the pieces that must lie on it
	coarseBetter   = 0.05 // by which the pieces' mean share must gain
	coarseFarPx    = 1.0  // what lies nearer the fine registration finds itself
)

// coarseSide is the line on which side profiles p lie against the template's,
// as c0 + c1 t in px; ok is false where they lie as they should or the pieces
// do not agree.
func (d *deck) coarseSide(tpl, p *profiles) (line side, ok bool) {
	per := max(4, int(math.Round(coarsePieceMM/outlineStationMM)))
	pieces := p.stations / per
	if pieces < 4 || tpl.n != p.n || tpl.stations != p.stations {
		return line, false
	}
	reach := int(math.Round(coarseReachMM * d.px))
	type placed struct{ t, u, now, best float64 }
	var at []placed
	for k := range pieces {
		from := k * p.stations / pieces
		to := (k + 1) * p.stations / pieces
		a, b := meanProfile(tpl, from, to), meanProfile(p, from, to)
		best, where, now := 0.0, 0, 0.0
		for u := -reach; u <= reach; u++ {
			s := explained(a, b, p.n, p.inner, u)
			if u == 0 {
				now = s
			}
			if s > best {
				best, where = s, u
			}
		}
		if best >= coarseShare {
			at = append(at, placed{(p.at[from] + p.at[to-1]) / 2, float64(where), now, best})
		}
	}
	if float64(len(at)) < coarsePieces*float64(pieces) || len(at) < 4 {
		return line, false
	}
	// Theil and Sen's line: half of the pieces may be wrong.
	var slopes []float64
	for i := range at {
		for j := range i {
			slopes = append(slopes, (at[i].u-at[j].u)/(at[i].t-at[j].t))
		}
	}
	line.c[1] = medianOf(slopes)
	var rest []float64
	for _, q := range at {
		rest = append(rest, q.u-line.c[1]*q.t)
	}
	line.c[0] = medianOf(rest)
	if math.Abs(line.c[0])+math.Abs(line.c[1]) < coarseFarPx {
		return line, false
	}
	on, gain := 0, 0.0
	for _, q := range at {
		if math.Abs(q.u-line.at(q.t)) <= coarseLine {
			on++
			gain += q.best - q.now
		}
	}
	return line, float64(on) >= coarsePieces*float64(pieces) && gain > coarseBetter*float64(on)
}

// meanProfile is the mean over stations from..to-1, by channel and row.
func meanProfile(p *profiles, from, to int) []float64 {
	m := make([]float64, 3*p.n)
	for s := from; s < to; s++ {
		for i, v := range p.v[3*s*p.n : 3*(s+1)*p.n] {
			m[i] += float64(v)
		}
	}
	for i := range m {
		m[i] /= float64(to - from)
	}
	return m
}

// explained is the share of profile v that profile c explains, v being read u
// rows further; 0 where they go in opposite directions, or where there is no
// step in either.
func explained(c, v []float64, n, inner, u int) float64 {
	lo, hi := max(inner, -u), min(n-inner, n-u)
	// Of a profile half must be left.
	if 2*(hi-lo) < n-2*inner || hi-lo < 4 {
		return 0
	}
	var cc, vv, cv float64
	for ch := range 3 {
		a, b := c[ch*n:(ch+1)*n], v[ch*n:(ch+1)*n]
		var sa, sb, saa, sbb, sab float64
		for x := lo; x < hi; x++ {
			p, q := a[x], b[x+u]
			sa, sb, saa, sbb, sab = sa+p, sb+q, saa+p*p, sbb+q*q, sab+p*q
		}
		m := float64(hi - lo)
		cc, vv, cv = cc+saa-sa*sa/m, vv+sbb-sb*sb/m, cv+sab-sa*sb/m
	}
	least := 3 * float64(hi-lo) * coarseContrast * coarseContrast / 3
	if cv <= 0 || cc < least || vv < least {
		return 0
	}
	return cv * cv / (cc * vv)
}
