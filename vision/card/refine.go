package card

import (
	"math"
	"slices"

	"fairdeck/vision/frame"
	"fairdeck/vision/plane"
)

// refine fits the sides of hypotheses in the full frame. Cards whose sides
// cannot be followed are left out. The first of them, so many as are trusted,
// state the size of the cards; 0: not known.
func refine(img *frame.Image, l *level, hs []hypothesis, view viewer, o Options, trusted int) []Detection {
	sm := newSampler(img)
	drafts, whole, out := draftsOf(l, hs, img.Width, img.Height)
	step := sm.settle(drafts, l, view, o.SidesPx, trusted)
	gaps := gapsOf(drafts)
	for i := range drafts {
		if d, ok := sm.finish(&drafts[i], gaps[i], step); ok {
			if trusted > 0 {
				// A place among cards of its own size speaks for it.
				d.Confidence *= gridTrust + (1-gridTrust)*whole[i].confidence()
			} else {
				d.Confidence *= whole[i].value()
			}
			if d.Unusable == "" && d.Confidence < leastConfidence {
				d.Unusable = unusableCovered
			}
			out = append(out, d)
		}
	}
	return out
}

// draftsOf turns hypotheses into drafts in pixels of the frame. Those that the
// frame cuts come back as they are.
func draftsOf(l *level, hs []hypothesis, width, height int) (drafts []draft, whole []*hypothesis, cut []Detection) {
	for i := range hs {
		var q plane.Quad
		for k := range q {
			q[k] = l.toFrame(hs[i].quad[k])
		}
		if hs[i].cut() && !within(q, width, height) {
			d := Detection{Corners: topFirst(q), Confidence: hs[i].value(), Unusable: unusableCut}
			for k := range d.SigmaPx {
				d.SigmaPx[k] = 2 * l.scale
			}
			cut = append(cut, d)
			continue
		}
		d := draft{pick: -1}
		for k := range d.room {
			d.room[k] = room{in: fullRoom, out: fullRoom, higher: fullRoom}
		}
		for k := range q {
			d.sides[k] = sideCurve{p: q[k], q: q[(k+1)%4]}
		}
		drafts = append(drafts, d)
		whole = append(whole, &hs[i])
	}
	return drafts, whole, cut
}

// within reports whether all corners lie in the frame. The level sees nothing at
// its rim, where a card may still be whole.
func within(q plane.Quad, width, height int) bool {
	for _, p := range q {
		if p.X < 0 || p.Y < 0 || p.X > float64(width-1) || p.Y > float64(height-1) {
			return false
		}
	}
	return true
}

// Reasons why a card cannot be inspected.
const (
	unusableCut     = "cut by the frame"
	unusableCovered = "partly covered, or a side that cannot be seen"
	unusableBlurred = "blurred"
)

// leastConfidence is what something needs to be inspected. In rendered frames
// cards have 0.5 and more.
const leastConfidence = 0.35

// gridTrust is how sure it is that what lies in a grid of cards is one.
const gridTrust = 0.3

// minAgree is the part of a side's places that have to agree on it. Marks and
// nicks take less; what covers a card takes more.
const minAgree = 0.4

// systematicPx is what is left of shadows, sharpening and JPEG where noise
// would allow better: the corner errors of rendered decks with known truth.
const systematicPx = 0.15

// finish takes the sides from about step px to a fraction of a pixel. gaps are
// the distances to the next card, px.
func (sm *sampler) finish(dr *draft, gaps [4]float64, step float64) (Detection, bool) {
	sides := dr.sides
	var q plane.Quad
	ok := true
	for i := range sides {
		if !sm.lockOn(&sides[i], min(1.2*step+1, 0.3*dr.room[i].in, 0.3*dr.room[i].out)) {
			return Detection{}, false
		}
	}
	// Narrowing reach: first a straight side, then its sag.
	for pass := range sm.models {
		for i := range sides {
			was := sides[i]
			ok := false
			if dr.room[i].tight() {
				ok = sm.fit(&sides[i], sm.close[pass], pass == 0, pass < len(sm.close)-1)
			}
			if !ok || sides[i].agree() < minAgree {
				// Also where two steps turn out to be a soft one.
				one := was
				if sm.fit(&one, sm.models[pass], pass == 0, false) && (!ok || one.agree() >= minAgree) {
					sides[i], ok = one, true
				}
			}
			// Where no fit holds, or fewer places agree on it, the side stays
			// where it was.
			if !ok || 10*sides[i].samples < 8*was.samples {
				sides[i] = was
				sides[i].sigma0 = max(sides[i].sigma0, unfittedPx)
			}
		}
		var next plane.Quad
		for i := range next {
			a, da := sides[(i+3)%4].end(1)
			b, db := sides[i].end(-1)
			p, ok := meetPoints(a, a.Add(da), b, b.Add(db))
			if !ok {
				return Detection{}, false
			}
			next[i] = p
		}
		if !next.Convex() {
			return Detection{}, false
		}
		q = next
		for i := range sides {
			// The sag stays; ends move to the new corners.
			s := &sides[i]
			*s = sideCurve{p: q[i], q: q[(i+1)%4], c2: s.c2, sigma0: s.sigma0, samples: s.samples, tried: s.tried, rms: s.rms, contrast: s.contrast}
		}
	}
	for i := range sides {
		s := &sides[i]
		if seen := int(dr.room[i].votes * float64(s.tried)); s.samples < seen && float64(s.samples) < minAgree*float64(s.tried) {
			// Its places have been seen to have the line, though between two
			// others no fit finds its middle.
			s.samples = seen
			s.sigma0 = max(s.sigma0, unfittedPx)
		}
		s.sigma0 = math.Hypot(s.sigma0, dr.doubt[i])
	}
	if q, ok = sm.contacts(&sides, gaps, dr.room, q); !ok {
		return Detection{}, false
	}
	d := Detection{Corners: q, Confidence: 1}
	for i := range 4 {
		a, b := sides[i].sigma0, sides[(i+3)%4].sigma0
		d.SigmaPx[i] = math.Sqrt(a*a + b*b + systematicPx*systematicPx)
		share := sides[i].agree()
		d.Confidence = min(d.Confidence, 0.3+0.7*share)
		if share < minAgree {
			d.Unusable = unusableCovered
		}
		for _, p := range []plane.Point{q[i]} {
			// Some slack for a side that runs along the border: the corners
			// are the virtual ones, outside of the rounded ones.
			const slack = 2.5
			if p.X < -slack || p.Y < -slack || p.X > float64(sm.img.Width-1)+slack || p.Y > float64(sm.img.Height-1)+slack {
				d.Unusable = unusableCut
			}
		}
	}
	if d.Unusable == "" && sm.blur(&sides) > max(maxBlurPx, maxBlur*math.Sqrt(q.Area()/(63*88))) {
		d.Unusable = unusableBlurred
	}
	if t := topFirst(d.Corners); t != d.Corners {
		d.Corners = t
		s := d.SigmaPx
		d.SigmaPx = [4]float64{s[2], s[3], s[0], s[1]}
	}
	return d, true
}

// topFirst chooses the half turn whose first side is the upper one.
func topFirst(q plane.Quad) plane.Quad {
	if q[0].Y+q[1].Y > q[2].Y+q[3].Y {
		return q.Turn(2)
	}
	return q
}

// lockOn moves the side within half pixels, what the level leaves open, to
// the straight line that most of its places have an edge on.
func (sm *sampler) lockOn(c *sideCurve, reach float64) bool {
	const step = 0.5
	half := math.Ceil(reach) + 2
	if _, _, length := c.frame(); length < 8 {
		return false
	}
	profiles, places := sm.bins(c, 12, -half, half, step, 2)
	n := len(profiles)
	if n < c.tried/3 {
		return false
	}
	profiles = logged(profiles)
	k := int(math.Round(2*half/step)) + 1
	// Squared difference over two pixels, all channels.
	energy := make([]float64, n*k)
	var all []float64
	for b, p := range profiles {
		for i := 2; i < k-2; i++ {
			for ch := range 3 {
				d := p[ch*k+i+2] - p[ch*k+i-2]
				energy[b*k+i] += d * d
			}
			all = append(all, energy[b*k+i])
		}
	}
	slices.Sort(all)
	ref := 4*all[len(all)/3] + 1e-7
	// A place votes for where its edge is strongest locally, up to a pixel
	// off, so that a side may sag.
	vote := make([]float64, n*k)
	for b := range n {
		e, v := energy[b*k:(b+1)*k], vote[b*k:(b+1)*k]
		for i := 2; i < k-2; i++ {
			if e[i] >= e[i-1] && e[i] >= e[i+1] && e[i] > 0 {
				w := e[i] / (e[i] + ref)
				for o := -2; o <= 2; o++ {
					v[i+o] = max(v[i+o], w*(1-0.1*math.Abs(float64(o))))
				}
			}
		}
	}
	m := int(math.Round(reach / step))
	mid := (k - 1) / 2
	best, at0, at1 := -1.0, 0, 0
	for a := -m; a <= m; a++ {
		for b := -m; b <= m; b++ {
			sum := 0.0
			for i, s := range places {
				o := float64(a) + (s+1)/2*float64(b-a)
				sum += vote[i*k+mid+int(math.Round(o))]
			}
			// The nearest of equals; a small part of the votes is noise.
			sum *= 1 - 0.05*float64(a*a+b*b)/float64(max(1, 2*m*m))
			if sum > best {
				best, at0, at1 = sum, a, b
			}
		}
	}
	c.c0 += step * float64(at0+at1) / 2
	c.c1 += step * float64(at1-at0) / 2
	return true
}

// unfittedPx is the uncertainty of a side that no fit could follow.
const unfittedPx = 1

// fit moves the curve onto the edge that the model finds near it. Light adds
// up, so that it is in light; but where a shadow's rim is near, which is often
// the greater step in light, ratios count.
func (sm *sampler) fit(c *sideCurve, m *stepModel, coarse, ratios bool) bool {
	if _, _, length := c.frame(); length < 8 {
		return false
	}
	every := 1.0
	if coarse {
		every = 2
	}
	profiles, places := sm.bins(c, 10, -fitHalf, fitHalf, fitStep, every)
	if len(profiles) < c.tried/3 {
		return false
	}
	offsets := make([]float64, len(profiles))
	weights := make([]float64, len(profiles))
	if ratios {
		profiles = logged(profiles)
	}
	for i, p := range profiles {
		offsets[i], weights[i] = m.locate(p)
	}
	return c.fitCurve(places, offsets, weights, coarse)
}
