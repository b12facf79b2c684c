package sleeve

import "math"

// Every used sleeve has hairline scratches, some decks more than others, and
// the longest of a hundred of them is just visible. A tail that is read off
// the typical sleeve's peaks does not know them: they are few on each sleeve
// and unlike the noise between them. The marks that were listed know: where
// several other sleeves have thin faint lines of half the contrast, wherever
// they lie, this deck is worn that way, and a line among them is listed and
// accuses nobody. A pen's line is darker or wider than that.

const (
	hairlineWideMM  = 0.6 // as wide as a camera of 3 px/mm draws one
	hairlineLongMM  = 3.0
	hairlineDeltaE  = 4.5 // mean; what is stronger is no hairline
	hairlineAlike   = 0.5 // of the mean ΔE
	hairlineSleeves = 3   // so many others must have them
)

func (m *Mark) hairline() bool {
	return m.WidthMM <= hairlineWideMM && m.LengthMM >= hairlineLongMM && m.MeanDeltaE < hairlineDeltaE
}

// excuseHairlines takes back accusations by hairlines that the deck is full
// of.
func (d *deck) excuseHairlines(res *Result) {
	strongest := make([]float64, len(d.plates))
	for k, p := range d.plates {
		for i := range res.Sleeves[p.input].Marks {
			if m := &res.Sleeves[p.input].Marks[i]; m.hairline() {
				strongest[k] = math.Max(strongest[k], m.MeanDeltaE)
			}
		}
	}
	for k, p := range d.plates {
		s := &res.Sleeves[p.input]
		changed := false
		for i := range s.Marks {
			m := &s.Marks[i]
			if m.Visibility != Visible || !m.hairline() {
				continue
			}
			others := 0
			for q, v := range strongest {
				if q != k && v >= hairlineAlike*m.MeanDeltaE {
					others++
				}
			}
			if others >= hairlineSleeves {
				m.Visibility, changed = CameraOnly, true
			}
		}
		if changed {
			s.Visibility = ""
			for i := range s.Marks {
				if v := s.Marks[i].Visibility; v.Rank() > s.Visibility.Rank() {
					s.Visibility = v
				}
			}
			s.sortMarks()
		}
	}
}
