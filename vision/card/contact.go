package card

import (
	"math"
	"slices"

	"fairdeck/vision/plane"
)

// Where a lamp does not reach, beside a card, the table is dark, and its light
// comes back over a pixel or five. To a step detector the middle of that rise
// is the edge, outside of the card; the card ends where the rise begins. So
// the last fit of a side is one of the whole profile across it:
//
//	card, in any colour and with a slope  |  table's own colour times k(x)
//
// Shadow takes light in equal parts from all colours, and the less the further
// out: k is one factor for the three channels that never falls. It is a sum
// of steps none of which is negative, at fixed distances from the edge. The
// edge itself is as sharp as the lens, the rise of k need not be. What is
// left over of the profile, as a function of the edge's place, says both where
// the edge is and how certain that is: a black sleeve in a black shadow has
// many places for its edge, and the uncertainty says so.

// contactSteps are the distances, in mm of a card of 64 mm, at which the
// table's light may rise: a sleeve is half a millimetre thick and lamps stand
// above 25 degrees.
var contactSteps = [...]float64{0.12, 0.25, 0.42, 0.65, 1.0}

const (
	contactTerms = 1 + len(contactSteps)
	contactStep  = 0.5  // px between samples
	contactIn    = 2.5  // px of card at the least
	contactRim   = 0.3  // mm at the card's edge where its surface falls away
	contactFar   = 1.3  // mm of table
	contactReach = 0.75 // mm that the edge may lie further in than the step detector says
	contactOut   = 1.5  // px that it may lie further out
	contactGrid  = 0.25 // px between the places tried
)

// Below contactLeast px for a millimetre a shadow is less than a pixel wide, and
// where the next card is nearer than contactGap mm there is no table to see.
const (
	contactLeast = 2.5
	contactGap   = 1.6
)

// contacts moves the sides to where the card ends and its shadow begins, and
// returns the new corners. gaps are the distances to the next card, px.
func (sm *sampler) contacts(sides *[4]sideCurve, gaps [4]float64, rooms [4]room, q plane.Quad) (plane.Quad, bool) {
	width := math.Sqrt(q.Area() * midAspect)
	pxPerMM := width / 64
	if pxPerMM < contactLeast {
		return q, true
	}
	// The blur is that of the sharpest side, give or take; the first side that
	// a blur fits says which for all.
	sigma := max(0.6, min(2.5, sm.blur(sides)))
	blurs := []float64{0.75 * sigma, sigma, 1.3 * sigma}
	for i := range sides {
		s := &sides[i]
		gap := gaps[i]/pxPerMM - 0.4 // its own shadow, and the sides' errors
		if gap < contactGap-0.4 {
			continue
		}
		near := max(0.6, min(1.5, gap-1.5))
		table, ok := sm.tableBeside(s, near*pxPerMM, min(4, gap)*pxPerMM)
		if !ok {
			continue
		}
		if spread, best, ok := sm.contact(s, table, pxPerMM, min(contactFar, gap), blurs, rooms[i]); ok {
			s.sigma0 = math.Hypot(s.sigma0, spread)
			blurs = []float64{best}
		}
	}
	var next plane.Quad
	for i := range next {
		a, da := sides[(i+3)%4].end(1)
		b, db := sides[i].end(-1)
		p, ok := meetPoints(a, a.Add(da), b, b.Add(db))
		if !ok {
			return q, false
		}
		next[i] = p
	}
	return next, next.Convex()
}

// tableBeside is the table's colour between two distances outside of a side, px.
func (sm *sampler) tableBeside(c *sideCurve, from, to float64) ([3]float64, bool) {
	var out [3]float64
	profiles, _ := sm.bins(c, 20, from, to, max(1, (to-from)/8), 3)
	if len(profiles) < 4 {
		return out, false
	}
	k := len(profiles[0]) / 3
	m := typical(profiles, k)
	for ch := range 3 {
		for _, v := range m[ch*k : (ch+1)*k] {
			out[ch] += v / float64(k)
		}
	}
	return out, out[0]+out[1]+out[2] > 0
}

// gapsOf measures how far it is from each side of each card to the next card,
// px: at most gapMost of the side.
func gapsOf(drafts []draft) [][4]float64 {
	out := make([][4]float64, len(drafts))
	quads := make([]plane.Quad, len(drafts))
	for i := range drafts {
		quads[i] = drafts[i].quad()
	}
	for i := range drafts {
		for k := range 4 {
			a, b := quads[i][k], quads[i][(k+1)%4]
			_, n, length := (&sideCurve{p: a, q: b}).frame()
			most := gapMost * drafts[i].width
			out[i][k] = most
			for j := range quads {
				if j == i || quads[j].Centre().Sub(quads[i].Centre()).Norm() > 3*length+3*drafts[i].width {
					continue
				}
				for _, t := range [...]float64{0.15, 0.5, 0.85} {
					p := a.Add(b.Sub(a).Mul(t))
					for o := 0.0; o < out[i][k]; o += 1 {
						if quads[j].Contains(p.Add(n.Mul(o))) {
							out[i][k] = o
							break
						}
					}
				}
			}
		}
	}
	return out
}

// gapMost of a card's width is as good as no neighbour: 5 mm.
const gapMost = 5.0 / 64

// contact moves the side to where the card ends, if its profile says so; table is the
// table's colour in linear light, far how much table there is to see, mm, blurs what to try, px. It returns the
// standard uncertainty of the move and the blur that fits best, px.
func (sm *sampler) contact(c *sideCurve, table [3]float64, pxPerMM, far float64, blurs []float64, r room) (spread, blur float64, ok bool) {
	reach := math.Ceil(min(contactReach*pxPerMM, 0.6*r.in))
	lo := -contactIn - reach
	hi := math.Ceil(far * pxPerMM)
	profiles, _ := sm.bins(c, 14, lo, hi, contactStep, 2)
	if len(profiles) < 6 {
		return 0, 0, false
	}
	k := len(profiles[0]) / 3
	m := typical(profiles, k)
	cut := innerLine(m, k, lo, pxPerMM)
	lo += float64(cut) * contactStep
	for ch := range 3 {
		copy(m[ch*(k-cut):(ch+1)*(k-cut)], m[ch*k+cut:(ch+1)*k])
	}
	k -= cut
	reach = min(reach, -lo-1)
	best := contactFit{}
	for _, s := range blurs {
		f := fitContact(m, k, lo, reach, min(contactOut, 0.3*r.out), table, pxPerMM, s)
		if best.rest == nil || f.least < best.least {
			best, blur = f, s
		}
	}
	if best.rest == nil {
		return 0, 0, false
	}
	at, spread := best.place()
	c.c0 += at
	return spread, blur, true
}

// innerLine is how many samples at the profile's start belong to something
// further in than a shadow is wide: a seam, a frame, or the inner sleeve that
// shows through an outer one.
func innerLine(m []float64, k int, lo, pxPerMM float64) int {
	at, most := 0, 0.0
	for i := 1; i < k-1; i++ {
		x := lo + float64(i)*contactStep
		e := 0.0
		for ch := range 3 {
			d := m[ch*k+i+1] - m[ch*k+i-1]
			e += d * d
		}
		if x < -seamFrom*pxPerMM && e > most {
			at, most = i, e
		}
	}
	strongest := 0.0
	for i := 1; i < k-1; i++ {
		e := 0.0
		for ch := range 3 {
			d := m[ch*k+i+1] - m[ch*k+i-1]
			e += d * d
		}
		strongest = max(strongest, e)
	}
	if most < seamLeast*strongest {
		return 0
	}
	return at + int(seamBlur/contactStep)
}

const (
	seamFrom  = 0.9  // mm inside of the edge: wider than contactSteps
	seamLeast = 0.02 // of the strongest line's energy
	seamBlur  = 2    // px
)

// typical is the median over the places of each sample.
func typical(profiles [][]float64, k int) []float64 {
	m := make([]float64, 3*k)
	v := make([]float64, len(profiles))
	cut := len(profiles) / 5
	for i := range m {
		for j, p := range profiles {
			v[j] = p[i]
		}
		slices.Sort(v)
		for _, x := range v[cut : len(v)-cut] {
			m[i] += x
		}
		m[i] /= float64(len(v) - 2*cut)
	}
	return m
}

// contactFit is what is left over for each place of the edge.
type contactFit struct {
	rest  []float64 // squared, relative to the table's brightness
	cost  []float64 // the same with the price of shadows
	least float64
	n     int
	reach float64 // px
}

// fitContact fits the profile for each place of the edge. sigma is the blur, px.
func fitContact(m []float64, k int, lo, reach, beyond float64, table [3]float64, pxPerMM, sigma float64) contactFit {
	bright := max(table[0], table[1], table[2], 0.02)
	for i := range m {
		bright = max(bright, m[i])
	}
	// Errors grow with the light; what is dark is known better.
	lum := max(table[0], table[1], table[2])
	weight := make([]float64, k)
	m = append([]float64(nil), m...)
	for i := range k {
		here := max(m[i], m[k+i], m[2*k+i])
		weight[i] = min(contactDark, (darkNoise+lum)/(darkNoise+here))
		for ch := range 3 {
			m[ch*k+i] *= weight[i]
		}
	}
	n := int(math.Round((reach+beyond)/contactGrid)) + 1
	f := contactFit{reach: reach, rest: make([]float64, n), cost: make([]float64, n), least: math.Inf(1)}
	rim := contactRim * pxPerMM
	// Samples and places lie on a common grid, so that the terms of all places
	// are the same tables, shifted.
	fine := int(math.Round(contactStep / contactGrid))
	var cover [contactTerms][]float64
	size := (k-1)*fine + n
	for j := range cover {
		cover[j] = make([]float64, size)
		for i := range size {
			x := lo + reach + float64(i-(n-1))*contactGrid
			if j == 0 {
				cover[j][i] = 0.5 * math.Erfc(x/(sigma*math.Sqrt2))
				continue
			}
			mm := contactSteps[j-1]
			s := math.Hypot(sigma, 0.35*mm*pxPerMM)
			cover[j][i] = 0.5 * math.Erfc(-(x-mm*pxPerMM)/(s*math.Sqrt2))
		}
	}
	var in [2][]float64
	var out [contactTerms][]float64
	for j := range in {
		in[j] = make([]float64, k)
	}
	for j := range out {
		out[j] = make([]float64, k)
	}
	for a := range n {
		x0 := -reach + float64(a)*contactGrid
		for i := range k {
			at := i*fine + (n - 1) - a
			c := cover[0][at]
			in[0][i] = c
			in[1][i] = c * max(0, 1+(lo+float64(i)*contactStep-x0)/rim)
			out[0][i] = 1 - c
			for j := range contactSteps {
				out[1+j][i] = cover[1+j][at]
			}
		}
		for i, w := range weight {
			for j := range in {
				in[j][i] *= w
			}
			for j := range out {
				out[j][i] *= w
			}
		}
		f.n = 3 * k
		rest, price := solveContact(m, k, in, out, table, bright)
		f.rest[a], f.cost[a] = rest, rest+price
		f.least = min(f.least, f.cost[a])
	}
	return f
}

// darkNoise is the light at which errors stop shrinking with it, contactDark
// the most by which they shrink.
const (
	darkNoise   = 0.03
	contactDark = 8.0
)

// shadowPrice keeps shadows out of profiles that do without: a shadow that
// takes all light costs as much as an error of so much of the table's
// brightness at one sample.
const shadowPrice = 0.04

// rimStiff is the price of a rim that differs from the card, in samples that
// are off by as much.
const rimStiff = 1.0

// solveContact finds the least squares of a card (two terms for each channel,
// free) and a table (terms common to the channels, not negative), by
// coordinate descent.
func solveContact(m []float64, k int, in [2][]float64, out [contactTerms][]float64, table [3]float64, bright float64) (rest, price float64) {
	const size = 6 + contactTerms
	var gram [size][size]float64
	var right [size]float64
	var total float64
	var tt float64
	for ch := range 3 {
		tt += table[ch] * table[ch]
	}
	for r := range 2 {
		for s := range 2 {
			d := dot(in[r], in[s])
			for ch := range 3 {
				gram[2*ch+r][2*ch+s] = d
			}
		}
		for j := range contactTerms {
			d := dot(in[r], out[j])
			for ch := range 3 {
				gram[2*ch+r][6+j] = d * table[ch]
				gram[6+j][2*ch+r] = d * table[ch]
			}
		}
	}
	for i := range contactTerms {
		for j := range contactTerms {
			gram[6+i][6+j] = dot(out[i], out[j]) * tt
		}
	}
	for ch := range 3 {
		y := m[ch*k : (ch+1)*k]
		total += dot(y, y)
		for r := range 2 {
			right[2*ch+r] = dot(in[r], y)
		}
		for j := range contactTerms {
			right[6+j] += dot(out[j], y) * table[ch]
		}
	}
	// The rim is a little lighter or darker than the card, not another thing.
	for ch := range 3 {
		gram[2*ch+1][2*ch+1] += rimStiff
	}
	var x [size]float64
	lambda := shadowPrice * shadowPrice * bright * bright
	for range 60 {
		change := 0.0
		for i := range size {
			if !(gram[i][i] > 0) {
				continue
			}
			g := right[i]
			for j := range size {
				if j != i {
					g -= gram[i][j] * x[j]
				}
			}
			if i > 6 {
				g -= lambda / 2
			}
			v := g / gram[i][i]
			if i >= 6 {
				v = max(0, v)
			}
			change = max(change, math.Abs(v-x[i]))
			x[i] = v
		}
		if change < 1e-5 {
			break
		}
	}
	rest = total
	for i := range size {
		rest -= 2 * x[i] * right[i]
		for j := range size {
			rest += x[i] * gram[i][j] * x[j]
		}
	}
	for i := 7; i < size; i++ {
		price += lambda * x[i]
	}
	b2 := bright * bright
	return max(0, rest) / b2, price / b2
}

// place is the mean and the standard deviation of the edge's place, when
// what is left over is noise.
func (f *contactFit) place() (at, spread float64) {
	// What a good fit leaves over: texture, print, JPEG; half a percent at the least.
	noise := max(f.least/float64(f.n), 0.004*0.004)
	var sw, sx, sxx float64
	for a, c := range f.cost {
		x := -f.reach + float64(a)*contactGrid
		prior := stepPrior/stepSigma*math.Exp(-x*x/(2*stepSigma*stepSigma)) + (1-stepPrior)/4
		w := prior * math.Exp(-(c-f.least)/(2*noise)/contactCorrelated)
		sw += w
		sx += w * x
		sxx += w * x * x
	}
	at = sx / sw
	return at, math.Sqrt(max(0, sxx/sw-at*at))
}

// Where there is no shadow, the step detector is right to stepSigma px; it
// makes less of the card's print and of what sharpening adds.
const (
	stepPrior = 0.6
	stepSigma = 0.2
)

// contactCorrelated is how many samples of a profile go together: half a pixel
// apart, blurred, in three channels.
const contactCorrelated = 16
