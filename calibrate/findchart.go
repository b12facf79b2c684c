package calibrate

import (
	"cmp"
	"math"
	"slices"

	"fairdeck/internal/cv"
	"fairdeck/vision/frame"
	"fairdeck/vision/plane"

	"gocv.io/x/gocv"
)

// Chart is a 24-patch colour chart as a picture shows it.
type Chart struct {
	// Centres of the patches in px, row by row from the brown one.
	Centres [24]plane.Point

	// Colours are the patches' mean linear red, green and blue.
	Colours [24][3]float64

	// ClippedShare is the share of pixels of the brightest patch that are
	// saturated in some channel.
	ClippedShare float64
}

const (
	chartColumns, chartRows = 6, 4

	// chartLongPx is the level at which patches are sought: a chart that fills
	// a fifth of the frame's width still has patches of 20 px.
	chartLongPx = 960

	leastPatchPx = 6 // side at that level
)

// FindChart finds a colour chart of 6 x 4 patches in any turn, or says why not
// with a *[Rejected].
//
//	gradient ──▶ smooth regions, about square ──▶ a lattice grown from
//	neighbour to neighbour ──▶ every place and turn of 6 x 4 on it, by colour
//
// Several limits of smoothness are tried: dark patches differ from the frame
// between them by a few codes only.
func FindChart(img *frame.Image) (*Chart, error) {
	s := cv.NewScope()
	defer s.Close()
	bgr, err := s.Wrap(img)
	if err != nil {
		return nil, err
	}
	small, scale := img, 1.0
	if long := max(img.Width, img.Height); long > chartLongPx {
		scale = float64(long) / chartLongPx
		m := s.Mat()
		if err := cv.Resize(bgr, m, max(1, int(float64(img.Width)/scale)), max(1, int(float64(img.Height)/scale)), gocv.InterpolationArea); err != nil {
			return nil, err
		}
		if small, err = cv.Image(m); err != nil {
			return nil, err
		}
	}
	reference, err := ChartColours(Since2014)
	if err != nil {
		return nil, err
	}
	st, err := cv.StructureOf(small)
	if err != nil {
		return nil, err
	}
	best, bestMisfit := (*Chart)(nil), maxChartMisfit
	for _, codes := range []float32{24, 12, 6, 3} {
		patches, err := smoothSquares(s, st, codes)
		if err != nil {
			return nil, err
		}
		for _, l := range lattices(patches) {
			for _, centres := range l.charts(small) {
				c := chartAt(small, centres)
				if m := c.misfit(&reference); m < bestMisfit {
					best, bestMisfit = c, m
				}
			}
		}
	}
	if best == nil {
		return nil, &Rejected{Reason: NoChart, Text: "no colour chart of 6 x 4 patches is seen", Remedy: "lay the chart flat in the middle of the picture, evenly lit, without glare, at least a fifth of the picture wide; or show a white sheet with --white"}
	}
	var centres [24]plane.Point
	for i, p := range best.Centres {
		centres[i] = plane.Point{X: (p.X+0.5)*scale - 0.5, Y: (p.Y+0.5)*scale - 0.5}
	}
	return chartAt(img, centres), nil
}

// NoChart is a picture without a colour chart.
const NoChart Reason = "no-chart"

// ChartFromCorners samples a chart by the centres of its four corner patches:
// dark skin, bluish green, black and white, in that order around the chart.
func ChartFromCorners(img *frame.Image, q plane.Quad) (*Chart, error) {
	h, err := plane.QuadToQuad(plane.Rect(0, 0, chartColumns-1, chartRows-1), q)
	if err != nil {
		return nil, &Rejected{Reason: NoChart, Text: "the four corners do not span a chart", Remedy: "give the centres of dark skin, bluish green, black and white, around the chart"}
	}
	centres, ok := placed(h, 0, 0, func(u, v float64) plane.Point { return plane.Point{X: u, Y: v} }, img)
	if !ok {
		return nil, &Rejected{Reason: NoChart, Text: "the chart reaches out of the picture", Remedy: "keep the whole chart in the picture"}
	}
	return chartAt(img, centres), nil
}

// patch is a smooth region about as wide as high.
type patch struct {
	at   plane.Point
	area float64
}

// smoothSquares are the connected regions whose gradient stays below so many
// codes a pixel.
func smoothSquares(s *cv.Scope, st *cv.Structure, codes float32) ([]patch, error) {
	mask := make([]byte, len(st.Energy))
	for i, e := range st.Energy {
		if e < codes*codes {
			mask[i] = 255
		}
	}
	m, err := s.WrapBytes(st.Height, st.Width, 1, mask)
	if err != nil {
		return nil, err
	}
	found, err := cv.Components(m, s.Mat(), 4)
	if err != nil {
		return nil, err
	}
	var out []patch
	for _, c := range found {
		w, h := float64(c.Bounds.Dx()), float64(c.Bounds.Dy())
		if min(w, h) < leastPatchPx || max(w, h) > float64(max(st.Width, st.Height))/4 {
			continue
		}
		// A square's box is full, and half full when it stands on a corner.
		if fill := float64(c.AreaPx) / (w * h); fill < 0.4 || max(w, h) > 2.2*min(w, h) {
			continue
		}
		out = append(out, patch{plane.Point{X: c.CentroidX, Y: c.CentroidY}, float64(c.AreaPx)})
	}
	// A table's grain makes thousands; the largest are enough.
	slices.SortStableFunc(out, func(a, b patch) int { return cmp.Compare(b.area, a.area) })
	return out[:min(len(out), 400)], nil
}

// lattice is patches with whole-numbered places.
type lattice struct {
	toPx     plane.Homography // places to px
	i0, i1   int              // extremes of the places
	j0, j1   int
	occupied int
}

type place struct{ i, j int }

// lattices grows lattices from every patch that belongs to none yet.
func lattices(patches []patch) []lattice {
	var out []lattice
	used := make([]bool, len(patches))
	for seed := range patches {
		if used[seed] {
			continue
		}
		taken := grow(patches, seed)
		if len(taken) < 10 {
			continue
		}
		var from, to []plane.Point
		l := lattice{occupied: len(taken)}
		for k, p := range taken {
			used[k] = true
			from, to = append(from, plane.Point{X: float64(p.i), Y: float64(p.j)}), append(to, patches[k].at)
			l.i0, l.i1 = min(l.i0, p.i), max(l.i1, p.i)
			l.j0, l.j1 = min(l.j0, p.j), max(l.j1, p.j)
		}
		// The order of a map is not fixed; a fit's last bits should be.
		order := make([]int, len(from))
		for k := range order {
			order[k] = k
		}
		slices.SortFunc(order, func(a, b int) int {
			return cmp.Or(cmp.Compare(from[a].X, from[b].X), cmp.Compare(from[a].Y, from[b].Y))
		})
		var f, t []plane.Point
		for _, k := range order {
			f, t = append(f, from[k]), append(t, to[k])
		}
		h, err := fitHomography(f, t)
		if err != nil {
			continue
		}
		l.toPx = h
		out = append(out, l)
	}
	return out
}

// grow gives places to the patches around a seed: its two nearest neighbours
// in square directions are the steps, and each patch predicts its neighbours.
func grow(patches []patch, seed int) map[int]place {
	at := patches[seed].at
	like := func(k int) bool {
		r := patches[k].area / patches[seed].area
		return k != seed && r > 0.4 && r < 2.5
	}
	var near []int
	for k := range patches {
		if like(k) && patches[k].at.Sub(at).Norm() < 3*math.Sqrt(patches[seed].area) {
			near = append(near, k)
		}
	}
	slices.SortFunc(near, func(a, b int) int {
		return cmp.Compare(patches[a].at.Sub(at).Norm(), patches[b].at.Sub(at).Norm())
	})
	if len(near) < 2 {
		return nil
	}
	u := patches[near[0]].at.Sub(at)
	v := plane.Point{}
	for _, k := range near[1:] {
		d := patches[k].at.Sub(at)
		if c := math.Abs(u.Dot(d)) / (u.Norm() * d.Norm()); c < 0.5 && d.Norm() < 1.7*u.Norm() {
			v = d
			break
		}
	}
	if v.Norm() == 0 {
		return nil
	}
	if u.Cross(v) < 0 {
		v = v.Mul(-1)
	}
	taken := map[int]place{seed: {}}
	where := map[place]int{{}: seed}
	steps := map[int][2]plane.Point{seed: {u, v}}
	for queue := []int{seed}; len(queue) > 0; queue = queue[1:] {
		k := queue[0]
		p, st := taken[k], steps[k]
		for _, d := range []place{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
			to := place{p.i + d.i, p.j + d.j}
			if _, known := where[to]; known || max(to.i, -to.i) > 5 || max(to.j, -to.j) > 5 {
				continue
			}
			step := st[0].Mul(float64(d.i)).Add(st[1].Mul(float64(d.j)))
			want := patches[k].at.Add(step)
			best, bestD := -1, 0.25*step.Norm()
			for n := range patches {
				if _, busy := taken[n]; !busy && like(n) {
					if far := patches[n].at.Sub(want).Norm(); far < bestD {
						best, bestD = n, far
					}
				}
			}
			if best < 0 {
				continue
			}
			taken[best], where[to] = to, best
			// The steps change slowly under perspective.
			seen := patches[best].at.Sub(patches[k].at)
			next := st
			if d.i != 0 {
				next[0] = seen.Mul(float64(d.i))
			} else {
				next[1] = seen.Mul(float64(d.j))
			}
			steps[best] = next
			queue = append(queue, best)
		}
	}
	return taken
}

// charts are the centres of every 6 x 4 chart that the lattice may be part of.
func (l lattice) charts(img *frame.Image) [][24]plane.Point {
	var out [][24]plane.Point
	for turn := range 4 {
		cols, rows := chartColumns, chartRows
		if turn%2 == 1 {
			cols, rows = rows, cols
		}
		for j := l.j1 - rows + 1; j <= l.j0; j++ {
			for i := l.i1 - cols + 1; i <= l.i0; i++ {
				// (u, v) of the chart to the lattice, by quarter turns.
				at := func(u, v float64) plane.Point {
					switch turn {
					case 1:
						return plane.Point{X: chartRows - 1 - v, Y: u}
					case 2:
						return plane.Point{X: chartColumns - 1 - u, Y: chartRows - 1 - v}
					case 3:
						return plane.Point{X: v, Y: chartColumns - 1 - u}
					}
					return plane.Point{X: u, Y: v}
				}
				if c, ok := placed(l.toPx, float64(i), float64(j), at, img); ok {
					out = append(out, c)
				}
			}
		}
	}
	return out
}

func placed(h plane.Homography, i, j float64, at func(u, v float64) plane.Point, img *frame.Image) (c [24]plane.Point, ok bool) {
	for v := range chartRows {
		for u := range chartColumns {
			p := at(float64(u), float64(v))
			q := h.Apply(plane.Point{X: p.X + i, Y: p.Y + j})
			if !(q.X > 2 && q.Y > 2 && q.X < float64(img.Width-3) && q.Y < float64(img.Height-3)) {
				return c, false
			}
			c[v*chartColumns+u] = q
		}
	}
	return c, true
}

// chartAt samples the patches around their centres.
func chartAt(img *frame.Image, centres [24]plane.Point) *Chart {
	c := &Chart{Centres: centres}
	for k, p := range centres {
		// Half of the distance to the nearest neighbour is in the gap; a
		// quarter to each side stays well inside the patch.
		near := math.Inf(1)
		for n, q := range centres {
			if n != k {
				near = min(near, q.Sub(p).Norm())
			}
		}
		half := max(1, 0.22*near)
		n, clipped := 0.0, 0.0
		for dy := -half; dy <= half; dy++ {
			for dx := -half; dx <= half; dx++ {
				x, y := int(math.Round(p.X+dx)), int(math.Round(p.Y+dy))
				if x < 0 || y < 0 || x >= img.Width || y >= img.Height {
					continue
				}
				v, _ := linearAt(img, plane.Point{X: min(float64(x), float64(img.Width-2)), Y: min(float64(y), float64(img.Height-2))})
				for ch := range v {
					c.Colours[k][ch] += v[ch]
				}
				if b, g, r := img.BGR(x, y); max(b, g, r) >= clippedCode {
					clipped++
				}
				n++
			}
		}
		for ch := range 3 {
			c.Colours[k][ch] /= max(1, n)
		}
		c.ClippedShare = max(c.ClippedShare, clipped/max(1, n))
	}
	return c
}

// maxChartMisfit is the root mean square of log light by which the patches may
// differ from the chart's, after gains for exposure and white balance: cheap
// cameras reach 0.35, another grid of colours has 0.9 and more.
const maxChartMisfit = 0.55

// misfit compares with the reference in log light, each channel up to a gain.
// The floor keeps black and cyan's missing red from deciding.
func (c *Chart) misfit(reference *[24][3]float64) float64 {
	const floor = 0.02
	sum := 0.0
	for ch := range 3 {
		var d [24]float64
		bright := 0.0
		for k := range d {
			bright = max(bright, c.Colours[k][ch])
		}
		if bright == 0 {
			return math.Inf(1)
		}
		for k := range d {
			d[k] = math.Log(max(floor, c.Colours[k][ch]/bright)) - math.Log(max(floor, reference[k][ch]))
		}
		m := mean(d[:])
		for _, v := range d {
			sum += (v - m) * (v - m)
		}
	}
	return math.Sqrt(sum / 72)
}
