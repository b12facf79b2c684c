package edge

import (
	"math"
	"sync"
)

// field says where each row of the straightened side lies in each strip:
// row r of the reference strip is picture row shift[k*rows+r] + top + r in
// strip k.
type field struct {
	top, rows int // reference rows: picture rows top .. top+rows of strip ref
	ref       int
	shift     []float32 // strips x rows, px
	match     []float64 // per strip: correlation with the side, -1 to 1
}

func (f *field) at(k int) []float32 { return f.shift[k*f.rows : (k+1)*f.rows] }

// trace follows every layer line from the middle strip outwards.
//
// From one strip to the next a row may move by up to two pixels, and
// neighbouring rows nearly alike; the best such movement of all rows together
// is found by dynamic programming (the dynamic time warping of Sakoe & Chiba
// 1978 with a slope limit), in steps of half a pixel, against a running mean
// of the strips passed so far. A line cannot be mistaken for its neighbour as
// long as it moves by less than half a layer from strip to strip, so tilted,
// bowed and warped layers all come out level.
func trace(s *strips, reg region) *field {
	margin := (reg.bottom-reg.top)/6 + 24
	f := &field{ref: (reg.from + reg.to) / 2}
	f.top = max(0, reg.top-margin)
	f.rows = min(s.rows, reg.bottom+margin) - f.top
	f.shift = make([]float32, s.n*f.rows)
	f.match = make([]float64, s.n)
	start := slope(s.at(f.ref))[f.top : f.top+f.rows]
	f.match[f.ref] = 1
	var wg sync.WaitGroup
	for _, step := range []int{-1, 1} {
		wg.Go(func() {
			mean := append([]float32(nil), start...)
			t := newTracker(f.rows)
			last := f.at(f.ref)
			for k := f.ref + step; k >= 0 && k < s.n; k += step {
				cur := f.at(k)
				f.match[k] = t.follow(mean, slope(s.at(k)), f.top, last, cur, reg.top-f.top, reg.bottom-f.top)
				last = cur
			}
		})
	}
	wg.Wait()
	return f
}

const (
	moves    = 9   // shifts tried per strip: -2 to 2 px in halves
	moveStep = 0.5 // px
)

type tracker struct {
	cost []float32 // rows x moves
	sum  []float32
	from []int8
	smp  []float32
}

func newTracker(rows int) *tracker {
	return &tracker{cost: make([]float32, rows*moves), sum: make([]float32, rows*moves),
		from: make([]int8, rows*moves), smp: make([]float32, rows*moves)}
}

// follow finds cur, the shift of each row in the strip with slopes g, given
// the last strip's, and folds the strip into the mean. It returns the
// correlation over rows [y0, y1).
func (t *tracker) follow(mean, g []float32, top int, last, cur []float32, y0, y1 int) float64 {
	rows := len(mean)
	var energy float64
	for _, v := range mean {
		energy += float64(v) * float64(v)
	}
	energy = energy/float64(rows) + 1e-3
	for r := range rows {
		for m := range moves {
			y := float32(top+r) + last[r] + (float32(m)-moves/2)*moveStep
			v := lerp(g, y)
			t.smp[r*moves+m] = v
			d := v - mean[r]
			t.cost[r*moves+m] = d * d
		}
	}
	// A step of half a pixel from one row to the next stretches or squeezes
	// the side; it costs a third of a mismatch of one typical slope, and
	// standing off the last strip's course costs a little, so that plain
	// rows keep going straight on.
	step := float32(0.3 * energy)
	off := float32(0.02 * energy)
	for m := range moves {
		t.sum[m] = t.cost[m]
	}
	for r := 1; r < rows; r++ {
		for m := range moves {
			b, best := m, t.sum[(r-1)*moves+m]
			if m > 0 {
				if v := t.sum[(r-1)*moves+m-1] + step; v < best {
					b, best = m-1, v
				}
			}
			if m+1 < moves {
				if v := t.sum[(r-1)*moves+m+1] + step; v < best {
					b, best = m+1, v
				}
			}
			o := float32(m - moves/2)
			t.sum[r*moves+m] = best + t.cost[r*moves+m] + off*o*o
			t.from[r*moves+m] = int8(b)
		}
	}
	m := 0
	for i := range moves {
		if t.sum[(rows-1)*moves+i] < t.sum[(rows-1)*moves+m] {
			m = i
		}
	}
	var ab, aa, bb float64
	for r := rows - 1; r >= 0; r-- {
		cur[r] = last[r] + (float32(m)-moves/2)*moveStep
		v := t.smp[r*moves+m]
		if r >= y0 && r < y1 {
			p, q := float64(v), float64(mean[r])
			ab, aa, bb = ab+p*q, aa+p*p, bb+q*q
		}
		t.sum[r] = v // reuse: the strip's own slopes, straightened
		if r > 0 {
			m = int(t.from[r*moves+m])
		}
	}
	match := 0.0
	if aa > 0 && bb > 0 {
		match = ab / math.Sqrt(aa*bb)
	}
	smoothShift(cur)
	// Strips that fit teach; a hand or the background does not.
	if match > 0.5 {
		for r := range rows {
			mean[r] += 0.2 * (t.sum[r] - mean[r])
		}
	}
	return match
}

// smoothShift takes the half-pixel steps out: a mean of nine rows.
func smoothShift(u []float32) {
	const h = 4
	if len(u) < 2*h+1 {
		return
	}
	src := append([]float32(nil), u...)
	sum := float32(0)
	for i := range 2 * h {
		sum += src[i]
	}
	for r := h; r+h < len(u); r++ {
		sum += src[r+h]
		u[r] = sum / (2*h + 1)
		sum -= src[r-h]
	}
}

// lerp samples a profile between pixels; beyond the rim it is 0.
func lerp(p []float32, y float32) float32 {
	if y < 0 || y >= float32(len(p)-1) {
		return 0
	}
	i := int(y)
	f := y - float32(i)
	return p[i]*(1-f) + p[i+1]*f
}

// lerpEdge samples a profile between pixels; beyond the rim it repeats it.
func lerpEdge(p []float32, y float32) float32 {
	if !(y > 0) {
		return p[0]
	}
	if y >= float32(len(p)-1) {
		return p[len(p)-1]
	}
	i := int(y)
	f := y - float32(i)
	return p[i]*(1-f) + p[i+1]*f
}
