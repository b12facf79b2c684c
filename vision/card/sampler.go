package card

import (
	"math"
	"sync"

	"fairdeck/vision/colour"
	"fairdeck/vision/frame"
)

// A sampler reads profiles across a side from the full frame in linear light.
type sampler struct {
	img    *frame.Image
	light  *[256]float64
	models []*stepModel // of a side with no other line near it
	close  []*stepModel // of one with
}

// profile averages lines across the side from s0 to s1 (-1 to 1) at the
// offsets lo..hi in steps of step px about the curve, outward positive. It
// writes three channels one after the other and returns false where the side
// is out of the frame.
// every is the distance between the averaged lines in px.
func (sm *sampler) profile(c *sideCurve, s0, s1, lo, hi, step, every float64, dst []float64) bool {
	u, n, length := c.frame()
	k := int(math.Round((hi-lo)/step)) + 1
	for i := range dst[:3*k] {
		dst[i] = 0
	}
	across := max(1, int(math.Round((s1-s0)/2*length/every)))
	w, h := sm.img.Width, sm.img.Height
	if w < 2 || h < 2 {
		return false
	}
	pix, light := sm.img.Pix, sm.light
	for a := range across {
		s := s0 + (s1-s0)*(float64(a)+0.5)/float64(across)
		on := c.p.Add(u.Mul((s + 1) / 2 * length)).Add(n.Mul(c.offset(s)))
		if on.X < 0 || on.Y < 0 || on.X > float64(w-1) || on.Y > float64(h-1) {
			return false
		}
		base := on.Add(n.Mul(lo))
		end := base.Add(n.Mul(step * float64(k-1)))
		inside := min(base.X, end.X) >= 0 && min(base.Y, end.Y) >= 0 && max(base.X, end.X) < float64(w-1) && max(base.Y, end.Y) < float64(h-1)
		dx, dy := n.X*step, n.Y*step
		x, y := base.X, base.Y
		for i := range k {
			sx, sy := x, y
			if !inside { // beyond the rim the frame repeats it
				sx, sy = min(max(x, 0), float64(w)-1.001), min(max(y, 0), float64(h)-1.001)
			}
			ix, iy := int(sx), int(sy)
			fx, fy := sx-float64(ix), sy-float64(iy)
			j := 3 * (iy*w + ix)
			r0 := pix[j : j+6 : j+6]
			r1 := pix[j+3*w : j+3*w+6 : j+3*w+6]
			w00, w01, w10, w11 := (1-fx)*(1-fy), fx*(1-fy), (1-fx)*fy, fx*fy
			dst[i] += w00*light[r0[0]] + w01*light[r0[3]] + w10*light[r1[0]] + w11*light[r1[3]]
			dst[k+i] += w00*light[r0[1]] + w01*light[r0[4]] + w10*light[r1[1]] + w11*light[r1[4]]
			dst[2*k+i] += w00*light[r0[2]] + w01*light[r0[5]] + w10*light[r1[2]] + w11*light[r1[5]]
			x += dx
			y += dy
		}
	}
	for i := range dst[:3*k] {
		dst[i] /= float64(across)
	}
	return true
}

// bins cuts the side, without its rounded ends, into places of about px
// pixels, and returns their profiles and where along the side they lie.
func (sm *sampler) bins(c *sideCurve, px, lo, hi, step, every float64) (profiles [][]float64, places []float64) {
	_, _, length := c.frame()
	n := min(40, max(8, int(length/px)))
	c.tried = n
	k := int(math.Round((hi-lo)/step)) + 1
	mem := make([]float64, 3*k*n)
	for b := range n {
		s0 := -1 + 2*(sideTrim+(1-2*sideTrim)*float64(b)/float64(n))
		s1 := -1 + 2*(sideTrim+(1-2*sideTrim)*float64(b+1)/float64(n))
		p := mem[3*k*b : 3*k*(b+1)]
		if sm.profile(c, s0, s1, lo, hi, step, every, p) {
			profiles = append(profiles, p)
			places = append(places, (s0+s1)/2)
		}
	}
	return profiles, places
}

// The profiles of the final fits reach so far to either side, in such steps, px.
const (
	fitHalf = 4.5
	fitStep = 0.5
)

// newSampler reads from a frame.
func newSampler(img *frame.Image) *sampler {
	m := stepModels()
	return &sampler{img: img, light: colour.LinearTable(), models: m.alone, close: m.close}
}

// fitModels are the step models of the final fits.
type fitModels struct{ alone, close []*stepModel }

// stepModels are three passes with narrowing reach for each kind of side. They
// are the same for all frames and never change.
var stepModels = sync.OnceValue(func() (m fitModels) {
	k := int(math.Round(2*fitHalf/fitStep)) + 1
	for _, reach := range []float64{2.5, 2, 1.5} {
		m.alone = append(m.alone, newStepModel(k, fitStep, 0.9, reach, 2))
	}
	for _, reach := range []float64{2, 1.5, 1.25} {
		s := newStepModel(k, fitStep, 0.9, reach, 1.4)
		s.close = true
		m.close = append(m.close, s)
	}
	return m
})
