package card

import (
	"math"
	"slices"

	"fairdeck/vision/plane"
)

// tableInside reports whether the table shows between two sides of a quad: a
// strip right across it has the colours that lie outside of it, and what lies
// beside the strip does not. Two cards side by side have a card's shape when
// their gap is counted in, and so have blocks of four; the gap tells.
func (l *level) tableInside(q plane.Quad) bool {
	out, ok := l.around(q)
	if !ok {
		return false
	}
	for turn := range 2 {
		r := q.Turn(turn)
		// Lines from the side r0-r3 to the side r1-r2, at steps of a pixel.
		length := (r[3].Sub(r[0]).Norm() + r[2].Sub(r[1]).Norm()) / 2
		n := int(length)
		if n < 12 {
			continue
		}
		// How far the lines are from the table's colour: the median of places.
		far := make([]float64, n)
		for i := range far {
			t := float64(i) / float64(n-1)
			far[i] = l.unlike(r[0].Add(r[3].Sub(r[0]).Mul(t)), r[1].Add(r[2].Sub(r[1]).Mul(t)), out)
		}
		reach := max(3, n/10)
		for i := n / 6; i < n-n/6; i++ {
			// Beside the strip, to both hands, a card.
			left, right := 0.0, 0.0
			for j := 2; j <= reach; j++ {
				left, right = max(left, far[max(0, i-j)]), max(right, far[min(n-1, i+j)])
			}
			if m := min(left, right); m > gapContrast && far[i] < gapShare*m {
				return true
			}
		}
	}
	return false
}

// chooseWhole chooses cards of which none is two. What turns out to be more than one leaves
// the pool, and the choice is made again.
func (l *level) chooseWhole(hs []hypothesis, fits func(*hypothesis) bool) ([]hypothesis, float64) {
	p := poolOf(hs, fits)
	judged := map[plane.Quad]bool{}
	judge := func(h *hypothesis) bool {
		if h.cut() {
			return false
		}
		two, known := judged[h.quad]
		if !known {
			two = l.tableInside(h.quad)
			judged[h.quad] = two
		}
		return two
	}
	for range maxChoices {
		chosen, sum := p.choose()
		split, side := 0, 0.0
		for i := range chosen {
			if judge(&chosen[i]) {
				split++
				side = max(side, math.Sqrt(chosen[i].quad.Area()))
			}
		}
		// One that seems to be two may have a band of the table's colour.
		if split < 2 {
			return chosen, sum
		}
		// The others of about the size are likely to be as wrong.
		wrong := func(h *hypothesis) bool {
			r := math.Sqrt(h.quad.Area()) / side
			return r < 1.1 && r > 1/1.1 && judge(h)
		}
		if len(hs) > maxCandidates { // others come up in their place
			kept := hs[:0:0]
			for i := range hs {
				if !wrong(&hs[i]) {
					kept = append(kept, hs[i])
				}
			}
			hs = kept
			p = poolOf(hs, fits)
			continue
		}
		for i := range p.all {
			if c := &p.all[i]; !c.dropped && wrong(c.hypothesis) {
				c.dropped = true
			}
		}
	}
	return p.choose()
}

// maxChoices bounds the rounds.
const maxChoices = 5

const (
	gapContrast  = 12.0 // codes by which cards differ from the table for a gap to count
	gapShare     = 0.3  // of it, what may be left in the gap: shadow and blur
	placesAcross = 24
)

// around is the colour a few pixels outside of the four sides, by its median,
// when most of it lies in the frame.
func (l *level) around(q plane.Quad) ([3]float64, bool) {
	var list [3][]float64
	for k := range 4 {
		a, b := q[k], q[(k+1)%4]
		_, n, _ := (&sideCurve{p: a, q: b}).frame()
		for i := range placesAcross {
			p := a.Add(b.Sub(a).Mul((float64(i) + 0.5) / placesAcross)).Add(n.Mul(3))
			if c, ok := l.colourAt(p); ok {
				for ch := range list {
					list[ch] = append(list[ch], c[ch])
				}
			}
		}
	}
	var out [3]float64
	if len(list[0]) < 2*placesAcross {
		return out, false
	}
	for ch := range list {
		out[ch] = middleOf(list[ch])
	}
	return out, true
}

// unlike is the median distance of the colours along a line from a colour.
func (l *level) unlike(a, b plane.Point, c [3]float64) float64 {
	d := make([]float64, 0, placesAcross)
	for i := range placesAcross {
		t := 0.08 + 0.84*(float64(i)+0.5)/placesAcross
		if v, ok := l.colourAt(a.Add(b.Sub(a).Mul(t))); ok {
			d = append(d, distance(v, c))
		}
	}
	if len(d) < placesAcross/2 {
		return math.Inf(1)
	}
	// The table may be in shadow, and a mark or a hair may cross it.
	return middleOf(d)
}

func (l *level) colourAt(p plane.Point) (c [3]float64, ok bool) {
	x, y := int(p.X+0.5), int(p.Y+0.5)
	if x < 0 || y < 0 || x >= l.img.Width || y >= l.img.Height {
		return c, false
	}
	px := l.img.Pix[3*(y*l.img.Width+x):]
	return [3]float64{float64(px[0]), float64(px[1]), float64(px[2])}, true
}

// middleOf is the median; it sorts the values.
func middleOf(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}
