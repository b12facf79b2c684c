package settle

import (
	"image"
	"math"

	"fairdeck/vision/frame"
)

// grey is luma in floating point, codes 0 to 255.
type grey struct {
	w, h int
	pix  []float32
}

// greyOf is the luma of r in img, each pixel the mean of bin x bin of the
// frame's. What is left over at the right and below is left out.
func greyOf(img *frame.Image, r image.Rectangle, bin int) *grey {
	r = r.Intersect(img.Bounds())
	g := &grey{w: r.Dx() / bin, h: r.Dy() / bin}
	g.pix = make([]float32, g.w*g.h)
	inv := 1 / float32(1000*bin*bin)
	for y := range g.h {
		out := g.pix[y*g.w:][:g.w]
		for k := range bin {
			row := img.Row(r.Min.Y + y*bin + k)[3*r.Min.X:]
			for x := range out {
				var sum uint32
				p := row[3*x*bin:][:3*bin]
				for i := 0; i+2 < len(p); i += 3 {
					sum += 114*uint32(p[i]) + 587*uint32(p[i+1]) + 299*uint32(p[i+2])
				}
				out[x] += float32(sum)
			}
		}
		for x := range out {
			out[x] *= inv
		}
	}
	return g
}

// shift is how b differs from a: b(x) = gain*a(x-d) + offset.
type shift struct {
	dx, dy float64 // px of a
	gain   float64
	offset float64
	rms    float64 // of what is left, codes
	ok     bool    // false where a has no texture to tell a shift from
}

// shiftOf measures a small shift by least squares on the gradient (Lucas &
// Kanade 1981), every stride-th row, for shifts below about a pixel.
func shiftOf(a, b *grey, stride int) shift {
	if a.w != b.w || a.h != b.h || a.w < 4 || a.h < 4 {
		return shift{}
	}
	// Unknowns: gain, offset, and gain times the shift.
	var m [4][4]float64
	var v [4]float64
	var sumSq float64
	n := 0
	for y := 1; y < a.h-1; y += stride {
		up, here, down, to := a.pix[(y-1)*a.w:][:a.w], a.pix[y*a.w:][:a.w], a.pix[(y+1)*a.w:][:a.w], b.pix[y*a.w:][:a.w]
		for x := 1; x < a.w-1; x++ {
			gx, gy := float64(here[x-1]-here[x+1])/2, float64(up[x]-down[x])/2
			q := [4]float64{float64(here[x]), 1, gx, gy}
			t := float64(to[x])
			for i := range q {
				for j := i; j < 4; j++ {
					m[i][j] += q[i] * q[j]
				}
				v[i] += q[i] * t
			}
			sumSq += t * t
			n++
		}
	}
	for i := range m {
		for j := range i {
			m[i][j] = m[j][i]
		}
	}
	p, ok := solve4(m, v)
	if !ok || !(p[0] > 0.05) {
		return shift{}
	}
	left := sumSq
	for i := range p {
		left -= p[i] * v[i]
	}
	return shift{dx: p[2] / p[0], dy: p[3] / p[0], gain: p[0], offset: p[1], rms: math.Sqrt(max(0, left/float64(n))), ok: true}
}

// solve4 solves a symmetric positive system by Gaussian elimination.
func solve4(m [4][4]float64, v [4]float64) (p [4]float64, ok bool) {
	for i := range 4 {
		if !(m[i][i] > 1e-6) {
			return p, false
		}
		for j := i + 1; j < 4; j++ {
			f := m[j][i] / m[i][i]
			for k := i; k < 4; k++ {
				m[j][k] -= f * m[i][k]
			}
			v[j] -= f * v[i]
		}
	}
	for i := 3; i >= 0; i-- {
		p[i] = v[i]
		for k := i + 1; k < 4; k++ {
			p[i] -= m[i][k] * p[k]
		}
		p[i] /= m[i][i]
	}
	return p, true
}
