package settle

import "math"

// pile learns how a card changes the size of what is seen: a pile that grows
// by half a millimetre comes nearer to the camera and looks larger by a
// thousandth or so, a deck that is dealt from looks smaller by as much. A card
// that is only pushed keeps its height. A camera that does not look straight
// down sees a card larger where it lies nearer: that is learned, too.
type pile struct {
	seen []rise
}

type rise struct{ grow, dx, dy float64 }

const (
	pileMemory = 20
	pileEnough = 6

	// growError is the error of a size at least, relative.
	growError = 1.5e-4
)

// rose takes a change to another card.
func (p *pile) rose(r similar) {
	if math.Abs(r.grow) > 0.01 {
		return // not a pile any more
	}
	p.seen = append(p.seen, rise{r.grow, r.tx, r.ty})
	if len(p.seen) > pileMemory {
		p.seen = p.seen[1:]
	}
}

// weigh is the evidence of a change of size for another card, 0 where too
// little is known.
func (p *pile) weigh(r similar) float64 {
	n := len(p.seen)
	if n < pileEnough {
		return 0
	}
	// grow = h + kx*dx + ky*dy, the slopes held near nothing.
	var m [8][8]float64
	var v [8]float64
	for i := range m {
		m[i][i] = 1
	}
	m[0][0], m[1][1], m[2][2] = 0, 20, 20
	for _, s := range p.seen {
		q := [3]float64{1, s.dx, s.dy}
		for i := range q {
			for j := range q {
				m[i][j] += q[i] * q[j]
			}
			v[i] += q[i] * s.grow
		}
	}
	k, ok := solve(m, v)
	if !ok {
		return 0
	}
	var off []float64
	for _, s := range p.seen {
		off = append(off, math.Abs(s.grow-k[0]-k[1]*s.dx-k[2]*s.dy))
	}
	sigma := math.Max(growError, 1.5*median(off))
	if math.Abs(k[0]) < 2*sigma {
		return 0
	}
	tilt := k[1]*r.tx + k[2]*r.ty
	same, other := (r.grow-tilt)/sigma, (r.grow-tilt-k[0])/sigma
	return clamp64((same*same-other*other)/2, -heightLimit, heightLimit)
}
