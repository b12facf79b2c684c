package sleeve

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"fairdeck/vision/colour"
)

// An aspect is one way in which batches of sleeves differ, as a few numbers
// per sleeve. Each is tested for two populations on its own: together they
// would drown a clear difference in the noise of the others.
type aspect struct {
	name   string
	floor  []float64 // the measurement's uncertainty
	least  []float64 // differences below are never called populations; nil: floor does
	byTone bool      // rests on the correction for exposure
	at     func(p *plate) []float64
	// confirm, when set, is asked whether two parts of the plates are two
	// populations for another reason as well.
	confirm func(part []int, second []bool) bool
}

// aspects of a deck. Hue comes as components that neither lamp nor glare
// changes (see hueShift); lightness is the tone after the exposure gain.
func (d *deck) aspects() []aspect {
	list := []aspect{
		// Files round a plain sleeve's colour to steps of that size.
		{name: "colour", floor: []float64{0.3, 0.3, 0.3}, byTone: true, at: func(p *plate) []float64 { return p.hue[:] }},
		// Lightness is measured to a tenth, but what lamps and exposure leave
		// differs by more.
		{name: "lightness", floor: []float64{0.15}, least: []float64{0.6}, byTone: true, at: func(p *plate) []float64 { return []float64{p.lab.L} }},
	}
	if d.printed {
		list = append(list, aspect{name: "print offset", floor: []float64{printFloorMM, printFloorMM}, at: func(p *plate) []float64 {
			return []float64{p.warp.affine[0] / d.px, p.warp.affine[3] / d.px}
		}})
	}
	return append(list, d.cutAspects()...)
}

// hueShift sets each plate's difference from the deck's typical thumbnail in
// components that lamp and glare leave alone. With v = (1+a) c + o w (c the
// consensus in linear light, w white, a lamp, o glare), the part of v - c
// along c x w is free of both; red against green and yellow against blue are
// free of glare, and of the lamp where the design is nearly grey. Each is the
// median over the sleeve, in percent of the consensus's light.
func (d *deck) hueShift() {
	th := d.plates[0].thumb
	n := th.w * th.h
	var mid [3][]float64
	for c := range mid {
		mid[c] = make([]float64, n)
	}
	_ = d.parallel(th.h, func(y int) error {
		col := make([]float64, len(d.plates))
		for c := range mid {
			for i := y * th.w; i < (y+1)*th.w; i++ {
				for k, p := range d.plates {
					col[k] = float64(p.thumb.rgb[c][i]) * p.gain[c]
				}
				mid[c][i] = median(col)
			}
		}
		return nil
	})
	const insetMM = 2
	_ = d.parallel(len(d.plates), func(k int) error {
		p := d.plates[k]
		var hue, rg, yb []float64
		for y := range th.h {
			for x := range th.w {
				if th.inset(x, y, d.wMM, d.hMM) < insetMM {
					continue
				}
				i := y*th.w + x
				r, g, b := mid[0][i], mid[1][i], mid[2][i]
				size := math.Sqrt(r*r+g*g+b*b) + 1e-3
				dr := float64(p.thumb.rgb[0][i])*p.gain[0] - r
				dg := float64(p.thumb.rgb[1][i])*p.gain[1] - g
				db := float64(p.thumb.rgb[2][i])*p.gain[2] - b
				nx, ny, nz := g-b, b-r, r-g
				// Greys have no hue to shift.
				if norm := math.Sqrt(nx*nx + ny*ny + nz*nz); norm > 0.1*size {
					hue = append(hue, 100*(nx*dr+ny*dg+nz*db)/norm/size)
				}
				rg = append(rg, 100*(dr-dg)/size)
				yb = append(yb, 100*((dr+dg)/2-db)/size)
			}
		}
		p.hue = [3]float64{0, median(rg), median(yb)}
		if len(hue) > len(rg)/10 {
			p.hue[0] = median(hue)
		}
		p.lab = colour.ToLab(p.tone[0]*p.gain[0], p.tone[1]*p.gain[1], p.tone[2]*p.gain[2])
		return nil
	})
}

// batches divides the plates of one design into batches: indices into
// d.plates, largest batch first.
func (d *deck) batches() [][]int {
	// A sleeve whose outline is misplaced cannot say where its print lies, nor
	// what colour its rim has: it stays with the most.
	var all, misplaced []int
	for i, p := range d.plates {
		if p.misplaced {
			misplaced = append(misplaced, i)
		} else {
			all = append(all, i)
		}
	}
	if len(all) < minCompare {
		all, misplaced = append(all, misplaced...), nil
		slices.Sort(all)
	}
	parts := [][]int{all}
	aspects := d.aspects()
	// Every part is tested again until none divides: three batches are two
	// splits.
	for i := 0; i < len(parts); {
		a, b := d.divide(parts[i], aspects)
		if b == nil {
			i++
			continue
		}
		parts[i] = a
		parts = append(parts, b)
	}
	slices.SortStableFunc(parts, func(a, b []int) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return a[0] - b[0]
	})
	parts[0] = append(parts[0], misplaced...)
	slices.Sort(parts[0])
	return parts
}

// divide splits one part by the aspect that shows it best.
func (d *deck) divide(part []int, aspects []aspect) (a, b []int) {
	bestRatio := 0.0
	for _, asp := range aspects {
		x := make([][]float64, len(part))
		for i, k := range part {
			x[i] = asp.at(d.plates[k])
		}
		s, ok := bestSplit(x, asp.floor, asp.least)
		if !ok || s.count <= fewOdd && asp.byTone && !d.oddAsSeen(part, s.second) || asp.confirm != nil && !asp.confirm(part, s.second) {
			continue
		}
		if r := s.separation / splitLimit(len(part), s.count, len(asp.floor)); r > bestRatio {
			bestRatio = r
			a, b = nil, nil
			for i, k := range part {
				if s.second[i] {
					b = append(b, k)
				} else {
					a = append(a, k)
				}
			}
		}
	}
	return a, b
}

// fewOdd sleeves are called another batch by colour or lightness only where
// they were odd before the exposure was corrected, too.
const fewOdd = 3

// oddAsSeen reports whether the second of two parts differs in colour as the
// camera saw it, in the same direction and by half as much: the correction for
// exposure goes by the table around a sleeve, and where something else lies
// there it makes an odd sleeve of a good one.
func (d *deck) oddAsSeen(part []int, second []bool) bool {
	var raw, corrected [2][3][]float64
	for i, k := range part {
		p, g := d.plates[k], one(second[i])
		seen := colour.ToLab(p.tone[0], p.tone[1], p.tone[2])
		for c, v := range [3]float64{seen.L, seen.A, seen.B} {
			raw[g][c] = append(raw[g][c], v)
		}
		for c, v := range [3]float64{p.lab.L, p.lab.A, p.lab.B} {
			corrected[g][c] = append(corrected[g][c], v)
		}
	}
	var along, size float64
	for c := range 3 {
		r, q := median(raw[1][c])-median(raw[0][c]), median(corrected[1][c])-median(corrected[0][c])
		along += r * q
		size += q * q
	}
	return along >= size/2
}

// describe says in what a batch differs from the main one: every aspect whose
// medians lie more than four within-batch sigmas apart.
func (d *deck) describe(a, b []int) string {
	var what []string
	for _, asp := range d.aspects() {
		if asp.name == "size" {
			// Told by the outline's own figures; see batchGroup.
			continue
		}
		far := 0.0
		for j, floor := range asp.floor {
			va, vb := make([]float64, len(a)), make([]float64, len(b))
			for i, k := range a {
				va[i] = asp.at(d.plates[k])[j]
			}
			for i, k := range b {
				vb[i] = asp.at(d.plates[k])[j]
			}
			ma := medianOf(va)
			far = math.Max(far, math.Abs(medianOf(vb)-ma)/math.Max(robustSigma(va, ma), floor))
		}
		if far > 4 {
			what = append(what, asp.name)
		}
	}
	return strings.Join(what, ", ")
}

// Differences of whole sleeves are judged side by side, in a fanned hand or
// on the table: CIEDE2000 of 3 is seen then, 8 is seen at once (the same
// tolerances as in visibility.go, for large fields).
const (
	visibleBatch = 3.0
	obviousBatch = 8.0
)

// batchGroup makes the record of one batch; main is the deck's main batch.
func (d *deck) batchGroup(part, main []int) Group {
	g := Group{}
	var l, a, b []float64
	for _, k := range part {
		p := d.plates[k]
		g.Sleeves = append(g.Sleeves, p.input)
		l, a, b = append(l, p.lab.L), append(a, p.lab.A), append(b, p.lab.B)
	}
	slices.Sort(g.Sleeves)
	g.Colour = colour.Lab{L: median(l), A: median(a), B: median(b)}
	if main != nil {
		g.What = d.describe(main, part)
		d.describeShape(&g, main, part)
	}
	return g
}

// nameGroups sorts the groups of all designs by size, names them and points
// the sleeves at them.
func nameGroups(res *Result) {
	slices.SortStableFunc(res.Groups, func(a, b Group) int {
		if len(a.Sleeves) != len(b.Sleeves) {
			return len(b.Sleeves) - len(a.Sleeves)
		}
		return a.Sleeves[0] - b.Sleeves[0]
	})
	for i := range res.Groups {
		g := &res.Groups[i]
		g.Name = GroupName(i)
		if i > 0 {
			g.DeltaE = colour.DeltaE2000(res.Groups[0].Colour, g.Colour)
			g.Visibility = GroupVisibility(g.DeltaE, g.What)
			if v := g.Shape.visibility(g.What, len(g.Sleeves)); v.Rank() > g.Visibility.Rank() {
				g.Visibility = v
			}
		} else {
			g.What, g.Shape = "", nil
		}
		for _, s := range g.Sleeves {
			res.Sleeves[s].Group = i
		}
	}
}

// GroupVisibility is what a person sees of a difference between two groups:
// deltaE between their colours (CIEDE2000), and in what they differ as
// Group.What says it.
func GroupVisibility(deltaE float64, what string) Visibility {
	switch {
	case deltaE >= obviousBatch || strings.Contains(what, "design"):
		return Obvious
	case deltaE >= visibleBatch:
		return Visible
	}
	return CameraOnly
}

// GroupName is the name of the group with this index: A to Z, then A1, B1 ...
func GroupName(i int) string {
	name := string(rune('A' + i%26))
	if i >= 26 {
		name += fmt.Sprint(i / 26)
	}
	return name
}
