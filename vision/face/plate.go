package face

import (
	"math"

	"fairdeck/vision/frame"
)

// View is the front of one card seen from straight above, as card.Rectify
// makes it: (WidthMM+2*MarginMM)*PxPerMM pixels wide, likewise high.
type View struct {
	Image         *frame.Image
	PxPerMM       float64
	WidthMM       float64 // of the card or sleeve
	HeightMM      float64
	MarginMM      float64 // of table around it
	SourcePxPerMM float64 // of the frame it was made from; 0: PxPerMM
}

const (
	// finePxPerMM is the resolution at which letters are compared: the figures
	// of strengths are 1.7 mm high on real cards and have 7 pixels then; twice
	// as many would cost four times as much.
	finePxPerMM = 4.0
	// rimMM is left out at every side: the sleeve's seam does not move with the
	// card inside, and within 3 mm of the edge cards bear a border and no print.
	rimMM = 3.0
)

// plane32 is one channel of a plate.
type plane32 struct {
	w, h int
	v    []float32
}

func newPlane(w, h int) plane32 { return plane32{w, h, make([]float32, w*h)} }

func (p plane32) row(y int) []float32 { return p.v[y*p.w : (y+1)*p.w] }

// plate is a view made ready to be compared: everything at resolutions that
// all cards of a deck share, rim left out.
type plate struct {
	light  plane32   // luma, gamma-encoded, 0 to 255, finePxPerMM
	soft   plane32   // light, means of 3 by 3 pixels
	peak   []float32 // of each cell of light: the brightest of soft
	print  plane32   // light without what changes over more than a millimetre
	blown  []uint8   // 1 where light is saturated
	red    plane32   // logarithms of red and blue over green, half resolution
	blue   plane32
	half   plane32   // luma at half resolution, for finding the place
	thumb  []float32 // cells of 3 mm: luma without its mean, and colour; for a first look
	tw, th int
}

// newPlate reduces the picture; w and h are the deck's common size in mm.
func newPlate(v *View, widthMM, heightMM float64) *plate {
	w, h := int((widthMM-2*rimMM)*finePxPerMM)/2*2, int((heightMM-2*rimMM)*finePxPerMM)/2*2
	p := &plate{light: newPlane(w, h), blown: make([]uint8, w*h), half: newPlane(w/2, h/2), red: newPlane(w/2, h/2), blue: newPlane(w/2, h/2)}
	bgr := reduce(v, widthMM, heightMM, w, h)
	for i := range w * h {
		b, g, r := bgr[3*i], bgr[3*i+1], bgr[3*i+2]
		p.light.v[i] = 0.114*b + 0.587*g + 0.299*r
		if max(b, g, r) >= 250 && min(b, g, r) >= 235 {
			p.blown[i] = 1
		}
	}
	for y := range h / 2 {
		for x := range w / 2 {
			var c [3]float32
			for _, k := range [4]int{2*y*w + 2*x, 2*y*w + 2*x + 1, (2*y+1)*w + 2*x, (2*y+1)*w + 2*x + 1} {
				for n := range 3 {
					c[n] += bgr[3*k+n] / 4
				}
			}
			i := y*(w/2) + x
			p.half.v[i] = 0.114*c[0] + 0.587*c[1] + 0.299*c[2]
			// The constant keeps the noise of dark places from growing without
			// bound; a gain of the camera is a constant here.
			p.red.v[i] = 100 * logRatio(c[2], c[1])
			p.blue.v[i] = 100 * logRatio(c[0], c[1])
		}
	}
	p.finish()
	return p
}

// printRadius of the box that is taken from light, in pixels: letters and lines
// are thinner than its 1.75 mm, the rim of a lamp's reflection is wider.
const printRadius = 3

// finish derives what follows from light, half, red and blue.
func (p *plate) finish() {
	p.soft = boxMean(p.light, 1)
	cols, rows := p.light.w/cellPx, p.light.h/cellPx
	p.peak = make([]float32, cols*rows)
	for y := range rows * cellPx {
		for x, v := range p.soft.row(y)[:cols*cellPx] {
			k := y/cellPx*cols + x/cellPx
			p.peak[k] = max(p.peak[k], v)
		}
	}
	mean := boxMean(p.light, printRadius)
	p.print = newPlane(p.light.w, p.light.h)
	for i, v := range p.light.v {
		p.print.v[i] = v - mean.v[i]
	}
	p.look()
}

func logRatio(a, b float32) float32 { return float32(math.Log(float64((a + 16) / (b + 16)))) }

// reduce samples the picture at the plate's pixels with a triangle as wide as
// the coarser of the two grids, along rows and then along columns: what is
// finer than the plate's pixels must not turn up as something coarser.
func reduce(v *View, widthMM, heightMM float64, w, h int) []float32 {
	// The deck's common size is laid over the card's own.
	tx := taps(w, v.WidthMM/widthMM, v.MarginMM, v.PxPerMM, v.Image.Width)
	ty := taps(h, v.HeightMM/heightMM, v.MarginMM, v.PxPerMM, v.Image.Height)
	m := v.Image
	wide := make([]float32, 3*w*m.Height)
	for y := range m.Height {
		src, dst := m.Pix[3*y*m.Width:3*(y+1)*m.Width], wide[3*y*w:3*(y+1)*w]
		for x := range w {
			var b, g, r float32
			k := 3 * tx[x].from
			for _, c := range tx[x].weights {
				b += c * float32(src[k])
				g += c * float32(src[k+1])
				r += c * float32(src[k+2])
				k += 3
			}
			dst[3*x], dst[3*x+1], dst[3*x+2] = b, g, r
		}
	}
	out := make([]float32, 3*w*h)
	for y := range h {
		dst := out[3*y*w : 3*(y+1)*w]
		for k, c := range ty[y].weights {
			for i, s := range wide[3*(ty[y].from+k)*w : 3*(ty[y].from+k+1)*w] {
				dst[i] += c * s
			}
		}
	}
	return out
}

// tap is the share of each source pixel in one pixel.
type tap struct {
	from    int
	weights []float32
}

func taps(n int, scale, marginMM, pxPerMM float64, size int) []tap {
	out := make([]tap, n)
	radius := max(1, pxPerMM/finePxPerMM)
	for i := range out {
		at := ((rimMM+(float64(i)+0.5)/finePxPerMM)*scale+marginMM)*pxPerMM - 0.5
		from, to := max(0, int(math.Ceil(at-radius))), min(size-1, int(math.Floor(at+radius)))
		from = min(from, size-1)
		to = max(to, from)
		t := tap{from: from}
		sum := float32(0)
		for k := from; k <= to; k++ {
			c := float32(max(1e-6, 1-math.Abs(float64(k)-at)/radius))
			t.weights = append(t.weights, c)
			sum += c
		}
		for k := range t.weights {
			t.weights[k] /= sum
		}
		out[i] = t
	}
	return out
}

// cellMM is the side of a cell of the first look.
const cellMM = 3.0

// look makes the thumb.
func (p *plate) look() {
	cell := int(cellMM * finePxPerMM / 2)
	p.tw, p.th = p.half.w/cell, p.half.h/cell
	// Centred, so that a half turn maps cells to cells.
	ox, oy := (p.half.w-p.tw*cell)/2, (p.half.h-p.th*cell)/2
	n := p.tw * p.th
	p.thumb = make([]float32, 3*n)
	for k, pl := range []plane32{p.half, p.red, p.blue} {
		part := p.thumb[k*n : (k+1)*n]
		sum := float32(0)
		for j := range p.th {
			for i := range p.tw {
				s := float32(0)
				for y := range cell {
					for _, v := range pl.v[(oy+j*cell+y)*pl.w+ox+i*cell:][:cell] {
						s += v
					}
				}
				part[j*p.tw+i] = s / float32(cell*cell)
				sum += part[j*p.tw+i]
			}
		}
		mean := sum / float32(n)
		for i := range part {
			part[i] -= mean
		}
	}
	// One length for luma and one for colour, whatever the contrast.
	normalise(p.thumb[:n], 4)
	normalise(p.thumb[n:], 4)
}

// normalise gives the vector unit length; floor is the spread below which
// there is nothing but noise.
func normalise(v []float32, floor float32) {
	s := float32(0)
	for _, x := range v {
		s += x * x
	}
	s = float32(math.Sqrt(float64(s))) + floor*float32(math.Sqrt(float64(len(v))))*0.25
	for i := range v {
		v[i] /= s
	}
}

// turned is the plate of the card turned by half a turn.
func (p *plate) turned() *plate {
	q := *p
	turn := func(a plane32) plane32 {
		b := newPlane(a.w, a.h)
		for i, v := range a.v {
			b.v[len(a.v)-1-i] = v
		}
		return b
	}
	q.light, q.half, q.red, q.blue = turn(p.light), turn(p.half), turn(p.red), turn(p.blue)
	q.blown = make([]uint8, len(p.blown))
	for i, v := range p.blown {
		q.blown[len(p.blown)-1-i] = v
	}
	q.finish()
	return &q
}

// alike is the likeness of two thumbs, -1 to 1, as they lie and with one of
// them turned.
func alike(a, b *plate) (straight, turned float64) {
	n := a.tw * a.th
	var s, t [2]float32
	for k := range 3 {
		c := min(k, 1)
		x, y := a.thumb[k*n:(k+1)*n], b.thumb[k*n:(k+1)*n]
		for i, v := range x {
			s[c] += v * y[i]
			t[c] += v * y[n-1-i]
		}
	}
	return float64(0.6*s[0] + 0.4*s[1]), float64(0.6*t[0] + 0.4*t[1])
}
