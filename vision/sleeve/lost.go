package sleeve

import "slices"

// Where the outlines of many sleeves were not found, the table or the light
// does not suit: the others' are not to be trusted either, though nothing of
// theirs disagrees. Nobody is accused by such pictures, and the sleeves whose
// outline is known to be wrong count as not compared, so that the check as a
// whole is not good enough.

// lostShare of the sleeves is more than a finder's occasional error; few
// (lostLeast) are no share.
const (
	lostShare = 1.0 / 3
	lostLeast = 3
)

// tellLost takes the accusations back where too many outlines were not found.
func tellLost(res *Result) {
	lost := 0
	wrong := func(s *Sleeve) bool {
		if s.Unusable != "" {
			return s.Unusable == unplaced
		}
		for _, a := range s.NotInspected {
			if a.Reason == reasonNames[reasonOutline] {
				return true
			}
		}
		// What would be obvious along an outline that is not sure is, more
		// often than not, the outline.
		for i := range s.Marks {
			if s.Marks[i].atEdge == Obvious {
				return true
			}
		}
		return false
	}
	for i := range res.Sleeves {
		if wrong(&res.Sleeves[i]) {
			lost++
		}
	}
	if lost < lostLeast || float64(lost) <= lostShare*float64(len(res.Sleeves)) {
		return
	}
	for i := range res.Sleeves {
		s := &res.Sleeves[i]
		if s.Unusable == "" && wrong(s) {
			s.Unusable, s.Inspected = unplaced, 0
		}
		for k := range s.Marks {
			s.Marks[k].Visibility = CameraOnly
		}
		if s.Visibility != "" {
			s.Visibility = CameraOnly
		}
	}
	res.Warnings = slices.DeleteFunc(res.Warnings, func(w Warning) bool { return w.Code == "shared-mark" })
	for i := range res.Groups {
		if g := &res.Groups[i]; g.Visibility != "" {
			g.Visibility = CameraOnly
		}
	}
}
