package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"fairdeck/internal/record"
	"fairdeck/vision/card"
	"fairdeck/vision/frame"
	"fairdeck/vision/plane"
	"fairdeck/vision/sleeve"
	"fairdeck/vision/visiontest"
	"fairdeck/vision/visiontest/score"
)

// inspected is a deck with what package sleeve made of it. Card i lies in
// frame i.
type inspected struct {
	deck     visiontest.Deck
	truth    *visiontest.Truth
	inputs   []sleeve.Input
	result   *sleeve.Result
	observed []score.Frame
	record   score.Record

	// check is what a user gets of the deck's files (inspectThrough only).
	check *record.Check
}

const (
	// cornerSigmaPx is the error that true corners are given, per axis: what
	// the finder makes of them (section "Finding cards").
	cornerSigmaPx = 0.2
	// viewMarginMM of table around the sleeve, as an inspection takes.
	viewMarginMM = 2
	// shiftMM and turnDeg are how far sleeves lie from each other's place.
	shiftMM, turnDeg = 1, 0.8
)

// tight makes the camera see no more than a sleeve and what it may move: the
// scale, lens and lamps stay, the frame is cropped.
func tight(d visiontest.Deck, pxPerMM float64) visiontest.Deck {
	w, h := d.Sleeve.WidthMM, d.Sleeve.HeightMM
	if w == 0 {
		w = 66
	}
	if h == 0 {
		h = 91
	}
	for _, o := range d.Odd {
		w, h = w+math.Max(0, o.AddMM.X), h+math.Max(0, o.AddMM.Y)
	}
	if d.Sleeve.OuterClear {
		w, h = w+3, h+3
	}
	// Three sigma of shift and turn, and the margin.
	pad := 2 * (viewMarginMM + 3*shiftMM + h/2*math.Sin(3*turnDeg*math.Pi/180))
	if pxPerMM > 0 {
		d.Camera.PxPerMM = pxPerMM
	}
	d.Camera.RollDeg, d.Camera.CentreXPx, d.Camera.CentreYPx = 0, 0, 0
	// A leaning camera sees the sleeve a little off the middle.
	pad += 2 * math.Abs(math.Sin(d.Camera.TiltDeg*math.Pi/180)) * 10
	d.Camera.WidthPx = int((w + pad) * d.Camera.PxPerMM)
	d.Camera.HeightPx = int((h + pad) * d.Camera.PxPerMM)
	d.Layout = visiontest.Layout{ShiftMM: shiftMM, TurnDeg: turnDeg}
	return d
}

// inspectTight renders a deck tightly and inspects it.
func inspectTight(ctx context.Context, d visiontest.Deck) (*inspected, error) {
	return inspectWith(ctx, d, sleeve.Options{})
}

// inspectWith is inspectTight with options for package sleeve.
func inspectWith(ctx context.Context, d visiontest.Deck, o sleeve.Options) (*inspected, error) {
	st, err := visiontest.New(d)
	if err != nil {
		return nil, err
	}
	out := &inspected{deck: d, truth: st.Truth()}
	given := newGivenCorners(out.truth, d.Seed)
	for i := range st.Frames() {
		img, err := st.Frame(i)
		if err != nil {
			return nil, err
		}
		in, err := given.view(img, i)
		if err != nil {
			return nil, err
		}
		out.inputs = append(out.inputs, in)
	}
	return out, out.inspect(ctx, o)
}

// inspect compares the deck's inputs.
func (d *inspected) inspect(ctx context.Context, o sleeve.Options) error {
	o.Workers = 1 // the decks share the cores
	var err error
	if d.result, err = sleeve.Inspect(ctx, d.inputs, o); err != nil {
		return err
	}
	if len(d.result.Sleeves) != len(d.inputs) {
		return fmt.Errorf("%d sleeves went in and %d came out", len(d.inputs), len(d.result.Sleeves))
	}
	d.observed = observe(d.truth, d.inputs, d.result)
	d.record = score.Deck(d.truth, d.observed, score.Options{})
	return nil
}

// givenCorners rectifies frames by their true corners, moved by cornerSigmaPx.
type givenCorners struct {
	truth *visiontest.Truth
	size  card.Size
	scale float64 // px/mm of all views; 0 before the first
	r     *rand.Rand
}

func newGivenCorners(truth *visiontest.Truth, seed uint64) *givenCorners {
	g := &givenCorners{truth: truth, size: card.Size{Name: "given", WidthMM: 66, HeightMM: 91}, r: rand.New(rand.NewPCG(seed, 0xc0))}
	if n := truth.SleeveNominalMM; n != nil {
		g.size.WidthMM, g.size.HeightMM = n[0], n[1]
	}
	return g
}

// view rectifies frame i. Frames are to be given in order, each once.
func (g *givenCorners) view(img *frame.Image, i int) (sleeve.Input, error) {
	q, ok := g.truth.Frames[i].Cards[0].Quad()
	if !ok {
		return sleeve.Input{}, fmt.Errorf("the truth of %s states no corners", g.truth.Frames[i].File)
	}
	if g.truth.Frames[i].Cards[0].Orientation == 180 {
		q = q.Turn(2) // a finder does not know which end is up
	}
	det := card.Detection{Size: g.size, Confidence: 1, SigmaPx: [4]float64{cornerSigmaPx, cornerSigmaPx, cornerSigmaPx, cornerSigmaPx}}
	for k := range q {
		det.Corners[k] = q[k].Add(plane.Point{X: g.r.NormFloat64(), Y: g.r.NormFloat64()}.Mul(cornerSigmaPx))
	}
	det.PxPerMM = math.Sqrt(det.Corners.Area() / (g.size.WidthMM * g.size.HeightMM))
	if g.scale == 0 {
		g.scale = math.Ceil(det.PxPerMM)
	}
	v, err := card.Rectify(img, det, card.RectifyOptions{Size: g.size, PxPerMM: g.scale, MarginMM: viewMarginMM})
	if err != nil {
		return sleeve.Input{}, err
	}
	return sleeve.Input{Name: fmt.Sprintf("sleeve %d", i+1), View: v, Card: det}, nil
}

// viewOf rectifies another rendering of frame i exactly as in was.
func viewOf(st *visiontest.Station, i int, in sleeve.Input) (*frame.Image, error) {
	img, err := st.Frame(i)
	if err != nil {
		return nil, err
	}
	size := card.Size{WidthMM: in.View.WidthMM, HeightMM: in.View.HeightMM}
	v, err := card.Rectify(img, in.Card, card.RectifyOptions{Size: size, PxPerMM: in.View.PxPerMM, MarginMM: in.View.MarginMM})
	if err != nil {
		return nil, err
	}
	return v.Image, nil
}

// observe says what was found in the words of package score.
func observe(truth *visiontest.Truth, in []sleeve.Input, res *sleeve.Result) []score.Frame {
	out := make([]score.Frame, len(in))
	for i, s := range res.Sleeves {
		c := score.Card{Corners: in[i].Card.Corners, WidthMM: in[i].View.WidthMM, HeightMM: in[i].View.HeightMM,
			Orientation: s.TurnedDeg, Flag: string(s.Visibility)}
		if s.TurnedDeg == 180 {
			// Places are given as the majority lies.
			c.Corners = c.Corners.Turn(2)
		}
		if s.Group >= 0 && s.Group < len(res.Groups) {
			c.Batch = res.Groups[s.Group].Name
		}
		for _, m := range s.Marks {
			c.Marks = append(c.Marks, score.Mark{Kind: string(m.Kind), MinMM: m.MinMM, MaxMM: m.MaxMM, Visibility: string(m.Visibility), WholeSleeve: ofWholeSleeve(m.Kind)})
		}
		out[i] = score.Frame{File: truth.Frames[i].File, Cards: []score.Card{c}}
	}
	return out
}

// ofWholeSleeve says whether a kind is a property of the whole sleeve, which
// has no place.
func ofWholeSleeve(k sleeve.Kind) bool {
	switch visiontest.Kind(k) {
	case visiontest.PrintOffset, visiontest.OtherSize, visiontest.OtherDesign, visiontest.OverallWear:
		return true
	}
	return false
}

// verdict is what became of one true mark.
type verdict struct {
	found      bool
	near, same bool   // the word of a found mark: at most one step off, equal
	called     string // the kind of the first reported mark that finds it
}

// judge scores mark k of the card in frame i alone. A mark that nobody can
// see is scored as if it were camera-only.
func (d *inspected) judge(i, k int) verdict {
	f := d.truth.Frames[i]
	c := f.Cards[0]
	m := c.Marks[k]
	if m.Severity == visiontest.Invisible {
		m.Severity = visiontest.CameraOnly
	}
	c.Marks = []visiontest.TruthMark{m}
	f.Cards = []visiontest.TruthCard{c}
	one := visiontest.Truth{Frames: []visiontest.TruthFrame{f}, SleeveNominalMM: d.truth.SleeveNominalMM}
	rec := score.Deck(&one, d.observed[i:i+1], score.Options{})
	v := verdict{found: rec.Marks.Obvious.Found+rec.Marks.Visible.Found+rec.Marks.CameraOnly.Found > 0}
	if rec.VisibilityAgreement != nil {
		v.near, v.same = *rec.VisibilityAgreement == 1, *rec.VisibilityExact == 1
	}
	// Reported marks are ordered by how much they are seen.
	for _, seen := range d.observed[i].Cards[0].Marks {
		alone := d.observed[i].Cards[0]
		alone.Marks = []score.Mark{seen}
		rec := score.Deck(&one, []score.Frame{{File: f.File, Cards: []score.Card{alone}}}, score.Options{})
		if rec.Marks.Obvious.Found+rec.Marks.Visible.Found+rec.Marks.CameraOnly.Found > 0 {
			v.called = seen.Kind
			break
		}
	}
	return v
}

// flagged says whether a sleeve is called visible or obvious.
func flagged(s sleeve.Sleeve) bool { return s.Visibility.Rank() >= sleeve.Visible.Rank() }
