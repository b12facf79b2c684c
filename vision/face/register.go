package face

import "math"

// projective maps pixels of plate a to pixels of plate b at half resolution, by
// how far it moves (u, v), from -1 to 1 over the plate: m[0] + m[1] u + m[2] v +
// (m[3] u + m[7] v) u to the right, m[4] + m[5] u + m[6] v + (m[3] u + m[7] v) v
// times the plate's aspect down. That is a homography to the second order, what
// four corners that are each a little off do.
type projective [8]float64

// move is how far the map moves (u, v), in pixels; aspect is height over width.
func (m *projective) move(u, v, aspect float64) (dx, dy float64) {
	t := m[3]*u + m[7]*v
	return m[0] + m[1]*u + m[2]*v + t*u, m[4] + m[5]*u + m[6]*v + t*v*aspect
}

func (p plane32) aspect() float64 { return float64(p.h) / float64(p.w) }

// register finds where b's print lies on a's: a card slides in its sleeve by
// a millimetre and lies a little askew, and corners are found to some tenths.
// First the shift of the best correlation, coarse to fine, then the map
// by Gauss-Newton on the gradients (Lucas & Kanade 1981) with a Geman-McClure
// weight, so that a name that differs does not pull. agree is the correlation
// of the two high-passed pictures after it, -1 to 1.
func register(a, b *band) (m projective, agree float64) {
	dx, dy, c := bestShift(a.coarse, b.coarse, 4)
	if c < leastShift {
		return projective{}, c
	}
	m[0], m[4] = dx, dy
	for range 5 {
		if step, ok := lucasKanade(a.coarse, b.coarse, &m, 60, 1); !ok || step < 0.05 {
			break
		}
	}
	for k := range m {
		m[k] *= 2
	}
	// Lines a pixel apart differ by their whole contrast: at first that must
	// still pull.
	for scale := 60.0; scale > 8; scale *= 0.75 {
		step, ok := lucasKanade(a.fine, b.fine, &m, scale, 2)
		if !ok || step < 0.01 && scale < 15 {
			break
		}
	}
	return m, correlate(a.fine, b.fine, &m)
}

// leastShift is the correlation below which two prints have nothing to do with
// each other: unrelated pictures reach 0.25 at the best of 81 shifts, the same
// picture under other light stays above 0.6.
const leastShift = 0.3

// band is a plate's luma without what changes slowly, at half and quarter
// resolution.
type band struct {
	fine, coarse plane32
	gx, gy       plane32 // of fine
}

func newBand(half plane32) *band {
	f := highPass(half, 5) // 2.5 mm
	b := &band{fine: f, coarse: halved(f)}
	b.gx, b.gy = gradients(f)
	return b
}

// highPass takes the mean over a box of radius r away and limits what is
// left: lamps and saturated places count no more than print.
func highPass(p plane32, r int) plane32 {
	m := boxMean(p, r)
	out := newPlane(p.w, p.h)
	for i, v := range p.v {
		out.v[i] = min(max(v-m.v[i], -60), 60)
	}
	return out
}

func boxMean(p plane32, r int) plane32 {
	tmp, out := newPlane(p.w, p.h), newPlane(p.w, p.h)
	for y := range p.h {
		src, dst := p.row(y), tmp.row(y)
		s, n := float32(0), 0
		for x := range min(r, p.w) {
			s += src[x]
			n++
		}
		for x := range p.w {
			if x+r < p.w {
				s += src[x+r]
				n++
			}
			if x-r-1 >= 0 {
				s -= src[x-r-1]
				n--
			}
			dst[x] = s / float32(n)
		}
	}
	sum := make([]float32, p.w)
	n := 0
	for y := range min(r, p.h) {
		for x, v := range tmp.row(y) {
			sum[x] += v
		}
		n++
	}
	for y := range p.h {
		if y+r < p.h {
			for x, v := range tmp.row(y + r) {
				sum[x] += v
			}
			n++
		}
		if y-r-1 >= 0 {
			for x, v := range tmp.row(y - r - 1) {
				sum[x] -= v
			}
			n--
		}
		dst := out.row(y)
		k := 1 / float32(n)
		for x := range dst {
			dst[x] = sum[x] * k
		}
	}
	return out
}

func halved(p plane32) plane32 {
	out := newPlane(p.w/2, p.h/2)
	for y := range out.h {
		a, b, d := p.row(2*y), p.row(2*y+1), out.row(y)
		for x := range d {
			d[x] = (a[2*x] + a[2*x+1] + b[2*x] + b[2*x+1]) / 4
		}
	}
	return out
}

func gradients(p plane32) (gx, gy plane32) {
	gx, gy = newPlane(p.w, p.h), newPlane(p.w, p.h)
	for y := 1; y < p.h-1; y++ {
		up, here, down := p.row(y-1), p.row(y), p.row(y+1)
		ox, oy := gx.row(y), gy.row(y)
		for x := 1; x < p.w-1; x++ {
			ox[x] = (here[x+1] - here[x-1]) / 2
			oy[x] = (down[x] - up[x]) / 2
		}
	}
	return gx, gy
}

// bestShift tries all shifts up to r pixels and refines the best by a parabola.
func bestShift(a, b plane32, r int) (dx, dy, c float64) {
	n := 2*r + 1
	score := make([]float64, n*n)
	best := 0
	for j := -r; j <= r; j++ {
		for i := -r; i <= r; i++ {
			var ab, aa, bb float32
			for y := max(0, -j); y < min(a.h, a.h-j); y++ {
				p, q := a.row(y), b.row(y+j)
				x0, x1 := max(0, -i), min(a.w, a.w-i)
				p, q = p[x0:x1], q[x0+i:x1+i]
				for x, v := range p {
					w := q[x]
					ab += v * w
					aa += v * v
					bb += w * w
				}
			}
			k := (j+r)*n + i + r
			score[k] = float64(ab) / (math.Sqrt(float64(aa)*float64(bb)) + 1e-9)
			if score[k] > score[best] {
				best = k
			}
		}
	}
	i, j := best%n, best/n
	dx, dy = float64(i-r), float64(j-r)
	peak := func(lo, mid, hi float64) float64 {
		if d := lo - 2*mid + hi; d < 0 {
			return min(max((lo-hi)/(2*d), -0.5), 0.5)
		}
		return 0
	}
	if i > 0 && i < n-1 {
		dx += peak(score[best-1], score[best], score[best+1])
	}
	if j > 0 && j < n-1 {
		dy += peak(score[best-n], score[best], score[best+n])
	}
	return dx, dy, score[best]
}

// lucasKanade improves m by one step and returns how far it moved the plate's
// corners, in pixels. Places that differ by more than scale levels hardly count.
func lucasKanade(a, b plane32, m *projective, scale float64, stride int) (moved float64, ok bool) {
	var h [64]float64
	var g [8]float64
	// Every second pixel of every second row of the fine plane are 6,000 equations
	// for 8 unknowns.
	asp := a.aspect()
	for y := 2; y < a.h-2; y += stride {
		v := 2*float64(y)/float64(a.h) - 1
		rowA := a.row(y)
		for x := 2; x < a.w-2; x += stride {
			u := 2*float64(x)/float64(a.w) - 1
			dx, dy := m.move(u, v, asp)
			fx, fy := float64(x)+dx, float64(y)+dy
			i, j := int(fx), int(fy)
			if fx < 1 || fy < 1 || i >= b.w-2 || j >= b.h-2 {
				continue
			}
			k := j*b.w + i
			tx, ty := float32(fx-float64(i)), float32(fy-float64(j))
			p, q := b.v[k:k+2:k+2], b.v[k+b.w:k+b.w+2:k+b.w+2]
			gx := float64((p[1]-p[0])*(1-ty) + (q[1]-q[0])*ty)
			gy := float64((q[0]-p[0])*(1-tx) + (q[1]-p[1])*tx)
			val := (p[0]*(1-tx)+p[1]*tx)*(1-ty) + (q[0]*(1-tx)+q[1]*tx)*ty
			if gx*gx+gy*gy < 4 {
				continue // nothing that could tell a place
			}
			r := float64(rowA[x] - val)
			w := 1 / (1 + r*r/(scale*scale))
			w *= w
			k2 := gx*u + gy*v*asp
			d := [8]float64{gx, gx * u, gx * v, k2 * u, gy, gy * u, gy * v, k2 * v}
			for s := range 8 {
				ws := w * d[s]
				g[s] += ws * r
				for t := s; t < 8; t++ {
					h[8*s+t] += ws * d[t]
				}
			}
		}
	}
	if !solve8(&h, &g) {
		return 0, false
	}
	for s := range 8 {
		// Beyond two pixels a linear model says nothing.
		g[s] = min(max(g[s], -2), 2)
		m[s] += g[s]
		moved += math.Abs(g[s])
	}
	return moved, true
}

// solve8 solves the symmetric system by Cholesky's method; h holds the upper
// triangle and is used up.
func solve8(h *[64]float64, g *[8]float64) bool {
	trace := 0.0
	for i := range 8 {
		trace += h[9*i]
	}
	if !(trace > 0) {
		return false
	}
	for i := range 8 {
		h[9*i] += 1e-6 * trace // keeps what nothing fixes where it is
	}
	var l [64]float64
	for i := range 8 {
		for j := 0; j <= i; j++ {
			s := h[8*j+i]
			for k := range j {
				s -= l[8*i+k] * l[8*j+k]
			}
			if i == j {
				if s <= 0 {
					return false
				}
				l[9*i] = math.Sqrt(s)
			} else {
				l[8*i+j] = s / l[9*j]
			}
		}
	}
	for i := range 8 {
		for k := range i {
			g[i] -= l[8*i+k] * g[k]
		}
		g[i] /= l[9*i]
	}
	for i := 7; i >= 0; i-- {
		for k := i + 1; k < 8; k++ {
			g[i] -= l[8*k+i] * g[k]
		}
		g[i] /= l[9*i]
	}
	return true
}

// correlate is the correlation of a with b seen through m.
func correlate(a, b plane32, m *projective) float64 { return correlateSeen(a, b, m, nil) }

// correlateSeen leaves out cells that are hidden.
func correlateSeen(a, b plane32, m *projective, skip []bool) float64 {
	var ab, aa, bb float64
	asp := a.aspect()
	for y := 1; y < a.h-1; y += 2 {
		v := 2*float64(y)/float64(a.h) - 1
		for x := 1; x < a.w-1; x += 2 {
			if skip != nil {
				if k := y/cellPx*(a.w/cellPx) + x/cellPx; y/cellPx >= a.h/cellPx || x/cellPx >= a.w/cellPx || skip[k] {
					continue
				}
			}
			u := 2*float64(x)/float64(a.w) - 1
			dx, dy := m.move(u, v, asp)
			fx, fy := float64(x)+dx, float64(y)+dy
			if fx < 0 || fy < 0 || fx >= float64(b.w-1) || fy >= float64(b.h-1) {
				continue
			}
			p, q := float64(a.v[y*a.w+x]), float64(b.lerp(fx, fy))
			ab, aa, bb = ab+p*q, aa+p*p, bb+q*q
		}
	}
	return ab / (math.Sqrt(aa*bb) + 1e-9)
}

// lerp is the bilinear value at (x, y) inside the plane.
func (p plane32) lerp(x, y float64) float32 {
	i, j := int(x), int(y)
	fx, fy := float32(x-float64(i)), float32(y-float64(j))
	k := j*p.w + i
	a, b := p.v[k:k+2:k+2], p.v[k+p.w:k+p.w+2:k+p.w+2]
	top, bottom := a[0]+(a[1]-a[0])*fx, b[0]+(b[1]-b[0])*fx
	return top + (bottom-top)*fy
}

// through is p as a sees it under m; factor is p's resolution over that of m.
// Places outside p are marked in out.
func (p plane32) through(m *projective, factor float64, out []uint8) plane32 {
	q := newPlane(p.w, p.h)
	// m speaks of pixel indices at its own resolution; centres of pixels of
	// another lie half a pixel off.
	off := (factor - 1) / 2
	asp := p.aspect()
	for y := range p.h {
		v := 2*(float64(y)-off)/float64(p.h) - 1
		row := q.row(y)
		for x := range row {
			dx, dy := m.move(2*(float64(x)-off)/float64(p.w)-1, v, asp)
			fx, fy := float64(x)+factor*dx, float64(y)+factor*dy
			if fx < 0 || fy < 0 || fx >= float64(p.w-1) || fy >= float64(p.h-1) {
				if out != nil {
					out[y*p.w+x] |= outside
				}
				continue
			}
			row[x] = p.lerp(fx, fy)
		}
	}
	return q
}

// Why a place is not compared.
const (
	blown   uint8 = 1 // saturated
	outside uint8 = 2 // not on both pictures
)
