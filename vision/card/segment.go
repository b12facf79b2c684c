package card

import (
	"math"

	"fairdeck/vision/plane"
)

// A segment is a straight piece of edge in level pixels.
type segment struct {
	a, b   plane.Point
	length float64
}

const (
	// 22.5 degrees to either side, LSD's tolerance; the gradient's doubled
	// angle doubles it. Half of it for the second try.
	wideCos   = 0.70710678
	narrowCos = 0.92387953
)

// segments finds straight edges by growing regions of equal gradient
// direction from the strongest pixels down, as LSD does (Grompone von Gioi,
// Jakubowicz, Morel & Randall 2012, "LSD: a line segment detector"). It
// differs in two points. The direction is the one of the colour gradient
// without a sign, so a sleeve that is darker than one board of the table and
// lighter than the next keeps one edge. And the strength threshold follows
// the frame's own noise instead of 8-bit rounding, which low contrast needs.
func (l *level) segments(minLength float64) []segment {
	g := l.grad
	w, h := g.Width, g.Height
	if w < 5 || h < 5 {
		return nil
	}
	// Frame lines of a sleeve run a few pixels beside its outline with the
	// same direction; only thin ridges keep them apart.
	ridge := l.ridges
	order := l.strongFirst(ridge)
	// Pixels off the ridge count as used from the start.
	used := make([]bool, w*h)
	for i, r := range ridge {
		used[i] = r == 0
	}
	var out []segment
	var region []int32
	for _, seed := range order {
		if used[seed] {
			continue
		}
		region = l.grow(seed, used, region[:0], wideCos)
		if float64(len(region)) < 0.8*minLength {
			continue // its pixels stay used: LSD's greedy rule
		}
		s, ok := l.fitSegment(region)
		if !ok {
			// A curve or a blob: try once more with half the tolerance.
			for _, i := range region {
				used[i] = false
			}
			region = l.grow(seed, used, region[:0], narrowCos)
			if float64(len(region)) < 0.8*minLength {
				continue
			}
			if s, ok = l.fitSegment(region); !ok {
				continue
			}
		}
		if s.length >= minLength {
			out = append(out, s)
		}
	}
	return out
}

// strongFirst lists the ridge pixels that a segment may start from, strongest
// first (bucket sort).
func (l *level) strongFirst(ridge []uint8) []int32 {
	g := l.grad
	const buckets = 512
	var count [buckets + 1]int32
	bucket := func(e float32) int {
		// The square root spreads weak edges; 0.25 codes per bucket.
		return min(buckets-1, int(math.Sqrt(float64(e))*4))
	}
	seeds := make([]int32, 0, len(ridge)/32)
	for i, r := range ridge {
		if r != 0 {
			count[buckets-1-bucket(g.Energy[i])]++
			seeds = append(seeds, int32(i))
		}
	}
	start := int32(0)
	for i, c := range count {
		count[i] = start
		start += c
	}
	order := make([]int32, len(seeds))
	for _, i := range seeds {
		k := buckets - 1 - bucket(g.Energy[i])
		order[count[k]] = i
		count[k]++
	}
	return order
}

func (l *level) grow(seed int32, used []bool, region []int32, minCos float32) []int32 {
	g := l.grad
	w := int32(g.Width)
	last := int32(g.Width * g.Height)
	c, s := unit(g.Cos2[seed], g.Sin2[seed])
	sumC, sumS := c, s
	lim := minCos
	region = append(region, seed)
	used[seed] = true
	for k := 0; k < len(region); k++ {
		p := region[k]
		for _, d := range [8]int32{-w - 1, -w, -w + 1, -1, 1, w - 1, w, w + 1} {
			q := p + d
			if q < 0 || q >= last || used[q] {
				continue
			}
			// Pixels of the rim repeat the picture: no edge starts there.
			if x := q % w; x == 0 || x == w-1 {
				continue
			}
			qc, qs := g.Cos2[q], g.Sin2[q]
			dot := qc*sumC + qs*sumS
			if dot <= 0 || dot*dot < lim*lim*(qc*qc+qs*qs)*(sumC*sumC+sumS*sumS) {
				continue
			}
			used[q] = true
			region = append(region, q)
			uc, us := unit(qc, qs)
			sumC += uc
			sumS += us
		}
	}
	return region
}

func unit(c, s float32) (float32, float32) {
	n := float32(math.Sqrt(float64(c*c + s*s)))
	if n == 0 {
		return 0, 0
	}
	return c / n, s / n
}

// fitSegment fits a line to a region, weighted by gradient strength, and
// refuses what is not long and thin.
func (l *level) fitSegment(region []int32) (segment, bool) {
	g := l.grad
	w := int32(g.Width)
	var sw, sx, sy float64
	for _, i := range region {
		m := float64(g.Energy[i])
		sw += m
		sx += m * float64(i%w)
		sy += m * float64(i/w)
	}
	cx, cy := sx/sw, sy/sw
	var xx, yy, xy float64
	for _, i := range region {
		m := float64(g.Energy[i])
		dx, dy := float64(i%w)-cx, float64(i/w)-cy
		xx += m * dx * dx
		yy += m * dy * dy
		xy += m * dx * dy
	}
	xx, yy, xy = xx/sw, yy/sw, xy/sw
	root := math.Hypot((xx-yy)/2, xy)
	across := (xx+yy)/2 - root
	along := (xx+yy)/2 + root
	// An edge is a pixel or two wide (standard deviation 1.3 px leaves room
	// for blur); a region less than three times as long as wide has no
	// direction.
	if across > 1.3*1.3 || across*9 > along {
		return segment{}, false
	}
	angle := math.Atan2(2*xy, xx-yy) / 2
	u := plane.Point{X: math.Cos(angle), Y: math.Sin(angle)}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, i := range region {
		t := (float64(i%w)-cx)*u.X + (float64(i/w)-cy)*u.Y
		lo, hi = min(lo, t), max(hi, t)
	}
	c := plane.Point{X: cx, Y: cy}
	return segment{a: c.Add(u.Mul(lo)), b: c.Add(u.Mul(hi)), length: hi - lo}, true
}
