package sleeve

import (
	"math"
	"slices"

	"fairdeck/internal/cv"
	"fairdeck/vision/plane"
)

// region is the pixels of one mark.
type region struct {
	pixels []int // indices into the view, ascending
	score  float64
	line   bool // found as a line
	fine   bool // seen by a filter of less than softMM
	p      float64
	inner  float64 // p of the evidence that is not the rim's alone
	x0, y0 int     // bounds, inclusive
	x1, y1 int
}

// evidence is, for every pixel, the largest squared response over its limit
// among all filters: 1 and more is beyond what a clean deck does.
func (d *deck) evidence(b *filterBank, s *scan, k int) []float32 {
	e := make([]float32, d.w*d.h)
	d.respond(b, k, func(l int, r [3][]float32) {
		// The polarity's own limit was applied to the peaks; for the outline
		// of a mark the lower one serves.
		limit := math.Min(b.limit[b.blobFilter(l, false)], b.limit[b.blobFilter(l, true)])
		if math.IsInf(limit, 0) {
			return
		}
		q := b.squares(&d.scratch, l, r)
		f := b.factors(s, k, l)
		sh, ts := b.layers[l], b.tile[l]
		by := make([]float32, len(f))
		for t := range f {
			by[t] = float32(1 / (f[t] * limit))
		}
		cv.Shares(q, sh.m, sh.w, sh.h, by, ts.side, ts.tw)
		cv.Raise(q, sh.w, sh.h, float32(1/sh.step), b.mask, e, d.w, d.h)
		d.scratch.put(q)
	})
	for i := range b.shared {
		if q := &b.shared[i]; q.has[k] {
			d.drawSpot(e, b.mask, q.fit, 1)
		}
	}
	for l := range s.spots {
		for _, p := range s.spots[l] {
			if limit := b.limit[b.spotFilter(l, p.dark)]; b.isSpot(p) && p.score >= limit {
				d.drawSpot(e, b.mask, *p.fit, p.score/limit)
			}
		}
	}
	for l := range s.lines {
		for pol := range s.lines[l] {
			limit := b.limit[b.lineFilter(l, pol == 1)]
			for _, seg := range s.lines[l][pol] {
				if seg.score >= limit {
					d.draw(e, seg, float32(seg.score/limit))
				}
			}
		}
	}
	return e
}

// draw raises the evidence along a segment, three pixels wide.
func (d *deck) draw(e []float32, s segment, v float32) {
	n := max(abs(s.x1-s.x0), abs(s.y1-s.y0), 1)
	for k := range n + 1 {
		x := s.x0 + (s.x1-s.x0)*k/n
		y := s.y0 + (s.y1-s.y0)*k/n
		for yy := max(0, y-1); yy <= min(d.h-1, y+1); yy++ {
			for xx := max(0, x-1); xx <= min(d.w-1, x+1); xx++ {
				e[yy*d.w+xx] = max(e[yy*d.w+xx], v)
			}
		}
	}
}

func abs(x int) int { return max(x, -x) }

const (
	// evidenceFoot is the lower threshold of the hysteresis: half the limit's
	// amplitude, squared.
	evidenceFoot = 0.25
	// regionShare: a mark's pixels reach this share of its strongest ΔE.
	regionShare = 0.35
	// softMM: what only filters of this size and more see has no edge within
	// some millimetres.
	softMM = 3.0
	// mergeMM joins the pieces of a dashed crease or a dent's two flanks.
	mergeMM = 1.5
)

// candidate is a peak beyond its limit.
type candidate struct {
	i      int // pixel of the view
	filter int
	ratio  float64 // score over the limit
	p      float64
	line   bool
	fine   bool
	rim    bool // a stretch of the rim
}

// innerP is the p value where it does not rest on the rim alone.
func (c candidate) innerP() float64 {
	if c.rim {
		return 1
	}
	return c.p
}

func (d *deck) candidates(b *filterBank, s *scan, k int) []candidate {
	var out []candidate
	n := len(d.plates)
	for l := range s.peaks {
		sh := b.layers[l]
		for _, p := range s.peaks[l] {
			f := b.blobFilter(l, p.dark)
			if p.score < b.limit[f] {
				continue
			}
			x := min(d.w-1, int(float64(p.x)*sh.step))
			y := min(d.h-1, int(float64(p.y)*sh.step))
			out = append(out, candidate{i: y*d.w + x, filter: f, ratio: p.score / b.limit[f], p: b.pValue(f, p.score, n), fine: sh.spotMM() < softMM})
		}
	}
	for l := range s.spots {
		for _, p := range s.spots[l] {
			f := b.spotFilter(l, p.dark)
			if !b.isSpot(p) || p.score < b.limit[f] {
				continue
			}
			i := int(clamp(p.fit.y, 0, float64(d.h-1))+0.5)*d.w + int(clamp(p.fit.x, 0, float64(d.w-1))+0.5)
			c := candidate{i: i, filter: f, ratio: p.score / b.limit[f], p: b.pValue(f, p.score, n), fine: true}
			if c.ratio < spotSure {
				c.p = math.Max(c.p, spotLeastP)
			}
			out = append(out, c)
		}
	}
	for l := range s.lines {
		for pol := range s.lines[l] {
			f := b.lineFilter(l, pol == 1)
			for _, seg := range s.lines[l][pol] {
				if seg.score < b.limit[f] {
					continue
				}
				i := (seg.y0+seg.y1)/2*d.w + (seg.x0+seg.x1)/2
				out = append(out, candidate{i: i, filter: f, ratio: seg.score / b.limit[f], p: b.pValue(f, seg.score, n), line: true, fine: true, rim: l >= len(b.lineK)})
			}
		}
	}
	if len(b.shared) > 0 {
		out = slices.DeleteFunc(out, func(c candidate) bool {
			return b.besideShared(d.plates[k].batch, k, float64(c.i%d.w), float64(c.i/d.w))
		})
	}
	return out
}

// regions outlines the marks of a plate that has candidates.
func (d *deck) regions(b *filterBank, s *scan, k int, cand []candidate, diff *labPlanes) []region {
	e := d.evidence(b, s, k)
	size := deltaE76Plane(diff)
	var typical []float64
	for i := 0; i < len(size); i += 7 {
		if b.mask[i] != 0 {
			typical = append(typical, float64(size[i]))
		}
	}
	noise := median(typical)

	// Components with a fine candidate in them are outlined by their pixels,
	// soft ones by the filters' extent: inside a soft patch the strongest
	// pixels are where light and print meet, not where the patch is.
	label := make([]int32, len(e))
	comps := [][]int{}
	var out []region
	var stack []int
	slices.SortFunc(cand, func(a, b candidate) int {
		switch {
		case a.ratio > b.ratio:
			return -1
		case a.ratio < b.ratio:
			return 1
		}
		return a.i - b.i
	})
	for _, c := range cand {
		if label[c.i] != 0 {
			// Part of a mark already outlined: it may be the surer sign.
			r := &out[label[c.i]-1]
			r.p, r.inner = math.Min(r.p, c.p), math.Min(r.inner, c.innerP())
			r.fine = r.fine || c.fine
			continue
		}
		// Everything connected above the foot, by flood fill.
		id := int32(len(out) + 1)
		foot := float32(math.Min(evidenceFoot, 0.9*c.ratio))
		stack = append(stack[:0], c.i)
		label[c.i] = id
		var comp []int
		for len(stack) > 0 {
			i := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			comp = append(comp, i)
			x, y := i%d.w, i/d.w
			for yy := max(0, y-1); yy <= min(d.h-1, y+1); yy++ {
				for xx := max(0, x-1); xx <= min(d.w-1, x+1); xx++ {
					if j := yy*d.w + xx; label[j] == 0 && e[j] > foot {
						label[j] = id
						stack = append(stack, j)
					}
				}
			}
		}
		comps = append(comps, comp)
		out = append(out, region{score: c.ratio, line: c.line, fine: c.fine, p: c.p, inner: c.innerP()})
	}
	for j := range out {
		r, comp := &out[j], comps[j]
		peak := 0.0
		for _, i := range comp {
			peak = math.Max(peak, float64(size[i]))
		}
		limit := float32(math.Max(regionShare*peak, math.Min(2.5*noise, 0.7*peak)))
		for _, i := range comp {
			if !r.fine || size[i] >= limit {
				r.pixels = append(r.pixels, i)
			}
		}
		slices.Sort(r.pixels)
		r.bound(d.w)
	}
	return d.merge(out)
}

func (r *region) bound(w int) {
	r.x0, r.y0, r.x1, r.y1 = math.MaxInt, math.MaxInt, -1, -1
	for _, i := range r.pixels {
		x, y := i%w, i/w
		r.x0, r.x1 = min(r.x0, x), max(r.x1, x)
		r.y0, r.y1 = min(r.y0, y), max(r.y1, y)
	}
}

// merge joins regions whose pixels come nearer than mergeMM.
func (d *deck) merge(in []region) []region {
	reach := mergeMM * d.px
	for {
		joined := false
		for i := 0; i < len(in) && !joined; i++ {
			for j := i + 1; j < len(in) && !joined; j++ {
				if near(&in[i], &in[j], d.w, reach) {
					a, b := &in[i], &in[j]
					a.pixels = append(a.pixels, b.pixels...)
					slices.Sort(a.pixels)
					a.pixels = slices.Compact(a.pixels)
					if b.score > a.score {
						a.score, a.line = b.score, b.line
					}
					a.p, a.inner = math.Min(a.p, b.p), math.Min(a.inner, b.inner)
					a.fine = a.fine || b.fine
					a.bound(d.w)
					in = slices.Delete(in, j, j+1)
					joined = true
				}
			}
		}
		if !joined {
			return in
		}
	}
}

func near(a, b *region, w int, reach float64) bool {
	r := int(reach)
	if a.x0 > b.x1+r || b.x0 > a.x1+r || a.y0 > b.y1+r || b.y0 > a.y1+r {
		return false
	}
	for _, i := range a.pixels {
		ax, ay := i%w, i/w
		if ax < b.x0-r || ax > b.x1+r || ay < b.y0-r || ay > b.y1+r {
			continue
		}
		for _, j := range b.pixels {
			if dx, dy := float64(ax-j%w), float64(ay-j/w); dx*dx+dy*dy <= reach*reach {
				return true
			}
		}
	}
	return false
}

// shape is the size and direction of a region, by the second moments of its
// pixels weighted by their difference.
type shape struct {
	cx, cy        float64 // px, weighted
	length, width float64 // mm: extents along and across the main axis
	angle         float64 // of the main axis, radians
	across        float64 // mm: full extent across, of pieces that lie scattered, too
}

func (d *deck) shapeOf(r *region, size []float32) shape {
	var s shape
	sw := 0.0
	for _, i := range r.pixels {
		w := float64(size[i])
		s.cx += w * float64(i%d.w)
		s.cy += w * float64(i/d.w)
		sw += w
	}
	if sw == 0 {
		sw = 1
	}
	s.cx, s.cy = s.cx/sw, s.cy/sw
	var xx, xy, yy float64
	for _, i := range r.pixels {
		w := float64(size[i])
		dx, dy := float64(i%d.w)-s.cx, float64(i/d.w)-s.cy
		xx += w * dx * dx
		xy += w * dx * dy
		yy += w * dy * dy
	}
	s.angle = 0.5 * math.Atan2(2*xy, xx-yy)
	c, n := math.Cos(s.angle), math.Sin(s.angle)
	a0, a1 := math.Inf(1), math.Inf(-1)
	var across, along []float64
	for _, i := range r.pixels {
		dx, dy := float64(i%d.w)-s.cx, float64(i/d.w)-s.cy
		a := c*dx + n*dy
		a0, a1 = math.Min(a0, a), math.Max(a1, a)
		along = append(along, a)
		across = append(across, -n*dx+c*dy)
	}
	s.length = (a1 - a0 + 1) / d.px
	// Width as the area over the length for lines, which a bend does not
	// inflate; the full extent for compact marks.
	b0, b1 := slices.Min(across), slices.Max(across)
	full := (b1 - b0 + 1) / d.px
	s.width, s.across = full, full
	if byArea := float64(len(r.pixels)) / (d.px * d.px) / s.length; s.length > 4*byArea {
		s.width = byArea
	}
	s.width = math.Min(s.width, s.length)
	return s
}

// mark measures a region.
func (d *deck) mark(b *filterBank, k int, r *region, sh shape, diff *labPlanes) Mark {
	m := Mark{
		LengthMM: sh.length, WidthMM: sh.width, acrossMM: sh.across,
		AreaMM2:  float64(len(r.pixels)) / (d.px * d.px),
		CentreMM: d.placeMM(sh.cx, sh.cy),
		MinMM:    d.placeMM(float64(r.x0)-0.5, float64(r.y0)-0.5),
		MaxMM:    d.placeMM(float64(r.x1)+0.5, float64(r.y1)+0.5),
		PValue:   r.p,
	}
	sum := 0.0
	for _, i := range r.pixels {
		e := deltaE(&b.labs[d.plates[k].batch], diff, i)
		m.PeakDeltaE = math.Max(m.PeakDeltaE, e)
		sum += e
	}
	m.MeanDeltaE = sum / float64(len(r.pixels))
	m.DeltaESigma = d.meanSigma(b, r)
	m.perceived, m.perceivedPeak = d.perceive(b, k, r, sh)
	m.Visibility = visibilityOf(m.perceived, m.perceivedPeak)
	m.debris = d.debrisOf(b, k, r)
	m.Kind, m.KindConfidence = d.kindOf(b, k, r, sh, diff, &m)
	// What is not sure enough accuses nobody, however it would look: nor does
	// what lies at an outline that is not sure, and where one is wrong the
	// print of the whole view is stretched.
	faint := r.fine && (m.PeakDeltaE < noticedDeltaE || m.MeanDeltaE < noticedMeanDeltaE) ||
		r.inner > tailTrust*d.opt.FalseAlarmRate && m.MeanDeltaE < rimDeltaE
	if d.nearUnsure(b, k, r, sh, m.Kind) {
		m.atEdge, m.Visibility = m.Visibility, CameraOnly
	}
	if faint || d.plates[k].misplaced || d.tableLeaks(b, k, r) || d.mixesOutline(b, k, r) || d.shiftsPrint(b, k, r) || d.cornerGlint(b, k, r, &m) || d.othersToo(b, k, r, m.Visibility) || m.PValue > tailTrust*d.opt.FalseAlarmRate || d.mayBeSmudge(b, k, r, &m) || d.standsInLight(b, k, r) {
		m.Visibility = CameraOnly
	}
	if m.Visibility.Rank() >= Visible.Rank() && d.movedPrint(b, k, r) {
		m.slipped, m.Visibility = true, CameraOnly
	}
	m.asSeen = m.Visibility
	if d.mayBeDebris(&m) || m.Visibility.Rank() >= Visible.Rank() && d.mayBeFibres(b, k, r) {
		m.Visibility = CameraOnly
	}
	return m
}

// mayBeSmudge reports whether the mark could as well be a greasy spot: a weak
// patch of some millimetres, away from the outline, that only darkens or
// lightens.
func (d *deck) mayBeSmudge(b *filterBank, k int, r *region, m *Mark) bool {
	const leastMM, strongest = 3.0, 6.0
	// No crease or scratch is as wide as smearedMM.
	const smearedMM, overhangMM = 2.0, 2.0
	// On a print a smudge falls into pieces, whatever their kind looks like;
	// a line is longer for its width, and keeps to it. What is fainter than anything is noticed
	// by itself, among the lines of a print, has no shape that could be told.
	const piecesMM2, piecesWeak, piecesLong, piecesWide = 8.0, 4.0, 14.0, 4.0
	shapeless := m.MeanDeltaE < noticedPeak || m.LengthMM < piecesLong*m.WidthMM || m.acrossMM > math.Max(leastMM, piecesWide*m.WidthMM)
	if d.printed && m.WidthMM < leastMM && m.AreaMM2 >= piecesMM2 && m.MeanDeltaE < piecesWeak && shapeless && d.lightLike(b, k, r, false) != reasonNone {
		return true
	}
	away := m.MinMM.X > 1 && m.MinMM.Y > 1 && m.MaxMM.X < d.wMM-1 && m.MaxMM.Y < d.hMM-1
	// A smudge that reaches over the outline has its middle away from it.
	c := m.CentreMM
	away = away || !m.lighter && math.Min(math.Min(c.X, d.wMM-c.X), math.Min(c.Y, d.hMM-c.Y)) > overhangMM
	patch := m.WidthMM >= leastMM && (m.Kind == Stain || m.Kind == Unclear) || m.WidthMM >= smearedMM && (m.Kind == Crease || m.Kind == Scratch)
	return patch && m.MeanDeltaE < strongest &&
		(away || !r.fine) && d.lightLike(b, k, r, true) != reasonNone
}

// noticedDeltaE: a mark with edges must somewhere reach this ΔE in the
// smoothed difference, too. Perceived contrast is taken from the pixels, and
// over a long faint line picked for its pixels their noise adds up.
const (
	noticedDeltaE     = 4
	noticedMeanDeltaE = 2
)

// rimDeltaE: where only the rim's filters are sure, an outline that is off by
// a few tenths of a pixel must be ruled out, and that shows mean differences
// of 2 to 4.
const rimDeltaE = 4.5

// tailTrust is the share of the false alarm rate that is spent on what the
// tails say. They are read off tens of peaks and carried on to one in a
// million: clean decks show peaks of p = 0.001 some ten times as often as
// they should.
const tailTrust = 0.01

func (d *deck) placeMM(x, y float64) plane.Point {
	return plane.Point{X: (x+0.5)/d.px - d.margin, Y: (y+0.5)/d.px - d.margin}
}

// meanSigma is the standard uncertainty of the mean ΔE over the region: the
// noise of its pixels, of which about one in four is independent after blur
// and JPEG, plus the consensus's own.
func (d *deck) meanSigma(b *filterBank, r *region) float64 {
	sum := 0.0
	for _, i := range r.pixels {
		// Green carries most of the lightness: a code is 100/255 of L at
		// mid-tones, and the uncertainty of an uncertainty may be rough.
		sum += 100.0 / 255 / float64(b.inv[1][i])
	}
	n := float64(len(r.pixels))
	mean := sum / n
	return mean * math.Sqrt(4/n+1/float64(len(d.plates)))
}

// perceive is the perceived contrast of the region on the sleeve.
func (d *deck) perceive(b *filterBank, k int, r *region, sh shape) (pooled, peak float64) {
	// The filters' second lobes reach 2 mm; the window leaves them room.
	reach := int(math.Ceil(3 * d.px))
	x0, y0 := max(0, r.x0-reach), max(0, r.y0-reach)
	x1, y1 := min(d.w, r.x1+1+reach), min(d.h, r.y1+1+reach)
	w := x1 - x0
	in := make([]bool, w*(y1-y0))
	// The region and a pixel around it: the mark's blurred rim belongs to it.
	for _, i := range r.pixels {
		x, y := i%d.w, i/d.w
		for yy := max(y0, y-1); yy <= min(y1-1, y+1); yy++ {
			for xx := max(x0, x-1); xx <= min(x1-1, x+1); xx++ {
				in[(yy-y0)*w+xx-x0] = b.mask[yy*d.w+xx] != 0
			}
		}
	}
	p := newPatch(d.view(k), b.mids[d.plates[k].batch], d.w, x0, y0, x1, y1, d.px, func(x, y int) bool { return in[(y-y0)*w+x-x0] })
	// Over a wide patch the pixels' noise would add up to a contrast that is
	// not the patch's.
	smooth := 0.0
	if sh.width >= wideMM {
		smooth = smoothMM * d.px
	}
	if r.line && sh.length >= streakRatio*sh.width {
		p.streak(in, sh.angle, streakMM*d.px)
	}
	return p.perceived(d.opt.ViewingDistanceMM, cameraBlurPx, smooth)
}

// Patches of wideMM and more are smoothed by smoothMM before they are judged,
// which leaves all but their rim as it is.
const (
	wideMM   = 3.0
	smoothMM = 0.4
)

// Lines of streakRatio times their width and more are averaged along
// themselves over a standard deviation of streakMM before they are judged:
// the pixels of a faint line were picked for their noise, which is not the
// line's.
const (
	streakRatio = 6.0
	streakMM    = 1.0
)

// cameraBlurPx is the standard deviation of the camera's blur in view pixels
// that is taken off the eye's: lens, demosaicking and resampling together.
const cameraBlurPx = 0.8
