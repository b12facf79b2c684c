package light

import (
	"fmt"
	"math"
	"slices"

	"fairdeck/vision/colour"
	"fairdeck/vision/frame"
)

// Focus is the blur of the frame's sharpest edges.
type Focus struct {
	// BlurPx is the standard deviation of the blur; NaN when the frame has too
	// few clear edges.
	BlurPx float64
	Edges  int // that were measured
}

// Motion is a smear in one direction.
type Motion struct {
	LengthPx float64 // 0: none that can be told
	AngleDeg float64 // of the way it moved, 0 across, 90 down, to 180
}

// Words says the direction.
func (m Motion) Words() string {
	switch a := m.AngleDeg; {
	case a < 22.5 || a >= 157.5:
		return "from side to side"
	case a < 67.5:
		return "along the diagonal to the bottom right"
	case a < 112.5:
		return "up and down"
	}
	return "along the diagonal to the bottom left"
}

// edge is one measured step.
type edge struct {
	angle    float64 // of its normal, 0 to pi
	variance float64 // of its blur, px^2
	height   float64 // codes
}

type edges []edge

const (
	leastStep  = 18 // codes: the contrast of a step that is measured
	mostEdges  = 3000
	leastEdges = 40
	reach      = 14 // px to each side of a step: blurs up to about 5 px
)

// edgesOf measures steps: at places where the gradient is largest along its
// own direction, the profile across is sampled in linear steps, and its
// derivative's second moment about its centre is the blur's variance. Steps
// whose two sides are not level are left out, lines and texture with them.
func edgesOf(img *frame.Image) edges {
	w, h := img.Width, img.Height
	if w < 4*reach || h < 4*reach {
		return nil
	}
	// Green has most of the pixels of a mosaic, and most of the light.
	g := img.Pix[1:]
	at := func(x, y int) int { return int(g[3*(y*w+x)]) }
	// A grid of cells, the strongest gradient of each: edges all over the
	// frame, not just one card's.
	step := max(4, int(math.Sqrt(float64(w*h)/(2*mostEdges))))
	var out edges
	for y0 := reach + 2; y0+step < h-reach-2; y0 += step {
		for x0 := reach + 2; x0+step < w-reach-2; x0 += step {
			best, bx, by := 0, 0, 0
			for y := y0; y < y0+step; y += 2 {
				for x := x0; x < x0+step; x += 2 {
					dx, dy := at(x+2, y)-at(x-2, y), at(x, y+2)-at(x, y-2)
					if m := dx*dx + dy*dy; m > best {
						best, bx, by = m, x, y
					}
				}
			}
			if best < 10*10 {
				continue
			}
			if e, ok := measure(g, w, h, bx, by); ok {
				out = append(out, e)
			}
		}
	}
	return out
}

// measure reads the step at a pixel; g holds every third byte.
func measure(g []uint8, w, h, x, y int) (edge, bool) {
	sample := func(px, py float64) float64 {
		ix, iy := int(px), int(py)
		fx, fy := px-float64(ix), py-float64(iy)
		k := 3 * (iy*w + ix)
		a, b, c, d := float64(g[k]), float64(g[k+3]), float64(g[k+3*w]), float64(g[k+3*w+3])
		return (a*(1-fx)+b*fx)*(1-fy) + (c*(1-fx)+d*fx)*fy
	}
	// The direction of the gradient over a window, steady against noise.
	var gx, gy float64
	for j := -4; j <= 4; j++ {
		for i := -4; i <= 4; i++ {
			k := 3 * ((y+j)*w + x + i)
			dx, dy := float64(g[k+3])-float64(g[k-3]), float64(g[k+3*w])-float64(g[k-3*w])
			gx += dx
			gy += dy
		}
	}
	norm := math.Hypot(gx, gy)
	if norm == 0 {
		return edge{}, false
	}
	nx, ny := gx/norm, gy/norm
	// The profile across, the mean of seven lines beside each other.
	const lines, perPx = 7, 2
	var p [2*reach*perPx + 1]float64
	n := len(p)
	for l := range lines {
		o := float64(l - lines/2)
		for i := range p {
			t := float64(i-reach*perPx) / perPx
			px, py := float64(x)+t*nx-o*ny, float64(y)+t*ny+o*nx
			if px < 1 || py < 1 || px >= float64(w-2) || py >= float64(h-2) {
				return edge{}, false
			}
			p[i] += sample(px, py) / lines
		}
	}
	lo, hi := mean(p[:reach*perPx/3]), mean(p[n-reach*perPx/3:])
	height := hi - lo
	if height < leastStep {
		return edge{}, false
	}
	// Level sides, and no overshoot beyond a sixth: not a line, not the next
	// edge.
	for i := range p {
		if p[i] < lo-height/6 || p[i] > hi+height/6 {
			return edge{}, false
		}
	}
	side := reach * perPx / 3
	if math.Abs(p[0]-p[side]) > height/6 || math.Abs(p[n-1]-p[n-1-side]) > height/6 {
		return edge{}, false
	}
	contrast := height
	// Light adds up in linear light: blur is measured there.
	for i := range p {
		p[i] = linear(p[i])
	}
	lo, hi = mean(p[:reach*perPx/3]), mean(p[n-reach*perPx/3:])
	height = hi - lo
	// Width between the 16% and 84% points of the rise: two standard
	// deviations of a Gaussian, the least touched by noise in the tails.
	cross := func(share float64) float64 {
		level := lo + share*height
		for i := range n - 1 {
			if p[i] <= level && p[i+1] > level {
				return (float64(i) + (level-p[i])/(p[i+1]-p[i])) / perPx
			}
		}
		return math.NaN()
	}
	a, b := cross(0.159), cross(0.841)
	s := (b - a) / 2
	if math.IsNaN(s) || s <= 0 || s > reach/2.5 {
		return edge{}, false
	}
	// The sampling's own part: bilinear between pixels, 1/6 px^2 on average,
	// and the curve of the window along the edge is left out.
	v := max(0, s*s-1.0/6)
	ang := math.Atan2(ny, nx)
	if ang < 0 {
		ang += math.Pi
	}
	return edge{angle: ang, variance: v, height: contrast}, true
}

// linear is the light of a code between two whole ones.
func linear(code float64) float64 {
	i := min(max(int(code), 0), 254)
	t := colour.LinearTable()
	return t[i] + (t[i+1]-t[i])*(code-float64(i))
}

// sharpest is the share of edges that speak for the optics: grain, bevels,
// shadows and things above the table widen most edges of some scenes; only
// noise narrows any.
const sharpest = 0.1

// focus is the blur of the sharpest edges.
func (e edges) focus() Focus {
	if len(e) < leastEdges {
		return Focus{BlurPx: math.NaN(), Edges: len(e)}
	}
	return Focus{BlurPx: math.Sqrt(quantile(e, sharpest)), Edges: len(e)}
}

// highest is the contrast that one edge in twenty has.
func highest(e []edge) float64 {
	v := make([]float64, len(e))
	for i := range e {
		v[i] = e[i].height
	}
	slices.Sort(v)
	return v[int(0.95*float64(len(v)-1))]
}

func quantile(e []edge, q float64) float64 {
	v := make([]float64, len(e))
	for i := range e {
		v[i] = e[i].variance
	}
	slices.Sort(v)
	return v[int(q*float64(len(v)-1))]
}

// bins of direction in which blur is compared, and how many edges of one say
// anything: a tenth of them is two.
const (
	bins       = 12
	leastInBin = 20
)

// motion compares blur by direction. A smear of length L along angle a adds
// L^2/12 cos^2 of the angle between a and an edge's normal to the variance of
// its blur (of a box), so that over directions it is A + B cos 2t + C sin 2t.
func (e edges) motion() Motion {
	if len(e) < leastEdges {
		return Motion{}
	}
	// A table's grain is soft in some directions by itself; what has contrast,
	// a card's rim, is as sharp as the optics in all.
	strong := 0.5 * highest(e)
	var byBin [bins][]edge
	for _, x := range e {
		if x.height < strong {
			continue
		}
		k := int(x.angle/math.Pi*bins) % bins
		byBin[k] = append(byBin[k], x)
	}
	// Weighted least squares of three unknowns over the bins.
	var m [3][4]float64
	used := 0
	for _, b := range byBin {
		if len(b) < leastInBin {
			continue
		}
		used++
		v := quantile(b, sharpest)
		var c, s float64
		for _, x := range b {
			c += math.Cos(2 * x.angle)
			s += math.Sin(2 * x.angle)
		}
		t := math.Atan2(s, c)
		row := [3]float64{1, math.Cos(t), math.Sin(t)}
		wt := math.Sqrt(float64(len(b)))
		for i := range 3 {
			for j := range 3 {
				m[i][j] += wt * row[i] * row[j]
			}
			m[i][3] += wt * row[i] * v
		}
	}
	if used < 2 {
		return Motion{}
	}
	// With two directions only, as of one card lying square, the component
	// between them is not seen: a small ridge keeps it at 0.
	ridge := 1e-3 * m[0][0]
	m[1][1] += ridge
	m[2][2] += ridge
	x, ok := solve3(m)
	if !ok {
		return Motion{}
	}
	swing := math.Hypot(x[1], x[2]) // B cos 2t: plus and minus
	rest := x[0] - swing            // variance across the way
	// A smear makes edges along the way clearly sharper than those across.
	// Lenses off their middle and things in relief differ by a half.
	if swing < 0.25 || 2*swing < 0.8*max(0.2, rest) {
		return Motion{}
	}
	a := math.Atan2(x[2], x[1]) / 2
	if a < 0 {
		a += math.Pi
	}
	// The 16% and 84% points of a box of length L lie 0.682 L apart, those of a
	// box and a Gaussian together a little less of it.
	const perLength = 0.32
	return Motion{LengthPx: math.Sqrt(2*swing) / perLength, AngleDeg: a * 180 / math.Pi}
}

func solve3(m [3][4]float64) (x [3]float64, ok bool) {
	for i := range 3 {
		p := i
		for r := i + 1; r < 3; r++ {
			if math.Abs(m[r][i]) > math.Abs(m[p][i]) {
				p = r
			}
		}
		if math.Abs(m[p][i]) < 1e-12 {
			return x, false
		}
		m[i], m[p] = m[p], m[i]
		for r := range 3 {
			if r != i {
				f := m[r][i] / m[i][i]
				for c := i; c < 4; c++ {
					m[r][c] -= f * m[i][c]
				}
			}
		}
	}
	for i := range 3 {
		x[i] = m[i][3] / m[i][i]
	}
	return x, true
}

// String says it for a log.
func (f Focus) String() string { return fmt.Sprintf("blur %.2f px from %d edges", f.BlurPx, f.Edges) }
