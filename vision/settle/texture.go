package settle

import (
	"math"
	"slices"

	"fairdeck/vision/plane"
)

// likeness compares two pictures of a region, one of them moved, block by
// block: each block has its own light.
type likeness struct {
	blocks int // that show anything

	// agree is the share of those blocks whose pixels are the same but for
	// noise and light.
	agree float64

	// print is the median correlation of the blocks, fine is that of what is
	// finer than a millimetre or so: grain, dust, scratches, print.
	print, fine float64

	// excess is the median over all blocks of the variance of the difference
	// over that of noise and of an error of a twentieth pixel.
	excess float64

	// detail is the median over all blocks of the fine variance over noise.
	detail float64
}

const (
	// blockPx is the side of a block in pixels of the half frame: some 3 mm of
	// a card that fills a third of a 720p frame's width.
	blockPx = 10

	// placeError is the error of a registration in pixels that does not count
	// as a difference.
	placeError = 0.05
)

// compare looks at b through s beside a in the region; noise is the standard
// deviation of the difference of two pictures of the same, codes.
func compare(a, b *grey, s similar, in region, noise float64) likeness {
	const n = blockPx
	y0, y1 := in.rows(a.h)
	x0, x1 := math.Inf(1), math.Inf(-1)
	for _, p := range in {
		x0, x1 = min(x0, p.X), max(x1, p.X)
	}
	left, right := max(2, int(x0)), min(a.w-2, int(x1)+1)
	y0, y1 = max(y0, 2), min(y1, a.h-2)
	var l likeness
	var prints, fines, excesses, details []float64
	agree := 0
	var u, t, fu, ft [n * n]float64
	for by := y0; by+n <= y1; by += n {
		for bx := left; bx+n <= right; bx += n {
			if !inside(in, bx, by, n) {
				continue
			}
			ok := true
			var grad float64
			for y := range n {
				for x := range n {
					px, py := bx+x, by+y
					v := a.pix[py*a.w+px]
					w, good := b.at(s.at(plane.Point{X: float64(px), Y: float64(py)}))
					ok = ok && good
					u[y*n+x], t[y*n+x] = float64(v), w
					gx, gy := float64(a.pix[py*a.w+px+1]-a.pix[py*a.w+px-1])/2, float64(a.pix[(py+1)*a.w+px]-a.pix[(py-1)*a.w+px])/2
					grad += gx*gx + gy*gy
				}
			}
			if !ok {
				continue
			}
			grad /= n * n
			vu, vt, c := moments(u[:], t[:])
			g := 1.0
			if vu > 0 {
				g = clamp64(c/vu, 0.5, 2)
			}
			left := vt - 2*g*c + g*g*vu
			floor := noise*noise + placeError*placeError*2*grad + 0.02
			excesses = append(excesses, left/floor)
			fine(&u, &fu)
			fine(&t, &ft)
			fvu, fvt, fc := moments(fu[:], ft[:])
			details = append(details, math.Sqrt(fvu*fvt)/(noise*noise/2+0.01))
			if vu > 4*floor || vt > 4*floor {
				l.blocks++
				prints = append(prints, c/math.Sqrt(vu*vt+1e-9))
				if left < 9*floor || c > 0.95*math.Sqrt(vu*vt) {
					agree++
				}
			}
			fines = append(fines, fc/math.Sqrt(fvu*fvt+1e-9))
		}
	}
	l.print, l.fine, l.excess, l.detail = median(prints), median(fines), median(excesses), median(details)
	if l.blocks > 0 {
		l.agree = float64(agree) / float64(l.blocks)
	}
	return l
}

// fine takes the mean of 5 x 5 pixels off, fewer at the border.
func fine(u, out *[blockPx * blockPx]float64) {
	const n, r = blockPx, 2
	var across [n * n]float64
	for y := range n {
		for x := range n {
			sum, k := 0.0, 0.0
			for i := max(0, x-r); i <= min(n-1, x+r); i++ {
				sum += u[y*n+i]
				k++
			}
			across[y*n+x] = sum / k
		}
	}
	for x := range n {
		for y := range n {
			sum, k := 0.0, 0.0
			for j := max(0, y-r); j <= min(n-1, y+r); j++ {
				sum += across[j*n+x]
				k++
			}
			out[y*n+x] = u[y*n+x] - sum/k
		}
	}
}

// moments are the variances and the covariance.
func moments(u, t []float64) (vu, vt, c float64) {
	var mu, mt float64
	for i := range u {
		mu += u[i]
		mt += t[i]
	}
	n := float64(len(u))
	mu, mt = mu/n, mt/n
	for i := range u {
		p, q := u[i]-mu, t[i]-mt
		vu += p * p
		vt += q * q
		c += p * q
	}
	return vu / n, vt / n, c / n
}

func inside(q region, x, y, n int) bool {
	p := plane.Quad(q)
	for _, k := range [4][2]int{{0, 0}, {n, 0}, {0, n}, {n, n}} {
		if !p.Contains(plane.Point{X: float64(x + k[0]), Y: float64(y + k[1])}) {
			return false
		}
	}
	return true
}

// at is the bilinear value; ok is false outside.
func (g *grey) at(p plane.Point) (v float64, ok bool) {
	i, j := int(math.Floor(p.X)), int(math.Floor(p.Y))
	if i < 0 || j < 0 || i >= g.w-1 || j >= g.h-1 {
		return 0, false
	}
	fx, fy := float32(p.X-float64(i)), float32(p.Y-float64(j))
	a, b := g.pix[j*g.w+i:][:2], g.pix[(j+1)*g.w+i:][:2]
	t, u := a[0]+(a[1]-a[0])*fx, b[0]+(b[1]-b[0])*fx
	return float64(t + (u-t)*fy), true
}

func clamp64(v, lo, hi float64) float64 { return max(lo, min(hi, v)) }

func median(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	slices.Sort(v)
	return v[len(v)/2]
}

// rim is how much of the outline of one card, where the other does not cover
// it, is there in both pictures.
type rim struct {
	points int     // that are not covered
	stays  float64 // share of them at which both pictures show the same edge

	// plain is how many of them show an edge that compression and a shadow do
	// not hide, leaves the share of those at which the other shows another.
	plain  int
	leaves float64
}

const (
	rimStep   = 3 // px of the half frame along the outline
	rimReach  = 3 // px across it
	rimClear  = 2 // px beside the other card's outline, its shadow
	rimEnough = 8 // points

	// plainEdge is the variance of a profile in codes squared, its slope taken
	// off, beyond what JPEG does to a faint line.
	plainEdge = 6
)

// rimOf looks along the outline q, visible in a, for whether b shows it at
// the same place, leaving out what lies inside or near cover.
func rimOf(a, b *grey, q, cover region, noise float64) rim {
	var r rim
	c := cover.grown(rimClear + rimReach)
	stays, leaves := 0, 0
	var u, t [2*rimReach + 1]float64
	for i := range q {
		p0, p1 := q[i], q[(i+1)%4]
		d := p1.Sub(p0)
		long := d.Norm()
		if long < 10 {
			continue
		}
		d = d.Mul(1 / long)
		n := plane.Point{X: d.Y, Y: -d.X} // outwards
		for at := 4.0; at < long-4; at += rimStep {
			m := p0.Add(d.Mul(at))
			if cover != (region{}) && plane.Quad(c).Contains(m) {
				continue // an empty quad has every point inside
			}
			ok := true
			for k := range u {
				w := m.Add(n.Mul(float64(k - rimReach)))
				var g1, g2 bool
				u[k], g1 = a.at(w)
				t[k], g2 = b.at(w)
				ok = ok && g1 && g2
			}
			if !ok {
				continue
			}
			// The soft shadow of what came to lie near is no edge.
			level(&u)
			level(&t)
			vu, vt, cov := moments(u[:], t[:])
			if vu < 5*noise*noise+0.5 {
				continue // no edge to be seen here
			}
			r.points++
			same := cov > 0.8*math.Sqrt(vu*vt) && vt > 0.2*vu && vt < 5*vu
			if same {
				stays++
			}
			if vu > 25*noise*noise+plainEdge {
				r.plain++
				if !same {
					leaves++
				}
			}
		}
	}
	if r.plain > 0 {
		r.leaves = float64(leaves) / float64(r.plain)
	}
	if r.points > 0 {
		r.stays = float64(stays) / float64(r.points)
	}
	return r
}

// level takes the straight line through a profile off.
func level(v *[2*rimReach + 1]float64) {
	var sum, slope, norm float64
	for i, w := range v {
		k := float64(i - rimReach)
		sum += w
		slope += k * w
		norm += k * k
	}
	for i := range v {
		v[i] -= sum/float64(len(v)) + slope/norm*float64(i-rimReach)
	}
}

// softened is the grey after a binomial filter of three by three.
func softened(g *grey) *grey {
	out := &grey{w: g.w, h: g.h, pix: make([]float32, len(g.pix))}
	copy(out.pix, g.pix)
	row := make([]float32, g.w)
	for y := 1; y < g.h-1; y++ {
		a, b, c := g.pix[(y-1)*g.w:][:g.w], g.pix[y*g.w:][:g.w], g.pix[(y+1)*g.w:][:g.w]
		for x := range row {
			row[x] = a[x] + 2*b[x] + c[x]
		}
		to := out.pix[y*g.w:][:g.w]
		for x := 1; x < g.w-1; x++ {
			to[x] = (row[x-1] + 2*row[x] + row[x+1]) / 16
		}
	}
	return out
}

// variance of the differences of neighbours: how sharp the region is.
func variance(g *grey, in region) float64 {
	sum, n := 0.0, 0
	y0, y1 := in.rows(g.h)
	for y := y0; y < y1; y += 2 {
		x0, x1 := in.span(float64(y), g.w)
		row := g.pix[y*g.w:][:g.w]
		for x := x0; x+1 < x1; x++ {
			d := float64(row[x+1] - row[x])
			sum += d * d
			n++
		}
	}
	return sum / float64(max(1, n))
}
