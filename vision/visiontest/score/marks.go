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
	var ways [][]Mark
	if p.seen != nil {
		ways = inTruthFrame(p, width, height)
	}
	// Which way the observer holds the sleeve is known from the corners; if
	// not, it is the way in which more of its marks are found.
	var seen []Mark
	most := -1
	for _, way := range ways {
		n := 0
		for _, m := range p.truth.Marks {
			if _, ok := find(m, way, width*height, t.options.NearMM); ok {
				n++
			}
		}
		if n > most {
			most, seen = n, way
		}
	}
	for _, m := range p.truth.Marks {
		c := &t.record.Marks.Visible
		switch m.Severity {
		case visiontest.Obvious:
			c = &t.record.Marks.Obvious
		case visiontest.CameraOnly:
			c = &t.record.Marks.CameraOnly
		case visiontest.Invisible:
			continue
		}
		c.Truth++
		word, found := find(m, seen, width*height, t.options.NearMM)
		if !found {
			continue
		}
		c.Found++
		if m.Severity == "" || visiontest.SeverityRank(word) == visiontest.NotStated {
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

// find says whether a true mark was found, and the most severe word about it.
func find(m visiontest.TruthMark, seen []Mark, area, near float64) (word string, found bool) {
	for _, s := range seen {
		if matches(m, s, area, near) {
			found = true
			if visiontest.SeverityRank(s.Visibility) > visiontest.SeverityRank(word) {
				word = s.Visibility
			}
		}
	}
	return word, found
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
// Where the truth states no corners both ways are returned.
func inTruthFrame(p pair, width, height float64) [][]Mark {
	w, h := p.seen.WidthMM, p.seen.HeightMM
	if w <= 0 || h <= 0 {
		w, h = width, height
	}
	own := plane.Rect(0, 0, w, h)
	truth := plane.Rect(0, 0, width, height)
	if !p.placed {
		var ways [][]Mark
		for _, turn := range []int{0, 2} {
			if move, err := plane.QuadToQuad(own, truth.Turn(turn)); err == nil {
				ways = append(ways, moved(p.seen.Marks, move))
			}
		}
		return ways
	}
	toFrame, errA := plane.QuadToQuad(own, p.seen.Corners)
	toTruth, errB := plane.QuadToQuad(p.quad, truth)
	if errA != nil || errB != nil {
		return nil // corners that are no quadrilateral
	}
	return [][]Mark{moved(p.seen.Marks, toTruth.Mul(toFrame))}
}

func moved(marks []Mark, move plane.Homography) []Mark {
	var out []Mark
	for _, m := range marks {
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
