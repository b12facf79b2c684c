package sleeve

import (
	"math"
	"slices"
)

// A fibre or a speck of dust is thinner than any camera here resolves: what
// the picture shows is its whole covered light spread by the camera's blur.
// That integral, though, the blur leaves alone, and a fibre cannot have more
// of it than its width times its length times the step from black to white.
// A mark with more is no debris, however thin it looks; one with less may be.

// strongShare: of a mark's pixels those from this share of the strongest on
// are counted for its width; below is noise.
const strongShare = 0.3

// moments are weighted sums of places.
type moments struct{ w, x, y, xx, xy, yy float64 }

func (m *moments) add(x, y, w float64) {
	m.w += w
	m.x += w * x
	m.y += w * y
	m.xx += w * x * x
	m.xy += w * x * y
	m.yy += w * y * y
}

// axis is the direction of the major axis.
func (m *moments) axis() (cos, sin float64) {
	if m.w == 0 {
		return 1, 0
	}
	cx, cy := m.x/m.w, m.y/m.w
	a := 0.5 * math.Atan2(2*(m.xy/m.w-cx*cy), m.xx/m.w-cx*cx-(m.yy/m.w-cy*cy))
	return math.Cos(a), math.Sin(a)
}

// minor is the standard deviation along the minor axis.
func (m *moments) minor() float64 {
	if m.w == 0 {
		return 0
	}
	cx, cy := m.x/m.w, m.y/m.w
	xx, xy, yy := m.xx/m.w-cx*cx, m.xy/m.w-cx*cy, m.yy/m.w-cy*cy
	return math.Sqrt(math.Max(0, (xx+yy)/2-math.Hypot((xx-yy)/2, xy)))
}

// lumaBGR weighs linear blue, green and red to luminance (Rec. 709).
var lumaBGR = [3]float64{0.0722, 0.7152, 0.2126}

// debris is what is measured of a mark to tell it from debris.
type debris struct {
	massMM2 float64 // integral of the change in linear light (1 = the sensor's full scale)
	ground  float64 // the typical sleeve's linear light there
	sideMM  float64 // root mean square extent across the mark's main axis
	longMM  float64 // extent of the strong part along it
	pathMM  float64 // length of the strong part as a line that may curl; 0: it is no thin line
}

// Bounds of what lies on a used sleeve without being part of it: lint and the
// fluff of playmats are 0.01 to 0.06 mm thick and some millimetres long, specks
// of dust 0.15 mm wide at most.
const (
	fibreMM     = 0.05 // effective width: thickness times opacity
	fibreLongMM = 6.5
	fibreAlbedo = 0.8
	// fibreBend is how far a bent fibre leaves its axis, as a share of its
	// length, fibreBlurPx what
	// the camera's blur and the registration add, both as standard deviations.
	fibreBend   = 0.09
	fibreBlurPx = 1.1
	// fibreTipsPx is what the blur adds to its length; speckMM leaves room for
	// what is as wide as long.
	fibreTipsPx, speckMM = 2.5, 0.15
	// fibreWideMM: a curl of it, as wide as a region drawn around it gets.
	fibreWideMM = 1.3
	// A thin line of the camera's, at strongShare of its strongest, is pathPx
	// wide (of a blur of fibreBlurPx), and nowhere as wide as 2 pathCorePx + 1.
	// Only what is as long as pathLeastMM is a line at all.
	pathPx, pathCorePx, pathLeastMM = 3.4, 2, 2.0
	// darkest is the share of light that the darkest material returns. It
	// bounds how much brighter than the sleeve a white fibre may be where the
	// camera exposes for a dark deck; brightest is where exposures end.
	darkest, brightest = 0.01, 4.0
)

// mayBeDebris reports whether a mark could as well be a fibre or a speck of
// dust lying on the sleeve: thin, short, and with no more light in it than
// such a thing can have. It is listed, so that a judge may wipe the sleeve and
// look again.
func (d *deck) mayBeDebris(m *Mark) bool {
	q := m.debris
	// Faint surroundings may lengthen a mark beyond its strong part.
	long := math.Min(m.LengthMM, 1.3*q.longMM+speckMM)
	thin := q.sideMM <= math.Hypot(fibreBend*long, fibreBlurPx/d.px)+0.02 || m.Kind == Scratch && m.WidthMM <= fibreWideMM
	if !thin && q.pathMM >= pathLeastMM {
		// A curl: as long as it is uncurled.
		long, thin = q.pathMM, true
	}
	if long > fibreLongMM || !thin {
		return false
	}
	step := q.ground // a black fibre
	if q.massMM2 > 0 {
		step = fibreAlbedo*math.Min(q.ground/darkest, brightest) - q.ground
	}
	if m.Kind == WornCorner || m.Kind == EdgeWear || m.Kind == Nick {
		// Of all places it would have to lie along the outline: only the
		// usual fibre is allowed for, not the boldest.
		step /= 2
	}
	length := math.Max(0, long-fibreTipsPx/d.px) + speckMM
	return math.Abs(q.massMM2) <= fibreMM*step*length
}

// debrisOf measures region r of plate k with the pixels around it that the
// camera's blur reaches.
func (d *deck) debrisOf(b *filterBank, k int, r *region) debris {
	reach := int(math.Ceil(1.5 * cameraBlurPx))
	x0, y0 := max(0, r.x0-reach), max(0, r.y0-reach)
	x1, y1 := min(d.w-1, r.x1+reach), min(d.h-1, r.y1+reach)
	w := x1 - x0 + 1
	in := make([]bool, w*(y1-y0+1))
	for _, i := range r.pixels {
		x, y := i%d.w, i/d.w
		for yy := max(y0, y-reach); yy <= min(y1, y+reach); yy++ {
			for xx := max(x0, x-reach); xx <= min(x1, x+reach); xx++ {
				in[(yy-y0)*w+xx-x0] = b.mask[yy*d.w+xx] != 0
			}
		}
	}
	pix, mid, light := d.view(k), b.mids[d.plates[k].batch], lightTable()
	v := make([]float64, len(in))
	var sum, ground, n float64
	for y := y0; y <= y1; y++ {
		for x := x0; x <= x1; x++ {
			if !in[(y-y0)*w+x-x0] {
				continue
			}
			i := y*d.w + x
			n++
			for c, share := range lumaBGR {
				g := linearFraction(mid[3*i+c])
				ground += share * g
				v[(y-y0)*w+x-x0] += share * (float64(light[pix[3*i+c]]) - g)
			}
			sum += v[(y-y0)*w+x-x0]
		}
	}
	if n == 0 {
		return debris{}
	}
	// The extent across: of the strong pixels only, whose axis it is.
	strongest := 0.0
	for _, q := range v {
		if q*sum > 0 {
			strongest = math.Max(strongest, math.Abs(q))
		}
	}
	var m moments
	for j, q := range v {
		if q*sum > 0 && math.Abs(q) >= strongShare*strongest {
			m.add(float64(j%w), float64(j/w), math.Abs(q))
		}
	}
	var along []float64
	cs, sn := m.axis()
	for j, q := range v {
		if q*sum > 0 && math.Abs(q) >= strongShare*strongest {
			along = append(along, cs*float64(j%w)+sn*float64(j/w))
		}
	}
	long := 0.0
	if len(along) > 0 {
		long = (slices.Max(along) - slices.Min(along) + 1) / d.px
	}
	return debris{massMM2: sum / (d.px * d.px), sideMM: m.minor() / d.px, longMM: long, ground: ground / n,
		pathMM: linePath(v, w, strongShare*strongest, sum) / d.px}
}

// linePath is the length in px of what is stronger than the limit, with the
// sign of sum, as a thin line: its area over a thin line's width; 0 where it
// is too thick anywhere.
func linePath(v []float64, w int, limit, sum float64) float64 {
	strong := func(x, y int) bool {
		if x < 0 || x >= w || y < 0 || y*w+x >= len(v) {
			return false
		}
		q := v[y*w+x]
		return q*sum > 0 && math.Abs(q) >= limit
	}
	n := 0
	for y := range len(v) / w {
		for x := range w {
			if !strong(x, y) {
				continue
			}
			n++
			// A core: strong to pathCorePx in all four directions.
			core := true
			for k := 1; k <= pathCorePx && core; k++ {
				core = strong(x-k, y) && strong(x+k, y) && strong(x, y-k) && strong(x, y+k)
			}
			if core && strong(x-1, y-1) && strong(x+1, y-1) && strong(x-1, y+1) && strong(x+1, y+1) {
				return 0
			}
		}
	}
	return float64(n) / pathPx
}

// recallShared takes back that a mark may be debris where sharedLeast sleeves
// and more have its like at the same place: fibres do not fall so.
func (d *deck) recallShared(res *Result) {
	const (
		sharedLeast = 3
		apartMM     = 0.8
		sizeRatio   = 2.0
	)
	alike := func(a, b *Mark) bool {
		return a.lighter == b.lighter && a.CentreMM.Sub(b.CentreMM).Norm() <= apartMM &&
			a.LengthMM <= sizeRatio*b.LengthMM && b.LengthMM <= sizeRatio*a.LengthMM
	}
	for _, p := range d.plates {
		s := &res.Sleeves[p.input]
		for i := range s.Marks {
			m := &s.Marks[i]
			if m.asSeen == m.Visibility {
				continue
			}
			count := 0
			for _, q := range d.plates {
				for j := range res.Sleeves[q.input].Marks {
					if alike(m, &res.Sleeves[q.input].Marks[j]) {
						count++ // itself, too
						break
					}
				}
			}
			if count < sharedLeast {
				continue
			}
			m.Visibility = m.asSeen
			if m.Visibility.Rank() > s.Visibility.Rank() {
				s.Visibility = m.Visibility
			}
		}
		s.sortMarks()
	}
}
