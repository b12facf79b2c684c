package sleeve

import (
	"math"
	"slices"
)

// Scratches are found by sums along straight segments of every direction: a
// line too faint to see in any one pixel stands out over fifty. All segments
// of length 2^k that start on a grid are summed together by doubling, each of
// two halves, which costs one addition per pixel, level and quadrant (the
// approximate discrete Radon transform: Goetz & Druck 1996; Brady 1998;
// Donoho & Huo 2002, "Beamlets and multiscale image analysis").

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

// lineSums calls f for every quadrant and wanted level with the table of sums:
// sums[strip][slope][y] over strips of 2^k columns of the (perhaps flipped or
// transposed) plane, h rows each. ends turns an entry into pixel coordinates.
func lineSums(sc *scratch, plane []float32, w, h int, levels []int, f func(level int, sums []float32, strips, h int, ends func(strip, slope, y int) (x0, y0, x1, y1 int))) {
	for quadrant := range 4 {
		transposed, flipped := quadrant&1 != 0, quadrant&2 != 0
		tw, th := w, h
		if transposed {
			tw, th = h, w
		}
		// Column-major with room below, so that a half may start beyond the
		// rim and count nothing.
		top := levels[len(levels)-1]
		room := th + (1 << top)
		cur, next := sc.get(tw*room), sc.get(tw*room)
		for x := range tw {
			col := cur[x*room : x*room+th]
			clear(cur[x*room+th : (x+1)*room])
			for y := range col {
				sy := y
				if flipped {
					sy = th - 1 - y
				}
				if transposed {
					col[y] = plane[x*w+sy]
				} else {
					col[y] = plane[sy*w+x]
				}
			}
		}
		strips := tw // strips at this level, each with 2^k slopes
		for k := 1; k <= top; k++ {
			strips /= 2
			slopes := 1 << k
			for j := range strips {
				for s := range slopes {
					a := cur[((2*j)*(slopes/2)+s/2)*room:]
					shift := (s + 1) / 2
					b := cur[((2*j+1)*(slopes/2)+s/2)*room+shift:]
					n := room - shift
					out := next[(j*slopes+s)*room : (j*slopes+s)*room+room]
					a, b = a[:n], b[:n]
					for y, v := range a {
						out[y] = v + b[y]
					}
					clear(out[n:])
				}
			}
			cur, next = next, cur
			if slices.Contains(levels, k) {
				f(k, cur, strips, room, func(strip, slope, y int) (x0, y0, x1, y1 int) {
					x0, x1 = strip<<k, strip<<k+slopes-1
					y0, y1 = y, y+slope
					if flipped {
						y0, y1 = th-1-y0, th-1-y1
					}
					if transposed {
						x0, y0, x1, y1 = y0, x0, y1, x1
					}
					return x0, y0, x1, y1
				})
			}
		}
		sc.put(cur, next)
	}
}

// lineKeep is how many segments of each level and polarity are kept.
const lineKeep = 4 * tailRanks

// lines returns, for each line level, the strongest segments of both
// polarities, bright first, with scores normalised by the sleeve's own noise.
func (d *deck) lines(plane []float32, levels []int) [][2][]segment {
	out := make([][2][]segment, len(levels))
	if len(levels) == 0 {
		return out
	}
	raw := make([][2][]segment, len(levels))
	samples := make([][]float64, len(levels))
	lineSums(&d.scratch, plane, d.w, d.h, levels, func(k int, sums []float32, strips, room int, ends func(strip, slope, y int) (int, int, int, int)) {
		l := slices.Index(levels, k)
		slopes := 1 << k
		// A first look at the scatter: every 97th sum.
		var abs []float64
		for i := 0; i < strips*slopes*room; i += 97 {
			if v := sums[i]; v != 0 {
				abs = append(abs, math.Abs(float64(v)))
			}
		}
		samples[l] = append(samples[l], abs...)
		sigma := madToSigma * median(abs)
		floor := float32(3 * sigma)
		if !(floor > 0) {
			return
		}
		for j := range strips {
			for s := range slopes {
				at := (j*slopes + s) * room
				col := sums[at : at+room]
				for y := 1; y+1 < room; y++ {
					v := col[y]
					if v < 0 {
						v = -v
					}
					if v < floor {
						continue
					}
					// A maximum along y and against the neighbouring slopes.
					if max(col[y-1], -col[y-1]) > v || max(col[y+1], -col[y+1]) >= v {
						continue
					}
					if s > 0 {
						if o := sums[at-room+y]; max(o, -o) >= v {
							continue
						}
					}
					if s+1 < slopes {
						if o := sums[at+room+y]; max(o, -o) > v {
							continue
						}
					}
					x0, y0, x1, y1 := ends(j, s, y)
					if x0 < 0 || y0 < 0 || x1 < 0 || y1 < 0 || x0 >= d.w || x1 >= d.w || y0 >= d.h || y1 >= d.h {
						continue
					}
					seg := segment{x0: x0, y0: y0, x1: x1, y1: y1, score: float64(v), dark: col[y] < 0}
					p := 0
					if seg.dark {
						p = 1
					}
					raw[l][p] = append(raw[l][p], seg)
				}
			}
		}
	})
	for l := range levels {
		sigma := madToSigma * median(samples[l])
		apart := float64(int(1)<<levels[l]) / 2
		for p := range 2 {
			out[l][p] = strongest(raw[l][p], lineKeep, apart)
			for i := range out[l][p] {
				out[l][p][i].score = sq(out[l][p][i].score / math.Max(sigma, 1e-9))
			}
		}
	}
	return out
}

// strongest keeps the n strongest segments whose middles keep apart.
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

// linePlane is what lines are looked for in: the finest level's response
// projected on the change that a little white light makes (a scratch
// scatters, ink absorbs), over its noise.
func (b *filterBank) linePlane(sc *scratch, r [3][]float32, factor func(x, y int) float32, w, h int) []float32 {
	q := sc.zero(w * h)
	m := b.layers[0].m
	for y := range h {
		for x := range w {
			i := y*w + x
			if m[i] > 0.5 {
				v := (b.lightDir[0]*r[0][i] + b.lightDir[1]*r[1][i] + b.lightDir[2]*r[2][i]) * factor(x, y)
				// One dust speck must not make a star of lines: each pixel's
				// share of a sum is limited to what makes a line a line.
				q[i] = max(-linePixelLimit, min(linePixelLimit, v))
			}
		}
	}
	return q
}

// linePixelLimit is how many sigmas one pixel may contribute.
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
