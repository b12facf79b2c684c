package score

import (
	"math"

	"fairdeck/vision/plane"
	"fairdeck/vision/visiontest"
)

// largeShare: an observed mark over more of the sleeve than this says "the
// sleeve is odd" and does not find a small mark.
const largeShare = 0.3

// marks counts the true marks of one sleeve and which of them were found.
func (t *tally) marks(truth *visiontest.Truth, p pair) {
	if len(p.truth.Marks) == 0 {
		return
	}
	width, height := size(truth, p)
	var seen []Mark
	if p.seen != nil {
		seen = inTruthFrame(p, width, height)
	}
	for _, m := range p.truth.Marks {
		var c *Count
		switch m.Severity {
		case visiontest.Obvious:
			c = &t.record.Marks.Obvious
		case visiontest.Visible:
			c = &t.record.Marks.Visible
		case visiontest.CameraOnly:
			c = &t.record.Marks.CameraOnly
		default:
			continue // invisible, or not stated
		}
		c.Truth++
		word, found := "", false
		for _, s := range seen {
			if matches(m, s, width*height, t.options.NearMM) {
				found = true
				if visiontest.SeverityRank(s.Visibility) > visiontest.SeverityRank(word) {
					word = s.Visibility
				}
			}
		}
		if !found {
			continue
		}
		c.Found++
		if visiontest.SeverityRank(word) == visiontest.NotStated {
			continue
		}
		t.compared++
		step := visiontest.SeverityRank(word) - visiontest.SeverityRank(m.Severity)
		if step == 0 {
			t.same++
		}
		if step >= -1 && step <= 1 {
			t.near++
		}
	}
}

func size(truth *visiontest.Truth, p pair) (w, h float64) {
	switch {
	case p.truth.SizeMM != nil:
		return p.truth.SizeMM[0], p.truth.SizeMM[1]
	case truth.SleeveNominalMM != nil:
		return truth.SleeveNominalMM[0], truth.SleeveNominalMM[1]
	case p.seen != nil && p.seen.WidthMM > 0 && p.seen.HeightMM > 0:
		return p.seen.WidthMM, p.seen.HeightMM
	}
	return 66, 91
}

// inTruthFrame moves the observed marks to the truth's sleeve frame: through
// the picture, because the observer may count from the sleeve's other end.
func inTruthFrame(p pair, width, height float64) []Mark {
	w, h := p.seen.WidthMM, p.seen.HeightMM
	if w <= 0 || h <= 0 {
		w, h = width, height
	}
	toFrame, err := plane.QuadToQuad(plane.Rect(0, 0, w, h), p.seen.Corners)
	if err != nil {
		return nil
	}
	toTruth, err := plane.QuadToQuad(p.quad, plane.Rect(0, 0, width, height))
	if err != nil {
		return nil
	}
	move := toTruth.Mul(toFrame)
	var out []Mark
	for _, m := range p.seen.Marks {
		a, b := m.MinMM, m.MaxMM
		q := move.ApplyQuad(plane.Quad{a, {X: b.X, Y: a.Y}, b, {X: a.X, Y: b.Y}})
		m.MinMM, m.MaxMM = q[0], q[0]
		for _, c := range q[1:] {
			m.MinMM = plane.Point{X: math.Min(m.MinMM.X, c.X), Y: math.Min(m.MinMM.Y, c.Y)}
			m.MaxMM = plane.Point{X: math.Max(m.MaxMM.X, c.X), Y: math.Max(m.MaxMM.Y, c.Y)}
		}
		out = append(out, m)
	}
	return out
}

// matches says whether an observed mark finds a true one.
func matches(m visiontest.TruthMark, s Mark, area, near float64) bool {
	if m.WholeSleeve || s.WholeSleeve {
		return m.WholeSleeve && s.WholeSleeve
	}
	if m.WhereMM == nil {
		return false
	}
	radius := m.SizeMM / 2
	if (s.MaxMM.X-s.MinMM.X)*(s.MaxMM.Y-s.MinMM.Y) > largeShare*area && math.Pi*radius*radius < largeShare*area {
		return false
	}
	points := []plane.Point{m.WhereMM.Point()}
	if len(m.LineMM) >= 2 {
		// A line: its own points every half millimetre, without width.
		radius, points = 0, nil
		for i := 1; i < len(m.LineMM); i++ {
			a, b := m.LineMM[i-1].Point(), m.LineMM[i].Point()
			n := int(math.Min(b.Sub(a).Norm(), 1000)/0.5) + 1
			for k := range n + 1 {
				points = append(points, a.Add(b.Sub(a).Mul(float64(k)/float64(n))))
			}
		}
	}
	switch visiontest.Kind(m.Kind).Canonical() {
	case visiontest.Scratch, visiontest.Crease, visiontest.PenLine, visiontest.EdgeWear:
		// A line whose direction is not stated: only its middle is known,
		// and the tolerance is not widened by its length.
		if len(m.LineMM) < 2 {
			radius = 0
		}
	}
	for _, q := range points {
		dx := math.Max(0, math.Max(s.MinMM.X-q.X, q.X-s.MaxMM.X))
		dy := math.Max(0, math.Max(s.MinMM.Y-q.Y, q.Y-s.MaxMM.Y))
		if math.Hypot(dx, dy) <= radius+near {
			return true
		}
	}
	return false
}
