package sleeve

import (
	"math"
	"slices"

	"fairdeck/internal/cv"
)

// Scratches are found by sums along straight segments of every direction: a
// line too faint to see in any one pixel stands out over fifty (beamlets; see
// cv.LineMaxima).

// segment is a straight run of pixels with its score: the squared sum over
// its variance on clean material.
type segment struct {
	x0, y0, x1, y1 int // ends, px
	score          float64
	dark           bool // darker than the consensus
}

func (s segment) midX() float64 { return float64(s.x0+s.x1) / 2 }
func (s segment) midY() float64 { return float64(s.y0+s.y1) / 2 }

// lineLengthsMM are the lengths looked for; each is rounded to a power of two
// in pixels.
var lineLengthsMM = [...]float64{2.7, 5.4, 10.8}

// lineLevels returns the powers of two for the deck's scale.
func (d *deck) lineLevels() []int {
	var out []int
	for _, mm := range lineLengthsMM {
		k := int(math.Round(math.Log2(mm * d.px)))
		if k >= 3 && 1<<k < min(d.w, d.h) && !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}

// lineKeep is how many segments of each level and polarity are kept.
const lineKeep = 4 * tailRanks

// lineMost are kept at first: a line has some dozens of neighbours that are
// nearly it.
const lineMost = 24 * lineKeep

// Lines are looked for in the finest level's response, projected on the change
// that a little white light makes (a scratch scatters, ink absorbs), over its
// noise times the tile's factor: see linePlaneOf.

// lines returns, for each line level, the strongest segments of both
// polarities, bright first, with scores normalised by the sleeve's own noise.
func (d *deck) lines(plane []float32, levels []int) ([][2][]segment, error) {
	out := make([][2][]segment, len(levels))
	if len(levels) == 0 {
		return out, nil
	}
	// Three sigma: nothing below is among the strongest of a sleeve.
	work := d.scratch.get(cv.LineWork(d.w, d.h, levels[len(levels)-1]))
	found, err := cv.LineMaxima(plane, d.w, d.h, levels, linePixelLimit, 3*madToSigma, lineMost, work)
	d.scratch.put(work)
	if err != nil {
		return nil, err
	}
	for l, f := range found {
		sigma := math.Max(madToSigma*f.Median, 1e-9)
		apart := float64(int(1)<<levels[l]) / 2
		var raw [2][]segment
		for _, s := range f.Lines {
			p := one(s.Sum < 0)
			raw[p] = append(raw[p], segment{x0: s.X0, y0: s.Y0, x1: s.X1, y1: s.Y1, score: math.Abs(s.Sum), dark: p == 1})
		}
		for p := range raw {
			out[l][p] = strongest(raw[p], lineKeep, apart)
			for i := range out[l][p] {
				out[l][p][i].score = sq(out[l][p][i].score / sigma)
			}
		}
	}
	return out, nil
}

// strongest keeps the n strongest segments whose middles keep apart. s is
// reordered.
func strongest(s []segment, n int, apart float64) []segment {
	slices.SortFunc(s, func(a, b segment) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		case a.y0 != b.y0:
			return a.y0 - b.y0
		case a.x0 != b.x0:
			return a.x0 - b.x0
		case a.y1 != b.y1:
			return a.y1 - b.y1
		}
		return a.x1 - b.x1
	})
	var kept []segment
	for _, c := range s {
		free := true
		for _, q := range kept {
			if math.Hypot(c.midX()-q.midX(), c.midY()-q.midY()) < apart {
				free = false
				break
			}
		}
		if free {
			if kept = append(kept, c); len(kept) == n {
				break
			}
		}
	}
	return kept
}

// linePixelLimit is how many sigmas one pixel may contribute: a dust speck
// must not make a star of lines.
const linePixelLimit = 3.5

// learnLightDir sets the matched filter for added white light at the finest
// level: e' C^-1 over its own noise, with e the change in the normalised
// channels and C the responses' covariance (Kay 1998, Fundamentals of
// Statistical Signal Processing II, 4.4).
func (d *deck) learnLightDir(b *filterBank) {
	slope := codeSlope()
	var e [3]float64
	n := 0.0
	for y := 0; y < d.h; y += 5 {
		for x := 0; x < d.w; x += 5 {
			i := y*d.w + x
			if b.mask[i] == 0 {
				continue
			}
			n++
			for c := range e {
				e[c] += float64(slope[int(b.order.mid[3*i+c]>>8)] * b.inv[c][i])
			}
		}
	}
	if n == 0 {
		return
	}
	// W = inverse Cholesky: C^-1 = W'W.
	w := b.white[0]
	y0 := w[0] * e[0]
	y1 := w[1]*e[0] + w[2]*e[1]
	y2 := w[3]*e[0] + w[4]*e[1] + w[5]*e[2]
	norm := math.Sqrt(y0*y0 + y1*y1 + y2*y2)
	if norm == 0 {
		return
	}
	b.lightDir[0] = float32((w[0]*y0 + w[1]*y1 + w[3]*y2) / norm)
	b.lightDir[1] = float32((w[2]*y1 + w[4]*y2) / norm)
	b.lightDir[2] = float32(w[5] * y2 / norm)
}
