// Package score says how far an inspection is from the truth.
//
//	visiontest.Truth ──┐
//	                   ├─ Deck ──▶ Record (one JSON object per deck)
//	[]Frame (observed) ┘
//
// What was observed is given in the plain structs of this package, so that
// anything that inspects sleeves can be scored. Cards are matched to the truth
// by where they lie, or in their order where the truth states no corners;
// marks are compared on the truth's own sleeve frame, so that an observer who
// holds a sleeve upside down is not punished for it.
package score

import (
	"math"

	"fairdeck/vision/plane"
	"fairdeck/vision/visiontest"
)

// Frame is what was observed in one picture.
type Frame struct {
	// File is the picture's name as in the truth.
	File  string
	Cards []Card
}

// Card is one observed sleeve.
type Card struct {
	// Corners in pixels, TL TR BR BL in the observer's frame of the sleeve.
	Corners plane.Quad
	// WidthMM and HeightMM give the scale of the marks; 0 means the truth's.
	WidthMM, HeightMM float64
	// Orientation against the deck's majority: 0, 180, or
	// visiontest.NotStated, which counts as 0.
	Orientation int
	// Batch is any name of the group that the sleeve belongs to.
	Batch string
	// Flag is the overall word about the sleeve; "" means the most severe
	// visibility of its marks.
	Flag  string
	Marks []Mark
}

// Mark is one observed mark.
type Mark struct {
	Kind string
	// MinMM and MaxMM bound it, from the observed TL corner.
	MinMM, MaxMM plane.Point
	// Visibility is camera-only, visible or obvious.
	Visibility string
	// WholeSleeve marks size, print and design, which have no place.
	WholeSleeve bool
}

// Count is how many marks there are and how many were found.
type Count struct {
	Truth int `json:"truth"`
	Found int `json:"found"`
}

// Marks counts by the truth's severity; marks whose severity is not stated
// count as visible.
type Marks struct {
	Obvious    Count `json:"obvious"`
	Visible    Count `json:"visible"`
	CameraOnly Count `json:"camera_only"`
}

// Record is the result for one deck.
type Record struct {
	Deck string `json:"deck"`
	// Cards counts the truth's sleeves that lie wholly in their frame;
	// Spurious the observed cards that lie where no sleeve is.
	Cards    int `json:"cards"`
	Found    int `json:"found"`
	Missed   int `json:"missed"`
	Spurious int `json:"spurious"`
	// CornerRMSPx and CornerMaxPx are distances of found corners from true ones.
	CornerRMSPx   float64 `json:"corner_rms_px"`
	CornerMaxPx   float64 `json:"corner_max_px"`
	Seconds       float64 `json:"seconds"`
	DecodeSeconds float64 `json:"decode_seconds"`
	Marks         Marks   `json:"marks"`
	// FalseFlags counts the clean sleeves that were flagged visible or
	// obvious; clean means no mark, main batch, main orientation.
	FalseFlags        int `json:"false_flags"`
	CleanSleeves      int `json:"clean_sleeves"`
	OrientationErrors int `json:"orientation_errors"`
	BatchErrors       int `json:"batch_errors"`
	// VisibilityAgreement is the share of found marks whose word is the
	// truth's or one step off, VisibilityExact the same word; null when no
	// mark was found.
	VisibilityAgreement *float64 `json:"visibility_agreement"`
	VisibilityExact     *float64 `json:"visibility_exact"`
}

// Options change what counts. The zero value is the contract of `evaluate`.
type Options struct {
	// NearMM is how far a reported mark may lie from a true one; 0 means 2.
	NearMM float64
	// MinIoU is the overlap at which a found card is a true one; 0 means 0.5.
	MinIoU float64
	// ExactFrame does not forgive corners given from the other end.
	ExactFrame bool
}

// Deck scores the observed frames against the truth. Frames that were not
// observed count as frames without cards, and frames that the truth does not
// know as spurious cards only.
func Deck(truth *visiontest.Truth, observed []Frame, o Options) Record {
	if o.NearMM == 0 {
		o.NearMM = 2
	}
	if o.MinIoU == 0 {
		o.MinIoU = 0.5
	}
	byFile := map[string][]Card{}
	for _, f := range observed {
		byFile[f.File] = append(byFile[f.File], f.Cards...)
	}
	t := tally{options: o, record: Record{Deck: truth.Deck}}
	for _, f := range truth.Frames {
		t.frame(truth, f, byFile[f.File])
		delete(byFile, f.File)
	}
	for _, left := range byFile {
		t.record.Spurious += len(left)
	}
	return t.finish()
}

type tally struct {
	options Options
	record  Record

	squares    float64
	corners    int
	turns      [][2]bool   // truth, observed: turned by 180
	batches    [][2]string // truth, observed
	compared   int
	near, same int
}

// pair is a true sleeve with the observed one; seen is nil when missed.
type pair struct {
	truth  visiontest.TruthCard
	quad   plane.Quad
	placed bool // the truth states the corners
	seen   *Card
}

func (t *tally) frame(truth *visiontest.Truth, f visiontest.TruthFrame, seen []Card) {
	used := make([]bool, len(seen))
	var pairs []pair
	for _, c := range f.Cards {
		q, ok := c.Quad()
		pairs = append(pairs, pair{truth: c, quad: q, placed: ok})
	}
	// Sleeves hardly overlap, so that the best partner above one half is
	// the only one.
	for i := range pairs {
		if !pairs[i].placed {
			continue
		}
		best, at := t.options.MinIoU, -1
		if pairs[i].truth.Cut {
			best = 0.1 // what is left of a cut sleeve may look like anything
		}
		for k := range seen {
			if v := pairs[i].quad.IoU(seen[k].Corners); !used[k] && v >= best {
				best, at = v, k
			}
		}
		if at >= 0 {
			used[at] = true
			pairs[i].seen = &seen[at]
		}
	}
	// A truth written by hand states no corners: such sleeves are the
	// remaining observed ones, in order.
	for i := range pairs {
		for k := range seen {
			if !pairs[i].placed && pairs[i].seen == nil && !used[k] {
				used[k] = true
				pairs[i].seen = &seen[k]
			}
		}
	}
	for k := range seen {
		if !used[k] {
			t.record.Spurious++
		}
	}
	for _, p := range pairs {
		if p.truth.Cut {
			continue // reported or not: it is not to be used
		}
		t.record.Cards++
		t.card(truth, p)
	}
}

func (t *tally) card(truth *visiontest.Truth, p pair) {
	r := &t.record
	flagged := false
	if p.seen == nil {
		r.Missed++
	} else {
		r.Found++
		if p.placed {
			sum, most := cornerError(p.quad, p.seen.Corners, t.options.ExactFrame)
			t.squares += sum
			t.corners += 4
			r.CornerMaxPx = math.Max(r.CornerMaxPx, most)
		}
		if p.truth.Orientation != visiontest.NotStated {
			t.turns = append(t.turns, [2]bool{p.truth.Orientation == 180, p.seen.Orientation == 180})
		}
		if p.truth.SleeveBatch != "" {
			t.batches = append(t.batches, [2]string{p.truth.SleeveBatch, p.seen.Batch})
		}
		flag := p.seen.Flag
		for _, m := range p.seen.Marks {
			if p.seen.Flag == "" && visiontest.SeverityRank(m.Visibility) > visiontest.SeverityRank(flag) {
				flag = m.Visibility
			}
		}
		flagged = visiontest.SeverityRank(flag) >= visiontest.SeverityRank(visiontest.Visible)
	}
	if len(p.truth.Marks) == 0 && p.truth.Orientation != 180 && (p.truth.SleeveBatch == "" || p.truth.SleeveBatch == "A") {
		r.CleanSleeves++
		if flagged {
			r.FalseFlags++
		}
	}
	t.marks(truth, p)
}

// cornerError returns the sum of squared distances and the largest distance.
func cornerError(truth, seen plane.Quad, exact bool) (sum, most float64) {
	measure := func(q plane.Quad) (s, m float64) {
		for i := range q {
			d := q[i].Sub(truth[i]).Norm()
			s += d * d
			m = math.Max(m, d)
		}
		return s, m
	}
	sum, most = measure(seen)
	if !exact {
		if s, m := measure(seen.Turn(2)); s < sum {
			return s, m
		}
	}
	return sum, most
}

func (t *tally) finish() Record {
	r := t.record
	if t.corners > 0 {
		r.CornerRMSPx = math.Sqrt(t.squares / float64(t.corners))
	}
	r.OrientationErrors = turnErrors(t.turns)
	r.BatchErrors = groupErrors(t.batches)
	if t.compared > 0 {
		near, same := float64(t.near)/float64(t.compared), float64(t.same)/float64(t.compared)
		r.VisibilityAgreement, r.VisibilityExact = &near, &same
	}
	return r
}

// turnErrors counts wrong orientations, or wrong ones after turning the whole
// observed deck, whichever is less: which end is "0" is a convention.
func turnErrors(turns [][2]bool) int {
	wrong := 0
	for _, t := range turns {
		if t[0] != t[1] {
			wrong++
		}
	}
	return min(wrong, len(turns)-wrong)
}
