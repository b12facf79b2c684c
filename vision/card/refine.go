package card

import (
	"math"
	"slices"

	"fairdeck/vision/colour"
	"fairdeck/vision/frame"
	"fairdeck/vision/plane"
)

// A sideCurve is one side of a card in the frame: the chord between two
// corners, pushed outward by a quadratic. Lenses and bowed sleeves bend a
// side by a few pixels; the quadratic takes that up, so that the corners,
// where two curves meet, stay right.
type sideCurve struct {
	p, q       plane.Point // the chord
	c0, c1, c2 float64     // outward offset c0 + c1 s + c2 (s^2 - 1), s = -1 at p, +1 at q; px
	sigma0     float64     // standard uncertainty of the offset at the ends, px
	samples    int         // places along the side that agreed
	tried      int
	rms        float64 // of the agreeing places about the curve, px
	contrast   float64 // mean step across the side, linear light, 0 to 1
}

func (c *sideCurve) offset(s float64) float64 { return c.c0 + c.c1*s + c.c2*(s*s-1) }

func (c *sideCurve) frame() (u, n plane.Point, length float64) {
	d := c.q.Sub(c.p)
	length = d.Norm()
	u = d.Mul(1 / length)
	return u, plane.Point{X: u.Y, Y: -u.X}, length
}

// end returns the point and the direction of the curve at s = -1 or +1.
func (c *sideCurve) end(s float64) (plane.Point, plane.Point) {
	u, n, length := c.frame()
	p := c.p
	if s > 0 {
		p = c.q
	}
	// d offset / d s over half the length per unit of s.
	slope := (c.c1 + 2*c.c2*s) / (length / 2)
	return p.Add(n.Mul(c.offset(s))), u.Add(n.Mul(slope))
}

// A sampler reads profiles across a side from the full frame in linear light.
type sampler struct {
	img    *frame.Image
	light  *[256]float64
	models []*stepModel
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

// refine fits the sides of hypotheses in the full frame. Cards whose sides
// cannot be followed are left out. The first of them, so many as are trusted,
// state the size of the cards; 0: not known.
func refine(img *frame.Image, l *level, hs []hypothesis, view viewer, trusted int) []Detection {
	sm := newSampler(img)
	var drafts []draft
	var whole []*hypothesis
	var out []Detection
	for i := range hs {
		var q plane.Quad
		for k := range q {
			q[k] = l.toFrame(hs[i].quad[k])
		}
		if hs[i].cut() {
			d := Detection{Corners: topFirst(q), Confidence: hs[i].value(), Unusable: unusableCut}
			for k := range d.SigmaPx {
				d.SigmaPx[k] = 2 * l.scale
			}
			out = append(out, d)
			continue
		}
		d := draft{pick: -1}
		for k := range q {
			d.sides[k] = sideCurve{p: q[k], q: q[(k+1)%4]}
		}
		drafts = append(drafts, d)
		whole = append(whole, &hs[i])
	}
	step := sm.settle(drafts, l, view, trusted)
	for i := range drafts {
		if d, ok := sm.finish(drafts[i].sides, step); ok {
			d.Confidence *= whole[i].value()
			out = append(out, d)
		}
	}
	return out
}

// Reasons why a card cannot be inspected.
const (
	unusableCut     = "cut by the frame"
	unusableCovered = "partly covered, or a side that cannot be seen"
	unusableBlurred = "blurred"
)

// minAgree is the part of a side's places that have to agree on it. Marks and
// nicks take less; what covers a card takes more.
const minAgree = 0.4

// systematicPx is what is left of shadows, sharpening and JPEG where noise
// would allow better: the corner errors of rendered decks with known truth.
const systematicPx = 0.15

// finish takes the sides from about step px to a fraction of a pixel.
func (sm *sampler) finish(sides [4]sideCurve, step float64) (Detection, bool) {
	var q plane.Quad
	for i := range sides {
		if !sm.lockOn(&sides[i], 1.2*step+1) {
			return Detection{}, false
		}
	}
	// Narrowing reach: first a straight side, then its sag.
	for pass, m := range sm.models {
		for i := range sides {
			if !sm.fit(&sides[i], m, pass == 0) {
				return Detection{}, false
			}
		}
		var next plane.Quad
		for i := range next {
			a, da := sides[(i+3)%4].end(1)
			b, db := sides[i].end(-1)
			p, ok := meetPoints(a, a.Add(da), b, b.Add(db))
			if !ok {
				return Detection{}, false
			}
			next[i] = p
		}
		if !next.Convex() {
			return Detection{}, false
		}
		q = next
		for i := range sides {
			// The sag stays; ends move to the new corners.
			s := &sides[i]
			*s = sideCurve{p: q[i], q: q[(i+1)%4], c2: s.c2, sigma0: s.sigma0, samples: s.samples, tried: s.tried, rms: s.rms, contrast: s.contrast}
		}
	}
	d := Detection{Corners: q, Confidence: 1}
	for i := range 4 {
		a, b := sides[i].sigma0, sides[(i+3)%4].sigma0
		d.SigmaPx[i] = math.Sqrt(a*a + b*b + systematicPx*systematicPx)
		share := float64(sides[i].samples) / float64(max(1, sides[i].tried))
		d.Confidence = min(d.Confidence, 0.3+0.7*share)
		if share < minAgree {
			d.Unusable = unusableCovered
		}
		for _, p := range []plane.Point{q[i]} {
			// Half a pixel of slack for a side that runs along the border.
			if p.X < -1 || p.Y < -1 || p.X > float64(sm.img.Width) || p.Y > float64(sm.img.Height) {
				d.Unusable = unusableCut
			}
		}
	}
	if d.Unusable == "" && sm.blur(&sides) > maxBlur*math.Sqrt(q.Area()/(63*88)) {
		d.Unusable = unusableBlurred
	}
	if t := topFirst(d.Corners); t != d.Corners {
		d.Corners = t
		s := d.SigmaPx
		d.SigmaPx = [4]float64{s[2], s[3], s[0], s[1]}
	}
	return d, true
}

// topFirst chooses the half turn whose first side is the upper one.
func topFirst(q plane.Quad) plane.Quad {
	if q[0].Y+q[1].Y > q[2].Y+q[3].Y {
		return q.Turn(2)
	}
	return q
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

// lockOn moves the side within half pixels, what the level leaves open, to
// the straight line that most of its places have an edge on.
func (sm *sampler) lockOn(c *sideCurve, reach float64) bool {
	const step = 0.5
	half := math.Ceil(reach) + 2
	if _, _, length := c.frame(); length < 8 {
		return false
	}
	profiles, places := sm.bins(c, 12, -half, half, step, 2)
	n := len(profiles)
	if n < c.tried/3 {
		return false
	}
	k := int(math.Round(2*half/step)) + 1
	// Squared difference over two pixels, all channels.
	energy := make([]float64, n*k)
	var all []float64
	for b, p := range profiles {
		for i := 2; i < k-2; i++ {
			for ch := range 3 {
				d := p[ch*k+i+2] - p[ch*k+i-2]
				energy[b*k+i] += d * d
			}
			all = append(all, energy[b*k+i])
		}
	}
	slices.Sort(all)
	ref := 4*all[len(all)/3] + 1e-7
	// A place votes for where its edge is strongest locally, up to a pixel
	// off, so that a side may sag.
	vote := make([]float64, n*k)
	for b := range n {
		e, v := energy[b*k:(b+1)*k], vote[b*k:(b+1)*k]
		for i := 2; i < k-2; i++ {
			if e[i] >= e[i-1] && e[i] >= e[i+1] && e[i] > 0 {
				w := e[i] / (e[i] + ref)
				for o := -2; o <= 2; o++ {
					v[i+o] = max(v[i+o], w*(1-0.1*math.Abs(float64(o))))
				}
			}
		}
	}
	m := int(math.Round(reach / step))
	mid := (k - 1) / 2
	best, at0, at1 := -1.0, 0, 0
	for a := -m; a <= m; a++ {
		for b := -m; b <= m; b++ {
			sum := 0.0
			for i, s := range places {
				o := float64(a) + (s+1)/2*float64(b-a)
				sum += vote[i*k+mid+int(math.Round(o))]
			}
			// The outermost of equals; a small part of the votes is noise.
			sum *= 1 + 0.05*float64(a+b)/float64(2*m)
			if sum > best {
				best, at0, at1 = sum, a, b
			}
		}
	}
	c.c0 += step * float64(at0+at1) / 2
	c.c1 += step * float64(at1-at0) / 2
	return true
}

// fit moves the curve onto the edge that the model finds near it.
func (sm *sampler) fit(c *sideCurve, m *stepModel, coarse bool) bool {
	if _, _, length := c.frame(); length < 8 {
		return false
	}
	every := 1.0
	if coarse {
		every = 2
	}
	profiles, places := sm.bins(c, 10, -fitHalf, fitHalf, fitStep, every)
	if len(profiles) < c.tried/3 {
		return false
	}
	offsets := make([]float64, len(profiles))
	weights := make([]float64, len(profiles))
	for i, p := range profiles {
		offsets[i], weights[i] = m.locate(p)
	}
	return c.fitCurve(places, offsets, weights, coarse)
}

// The profiles of the final fits reach so far to either side, in such steps, px.
const (
	fitHalf = 4.5
	fitStep = 0.5
)

// newSampler prepares the step models of three passes with narrowing reach.
func newSampler(img *frame.Image) *sampler {
	sm := &sampler{img: img, light: colour.LinearTable()}
	k := int(math.Round(2*fitHalf/fitStep)) + 1
	for _, reach := range []float64{2.5, 2, 1.5} {
		sm.models = append(sm.models, newStepModel(k, fitStep, 0.9, reach, 2))
	}
	return sm
}

// fitCurve fits the quadratic to the offsets by iterated reweighting with
// Tukey's biweight.
func (c *sideCurve) fitCurve(s, off, weight []float64, coarse bool) bool {
	n := len(s)
	var a0, a1, a2 float64
	// Start from the weighted median: half of the places may be elsewhere.
	a0 = weightedMedian(off, weight)
	scale := 2.0
	robust := make([]float64, n)
	for iter := range 12 {
		for i := range s {
			r := (off[i] - (a0 + a1*s[i] + a2*(s[i]*s[i]-1))) / (4.7 * scale)
			robust[i] = 0
			if r*r < 1 {
				robust[i] = weight[i] * (1 - r*r) * (1 - r*r)
			}
		}
		quad := !coarse && iter > 2
		var ok bool
		if a0, a1, a2, ok = fitQuadratic(s, off, robust, quad); !ok {
			return false
		}
		var abs []float64
		for i := range s {
			if weight[i] > 0 {
				abs = append(abs, math.Abs(off[i]-(a0+a1*s[i]+a2*(s[i]*s[i]-1))))
			}
		}
		if len(abs) < 4 {
			return false
		}
		slices.Sort(abs)
		scale = min(scale, max(0.06, 1.4826*abs[len(abs)/2]))
	}
	sum, sw, agree := 0.0, 0.0, 0
	for i := range s {
		if robust[i] > 0 {
			r := off[i] - (a0 + a1*s[i] + a2*(s[i]*s[i]-1))
			sum += robust[i] * r * r
			sw += robust[i]
			agree++
		}
	}
	c.samples = agree
	c.rms = math.Sqrt(sum / sw)
	// The end of a fitted parabola is about three times less certain than
	// the mean of the places.
	c.sigma0 = 3 * c.rms / math.Sqrt(float64(max(1, agree-3)))
	c.c0, c.c1, c.c2 = c.c0+a0, c.c1+a1, c.c2+a2
	return true
}

func weightedMedian(v, w []float64) float64 {
	idx := make([]int, len(v))
	total := 0.0
	for i := range idx {
		idx[i] = i
		total += w[i]
	}
	slices.SortFunc(idx, func(a, b int) int { return compare(v[a], v[b]) })
	acc := 0.0
	for _, i := range idx {
		if acc += w[i]; acc >= total/2 {
			return v[i]
		}
	}
	return 0
}

// fitQuadratic solves the weighted least squares for a0 + a1 s + a2 (s^2-1).
func fitQuadratic(s, y, w []float64, quad bool) (a0, a1, a2 float64, ok bool) {
	var m [3][4]float64
	for i := range s {
		b := [3]float64{1, s[i], s[i]*s[i] - 1}
		for r := range 3 {
			for c := range 3 {
				m[r][c] += w[i] * b[r] * b[c]
			}
			m[r][3] += w[i] * b[r] * y[i]
		}
	}
	if !quad {
		m[2] = [4]float64{0, 0, 1, 0}
		m[0][2], m[1][2] = 0, 0
	}
	for i := range 3 {
		p := i
		for r := i + 1; r < 3; r++ {
			if math.Abs(m[r][i]) > math.Abs(m[p][i]) {
				p = r
			}
		}
		m[i], m[p] = m[p], m[i]
		if math.Abs(m[i][i]) < 1e-12 {
			return 0, 0, 0, false
		}
		for r := range 3 {
			if r == i {
				continue
			}
			f := m[r][i] / m[i][i]
			for c := i; c < 4; c++ {
				m[r][c] -= f * m[i][c]
			}
		}
	}
	return m[0][3] / m[0][0], m[1][3] / m[1][1], m[2][3] / m[2][2], true
}
