package sleeve

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
)

// Reasons why a pixel is not inspected, as stored in deck.reasons.
const (
	reasonNone = iota
	reasonGlare
	reasonShadow
	reasonOutline
	reasonCovered
)

var reasonNames = [...]string{"", "glare", "shadow", "outline", "covered"}

// maskSaturated marks the pixels of a registered view that are burnt out
// where the consensus is not: glare that hides what is under it. It must see
// the view before the light is taken off. Two pixels around belong to it
// (bloom, interpolation).
func (d *deck) maskSaturated(t *template, pix, reasons []byte) {
	const burnt, safe = 252, 235
	const around = 2
	in := int(d.margin * d.px)
	for y := in; y < d.h-in; y++ {
		for x := in; x < d.w-in; x++ {
			i := y*d.w + x
			p := pix[3*i : 3*i+3 : 3*i+3]
			// Two channels at the stop: colour and lightness are both gone.
			n := 0
			for c := range 3 {
				if p[c] >= burnt && t.code[c][i] < safe {
					n++
				}
			}
			if n < 2 {
				continue
			}
			for yy := max(0, y-around); yy <= min(d.h-1, y+around); yy++ {
				for xx := max(0, x-around); xx <= min(d.w-1, x+around); xx++ {
					reasons[yy*d.w+xx] = reasonGlare
				}
			}
		}
	}
}

// lightLike reports whether a soft region differs from the consensus as a
// change of light would: more or less of the lamp (all channels in
// proportion) or added white (a reflection). Such a patch without edges
// cannot be told from glare or shadow. strict asks for one of the two alone.
// The result is the reason, or none.
func (d *deck) lightLike(b *filterBank, k int, r *region, strict bool) byte {
	mid := b.mids[d.plates[k].batch]
	pix := d.view(k)
	slope, light := codeSlope(), lightTable()
	var m, s, w [3]float64
	for _, i := range r.pixels {
		for c := range 3 {
			j := mid[3*i+c] >> 8
			m[c] += float64(pix[3*i+c]) - float64(mid[3*i+c])/256
			s[c] += float64(light[j] * slope[j])
			w[c] += float64(slope[j])
		}
	}
	// A channel at its stop on the typical sleeve says nothing of light.
	const stop = 250
	left := 3
	for c := range 3 {
		sum := 0.0
		for _, i := range r.pixels {
			sum += float64(mid[3*i+c] >> 8)
		}
		if sum >= stop*float64(len(r.pixels)) {
			m[c], s[c], w[c] = 0, 0, 0
			strict = true // two channels span no more than two kinds of light
			left--
		}
	}
	if left < 2 {
		return reasonNone // one channel is like anything
	}
	total := m[0]*m[0] + m[1]*m[1] + m[2]*m[2]
	if total == 0 {
		return reasonNone
	}
	// Lamp and reflection together span all but one direction of colour; a
	// third of the change may lie there: lamps are not quite white.
	rest := restOf(m, s, w)
	if strict {
		rest = math.Min(restOf(m, s, s), restOf(m, w, w))
	}
	if rest > 0.1*total {
		return reasonNone
	}
	if m[0]+m[1]+m[2] > 0 {
		return reasonGlare
	}
	return reasonShadow
}

// rimGlare reports whether a region is a lamp mirrored in the bent rim of a
// glossy sleeve: a thin straight stripe that runs along a side, close to it,
// but inside of it. Wear begins at the outline and is ragged; a scratch has no
// reason to keep parallel to a side within some degrees. It is brighter than
// the typical sleeve, or darker where that one mirrors the lamp and this one
// does not.
func (d *deck) rimGlare(b *filterBank, k int, r *region, sh shape, m *Mark) bool {
	const (
		leastMM, widestMM = 4.0, 1.5
		deepestMM, gapMM  = 4.0, 0.3 // a sleeve is bent that far in where a card ends
		parallel          = 0.998    // cosine of 3.6 degrees
	)
	if sh.length < leastMM || sh.width > widestMM || !d.alongSide(r, sh, parallel) {
		return false
	}
	if !m.lighter && !d.lacksStripe(b, k, r) {
		return false
	}
	// Wear reaches the outline nearly everywhere along it; of a stripe hardly
	// a pixel comes that near.
	depths := make([]float64, 0, len(r.pixels))
	for _, i := range r.pixels {
		p := d.placeMM(float64(i%d.w), float64(i/d.w))
		depths = append(depths, d.insetMM(p.X, p.Y, 0))
	}
	slices.Sort(depths)
	outer, inner := quantileSorted(depths, 0.1), quantileSorted(depths, 0.9)
	return outer >= gapMM+1/d.px && inner <= deepestMM
}

// lacksStripe reports whether the typical sleeve has a bright stripe where
// region r is dark: it is lighter there than half a millimetre and more to
// both sides, by half of what the region lacks.
func (d *deck) lacksStripe(b *filterBank, k int, r *region) bool {
	const besideMM, half = 0.8, 0.5
	pix, mid := d.view(k), b.mids[d.plates[k].batch]
	luma := func(i int) (typical, lack float64) {
		for c, share := range [3]float64{0.114, 0.587, 0.299} {
			v := float64(mid[3*i+c]) / 256
			typical += share * v
			lack += share * (v - float64(pix[3*i+c]))
		}
		return typical, lack
	}
	var stripe, lack float64
	far := int(math.Round(besideMM * d.px))
	for _, i := range r.pixels {
		x, y := i%d.w, i/d.w
		p := d.placeMM(float64(x), float64(y))
		nx, ny := d.inwards(p.X, p.Y)
		dx, dy := int(math.Round(nx))*far, int(math.Round(ny))*far
		if x-abs(dx) < 0 || y-abs(dy) < 0 || x+abs(dx) >= d.w || y+abs(dy) >= d.h {
			continue
		}
		here, less := luma(i)
		in, _ := luma((y+dy)*d.w + x + dx)
		out, _ := luma((y-dy)*d.w + x - dx)
		stripe += here - math.Max(in, out)
		lack += less
	}
	return lack > 0 && stripe > half*lack
}

// tableLeaks reports whether a mark at the outline is but the blurred edge of
// something on the table: beyond the outline the view differs from the
// consensus in the same way, several times as strongly.
func (d *deck) tableLeaks(b *filterBank, k int, r *region) bool {
	const (
		nearPx, beyondPx = 3.0, 2.5
		leak             = 0.3 // of the light beyond the outline reaches that far inside, at most
	)
	pix, mid := d.view(k), b.mids[d.plates[k].batch]
	luma := func(i int) (v float64) {
		for c, share := range [3]float64{0.114, 0.587, 0.299} {
			v += share * (float64(pix[3*i+c]) - float64(mid[3*i+c])/256)
		}
		return v
	}
	var in, out float64
	n := 0
	for _, i := range r.pixels {
		x, y := i%d.w, i/d.w
		p := d.placeMM(float64(x), float64(y))
		if d.insetMM(p.X, p.Y, d.radius)*d.px > nearPx {
			continue
		}
		// Straight outwards, past the outline.
		left, right, top, bottom := p.X, d.wMM-p.X, p.Y, d.hMM-p.Y
		switch least := math.Min(math.Min(left, right), math.Min(top, bottom)); least {
		case left:
			x -= int(math.Round(left*d.px + beyondPx))
		case right:
			x += int(math.Round(right*d.px + beyondPx))
		case top:
			y -= int(math.Round(top*d.px + beyondPx))
		default:
			y += int(math.Round(bottom*d.px + beyondPx))
		}
		if x < 0 || y < 0 || x >= d.w || y >= d.h {
			continue
		}
		n++
		in += luma(i)
		out += luma(y*d.w + x)
	}
	return 2*n > len(r.pixels) && in*out > 0 && math.Abs(in) < leak*math.Abs(out)
}

// restOf is the squared part of m outside the plane of u and v.
func restOf(m, u, v [3]float64) float64 {
	n := [3]float64{u[1]*v[2] - u[2]*v[1], u[2]*v[0] - u[0]*v[2], u[0]*v[1] - u[1]*v[0]}
	nn := n[0]*n[0] + n[1]*n[1] + n[2]*n[2]
	uu, vv := u[0]*u[0]+u[1]*u[1]+u[2]*u[2], v[0]*v[0]+v[1]*v[1]+v[2]*v[2]
	// A grey sleeve looks alike under lamp and reflection: the plane is a line.
	if nn < 1e-3*uu*vv {
		mu := m[0]*u[0] + m[1]*u[1] + m[2]*u[2]
		return m[0]*m[0] + m[1]*m[1] + m[2]*m[2] - mu*mu/math.Max(uu, 1e-9)
	}
	mn := m[0]*n[0] + m[1]*n[1] + m[2]*n[2]
	return mn * mn / nn
}

// describeAreas turns the reasons of a plate into areas and the inspected
// share. Pieces nearer than 3 mm make one area.
func (d *deck) describeAreas(b *filterBank, k int, s *Sleeve) {
	reasons := d.reason(k)
	total, hidden := 0, 0
	type box struct{ x0, y0, x1, y1, n int }
	found := map[byte][]box{}
	reach := int(3 * d.px)
	for y := range d.h {
		for x := range d.w {
			i := y*d.w + x
			if b.mask[i] == 0 {
				continue
			}
			total++
			why := reasons[i]
			if why == reasonNone {
				continue
			}
			hidden++
			list := found[why]
			joined := false
			for j := range list {
				q := &list[j]
				if x >= q.x0-reach && x <= q.x1+reach && y <= q.y1+reach {
					q.x0, q.x1, q.y1 = min(q.x0, x), max(q.x1, x), max(q.y1, y)
					q.n++
					joined = true
					break
				}
			}
			if !joined {
				found[why] = append(list, box{x, y, x, y, 1})
			}
		}
	}
	if total == 0 {
		return
	}
	s.Inspected = 1 - float64(hidden)/float64(total)
	for why := byte(1); int(why) < len(reasonNames); why++ {
		for _, q := range found[why] {
			s.NotInspected = append(s.NotInspected, Area{
				Reason:   reasonNames[why],
				MinMM:    d.placeMM(float64(q.x0)-0.5, float64(q.y0)-0.5),
				MaxMM:    d.placeMM(float64(q.x1)+0.5, float64(q.y1)+0.5),
				Fraction: float64(q.n) / float64(total),
			})
		}
	}
	slices.SortStableFunc(s.NotInspected, func(a, b Area) int {
		switch {
		case a.Fraction > b.Fraction:
			return -1
		case a.Fraction < b.Fraction:
			return 1
		}
		return 0
	})
}

// areaRemedies say what to do about each reason.
var areaRemedies = map[string]string{
	"glare":   "move the lamp or tilt the camera so that the sleeve does not mirror it, and show these sleeves again",
	"shadow":  "keep hands and cables out of the light, and show these sleeves again",
	"outline": "lay these sleeves clear of shadows and lines of the table, so that their edges are found, and show them again",
	"covered": "take fingers and other things off these sleeves and show them again",
}

// warnAreas names what was hidden on more than 3% of a sleeve.
func warnAreas(res *Result) {
	const share = 0.03
	hidden := map[string][]int{}
	for i, s := range res.Sleeves {
		by := map[string]float64{}
		for _, a := range s.NotInspected {
			by[a.Reason] += a.Fraction
		}
		for why, f := range by {
			if f > share {
				hidden[why] = append(hidden[why], i+1)
			}
		}
	}
	var whys []string
	for why := range hidden {
		whys = append(whys, why)
	}
	sort.Strings(whys)
	for _, why := range whys {
		res.Warnings = append(res.Warnings, Warning{Code: "not-inspected-" + why, Text: fmt.Sprintf(
			"%s hides more than 3%% of %d sleeves (%s): %s.", why, len(hidden[why]), listOf(hidden[why]), areaRemedies[why])})
	}
}

// listOf writes up to ten numbers.
func listOf(n []int) string {
	var b strings.Builder
	for i, v := range n {
		if i == 10 {
			fmt.Fprintf(&b, " and %d more", len(n)-10)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, v)
	}
	return b.String()
}

const (
	// haloFromMM and haloToMM bound the ring around a mark that is compared
	// with it: beyond a mark's own soft rim (a dent's flank, ink that ran) and
	// within what a lamp's reflection covers.
	haloFromMM, haloToMM = 1.5, 4.5
	// haloShare is the part of the mark's difference that its surroundings may
	// show in the same direction, and haloCodes what they may show in any
	// case: the light fit leaves about one code. A mark ends where it ends:
	// around ink, wear, dents and stains the fit leaves nothing or slightly
	// the opposite. Of a reflection only the crests pass the limits, and all
	// around them is more of the same.
	haloShare = 0.08
	haloCodes = 2.0
)

// standsInLight reports whether the surroundings of a region differ from the
// consensus as the region itself does: then it is the crest of a patch of
// light, however sharp the print makes its pieces.
func (d *deck) standsInLight(b *filterBank, k int, r *region) bool {
	mid, pix, reasons := b.mids[d.plates[k].batch], d.view(k), d.reason(k)
	reach := int(math.Ceil(haloToMM * d.px))
	x0, y0 := max(0, r.x0-reach), max(0, r.y0-reach)
	x1, y1 := min(d.w-1, r.x1+reach), min(d.h-1, r.y1+reach)
	w, h := x1-x0+1, y1-y0+1
	dist := make([]float32, w*h)
	for i := range dist {
		dist[i] = math.MaxFloat32
	}
	difference := func(i int) (v [3]float64) {
		for c := range 3 {
			v[c] = float64(pix[3*i+c]) - float64(mid[3*i+c])/256
		}
		return v
	}
	var own, ring [3]float64
	for _, i := range r.pixels {
		dist[(i/d.w-y0)*w+i%d.w-x0] = 0
		v := difference(i)
		for c := range own {
			own[c] += v[c] / float64(len(r.pixels))
		}
	}
	chamfer(dist, w, h)
	n := 0.0
	from, to := float32(haloFromMM*d.px), float32(haloToMM*d.px)
	for y := range h {
		for x := range w {
			i := (y+y0)*d.w + x + x0
			if t := dist[y*w+x]; t < from || t > to || b.mask[i] == 0 || reasons[i] != reasonNone {
				continue
			}
			n++
			v := difference(i)
			for c := range ring {
				ring[c] += v[c]
			}
		}
	}
	size := own[0]*own[0] + own[1]*own[1] + own[2]*own[2]
	if n == 0 || size == 0 {
		return false
	}
	along := (ring[0]*own[0] + ring[1]*own[1] + ring[2]*own[2]) / n
	return along > haloShare*size && along > haloCodes*math.Sqrt(size)
}

// chamfer turns zeros into distances in pixels, within 8% (two passes with
// weights 1 and root 2; Borgefors 1986).
func chamfer(dist []float32, w, h int) {
	const diagonal = float32(math.Sqrt2)
	relax := func(i, x, y, dx, dy int, cost float32) {
		if xx, yy := x+dx, y+dy; xx >= 0 && xx < w && yy >= 0 && yy < h {
			dist[i] = min(dist[i], dist[yy*w+xx]+cost)
		}
	}
	for y := range h {
		for x := range w {
			i := y*w + x
			relax(i, x, y, -1, 0, 1)
			relax(i, x, y, -1, -1, diagonal)
			relax(i, x, y, 0, -1, 1)
			relax(i, x, y, 1, -1, diagonal)
		}
	}
	for y := h - 1; y >= 0; y-- {
		for x := w - 1; x >= 0; x-- {
			i := y*w + x
			relax(i, x, y, 1, 0, 1)
			relax(i, x, y, 1, 1, diagonal)
			relax(i, x, y, 0, 1, 1)
			relax(i, x, y, -1, 1, diagonal)
		}
	}
}
