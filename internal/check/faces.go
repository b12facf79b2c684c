package check

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"fairdeck/internal/decklist"
	"fairdeck/internal/record"
	"fairdeck/vision/camera"
	"fairdeck/vision/card"
	"fairdeck/vision/face"
	"fairdeck/vision/frame"
)

// FaceOptions say what is known about the cards whose faces are read. The zero
// value is nothing.
type FaceOptions struct {
	// List is the registered deck list: its numbers are compared, and its
	// classes belong to the names.
	List *decklist.List

	// References are pictures of cards whose file names are the cards' names.
	References []string

	// Names are what a person called faces, by the place of any copy.
	Names []FaceName

	// Answers are a person's to the questions of an earlier reading of the same
	// pictures.
	Answers []FaceAnswer

	// Sure is the probability from which a reading asks nobody; 0: 0.99.
	Sure float64
}

// FaceName is a name that a person gave.
type FaceName struct {
	Place       int // in the order, from 1
	Name, Class string
}

// FaceAnswer says whether the cards at two places are copies of one face.
type FaceAnswer struct {
	A, B int // places, from 1
	Same bool
}

// Faced is an order that was read.
type Faced struct {
	Check *record.Check
	// Faces are the cards' fronts from above, one for each place of the order;
	// nil where none was seen.
	Faces []*frame.Image
}

// ReadFaces reads the order of a deck from pictures of its faces: one card a
// picture, or grids. The check it returns has no sleeves. Its error is that of
// [Run].
func ReadFaces(ctx context.Context, o Options, f FaceOptions) (*Faced, error) {
	o = o.withDefaults()
	c := newCheck(o)
	parts, err := readParts(ctx, o, c)
	if err != nil {
		return nil, err
	}
	if len(c.Sources) == 0 {
		return nil, &InputError{c.Problems}
	}
	var fronts []*front
	for _, p := range parts {
		for n := range p.number {
			fr := &front{file: "", unread: "no card was seen here"}
			if i := slices.IndexFunc(p.places, func(pl place) bool { return pl.number == n+1 }); i >= 0 {
				fr = newFront(&p.places[i])
			}
			fronts = append(fronts, fr)
		}
	}
	out, err := learnOrder(ctx, fronts, o, f, c)
	if err != nil {
		return nil, err
	}
	c.Verdict.Count.Sleeves = 0
	orderVerdict(c.Check)
	c.Normalise()
	return out, nil
}

// orderVerdict says how far an order was read. Nothing is flagged by it.
func orderVerdict(c *record.Check) {
	gaps, unsure := 0, 0
	for _, p := range c.Order.Cards {
		if p.Face == "" {
			gaps++
		}
	}
	unsure = len(c.Order.Questions)
	v := &c.Verdict
	v.Level = record.NothingToSee
	if gaps > 0 || unsure > 0 {
		v.Level = record.Incomplete
	}
	v.Lines = [3]string{
		fmt.Sprintf("%d cards, %d different faces.", len(c.Order.Cards), len(c.Faces)),
		fmt.Sprintf("Places without a face: %d; readings left to a person: %d.", gaps, unsure),
		"Only the order was read; the sleeves were not looked at.",
	}
}

// front is one card's face before it is read.
type front struct {
	file   string
	place  *place // nil: there is no picture of it
	view   *card.View
	unread string // why it cannot be read
	sleeve int    // the back of the same card, 0: not known
}

func newFront(p *place) *front {
	return &front{file: p.file, place: p, unread: p.unusable}
}

// faceViewPxPerMM is the resolution of the views: faces are compared at 4, and
// pictures for people need no more than 6.
const faceViewPxPerMM = 6

// learnOrder reads the fronts and writes faces, order and list into the check.
func learnOrder(ctx context.Context, fronts []*front, o Options, f FaceOptions, c draft) (*Faced, error) {
	refs, err := references(ctx, f.References, o, c)
	if err != nil {
		return nil, err
	}
	all := slices.Concat(fronts, refs.fronts)
	var sightings []face.Sighting
	out := &Faced{Check: c.Check, Faces: make([]*frame.Image, len(fronts))}
	for i, fr := range all {
		var s face.Sighting
		if fr.unread == "" {
			if err := fr.rectify(o); err != nil {
				return nil, err
			}
			v := fr.view
			s.Views = []face.View{{Image: v.Image, PxPerMM: v.PxPerMM, WidthMM: v.WidthMM, HeightMM: v.HeightMM, SourcePxPerMM: v.SourcePxPerMM}}
			if i < len(fronts) {
				out.Faces[i] = v.Image
			}
		}
		sightings = append(sightings, s)
	}
	fo := face.Options{Sure: f.Sure, Progress: func(done, total int) { o.Progress(StageFaces, done, total) }}
	for _, a := range f.Answers {
		if a.A < 1 || a.B < 1 || a.A > len(fronts) || a.B > len(fronts) || a.A == a.B {
			return nil, &AnswerError{a, len(fronts)}
		}
		fo.Answers = append(fo.Answers, face.Answer{A: a.A - 1, B: a.B - 1, Same: a.Same})
	}
	res, err := face.Learn(ctx, sightings, fo)
	if err != nil {
		return nil, fmt.Errorf("reading the faces: %w", err)
	}
	writeOrder(c, fronts, res, f)
	nameFaces(c, res, len(fronts), refs.names, f)
	compareList(c, f.List)
	return out, nil
}

// StageFaces is the comparing of faces, in pairs.
const StageFaces Stage = "reading faces"

// AnswerError is an answer about places that the order does not have.
type AnswerError struct {
	FaceAnswer
	Cards int
}

func (e *AnswerError) Error() string {
	return fmt.Sprintf("an answer is about places %d and %d, and the order has %d cards: the answers belong to another reading", e.A, e.B, e.Cards)
}

// rectify makes the view. The card's own size is kept: faces of cards that were
// found a little wider or narrower are brought to the same print by the reader.
func (fr *front) rectify(o Options) error {
	p := fr.place
	d := p.Detection
	d.Corners = p.toCrop.ApplyQuad(p.Corners)
	size := d.Size
	if o.Size.WidthMM != 0 {
		size = o.Size
	}
	v, err := card.Rectify(p.crop, d, card.RectifyOptions{Size: size, PxPerMM: min(faceViewPxPerMM, math.Ceil(d.PxPerMM))})
	if err != nil {
		return fmt.Errorf("%s: %w", fr.file, err)
	}
	fr.view = v
	return nil
}

// writeOrder turns readings into the record's words.
func writeOrder(c draft, fronts []*front, res *face.Result, f FaceOptions) {
	n := len(fronts)
	// Faces that only a reference shows are none of the deck's.
	ids := make([]string, len(res.Faces))
	for i := range res.Faces {
		var places, foil []int
		for _, s := range res.Faces[i].Sightings {
			if s < n {
				places = append(places, s+1)
			}
		}
		if places == nil {
			continue
		}
		for _, s := range res.Faces[i].Foil {
			if s < n {
				foil = append(foil, s+1)
			}
		}
		ids[i] = fmt.Sprintf("F%d", len(c.Faces)+1)
		best := res.Faces[i].Best
		if best >= n {
			best = places[0] - 1
		}
		c.Faces = append(c.Faces, record.Face{Face: ids[i], Places: places, Foil: foil, Picture: fronts[best].file})
	}
	o := &record.Order{By: record.OrderFaces}
	for i, fr := range fronts {
		r := res.Readings[i]
		p := record.Placed{Place: i + 1, File: fr.file, Sleeve: fr.sleeve}
		if r.Face < 0 {
			p.Gap = cmp.Or(fr.unread, r.Unread)
			o.Cards = append(o.Cards, p)
			continue
		}
		p.Face, p.Confidence = ids[r.Face], min(max(finite(r.Confidence), 0), 1)
		if r.RunnerUp >= 0 {
			p.RunnerUp, p.Margin = ids[r.RunnerUp], finite(r.Margin)
		}
		if r.Turned >= 0 {
			turned := r.Turned
			p.TurnedDeg = &turned
		}
		if r.Settled {
			p.SettledBy = record.BySettledPerson
		}
		o.Cards = append(o.Cards, p)
	}
	for _, q := range res.Questions {
		if q.A >= n || q.B >= n {
			continue // a reference picture: its name stays open
		}
		a, b := min(q.A, q.B)+1, max(q.A, q.B)+1
		id := fmt.Sprintf("%d-%d", a, b)
		if slices.ContainsFunc(o.Questions, func(x record.FaceQuestion) bool { return x.ID == id }) {
			continue
		}
		o.Questions = append(o.Questions, record.FaceQuestion{ID: id, Places: [2]int{a, b}, Same: min(max(finite(q.Same), 0), 1), AtMM: finitePoint(q.At)})
	}
	for _, a := range f.Answers {
		x := record.FaceQuestion{ID: fmt.Sprintf("%d-%d", min(a.A, a.B), max(a.A, a.B)), Places: [2]int{min(a.A, a.B), max(a.A, a.B)}, Answer: record.AnswerDifferent}
		if a.Same {
			x.Answer, x.Same = record.AnswerSame, 1
		}
		o.Questions = append(o.Questions, x)
	}
	c.Order = o
}

// refPictures are pictures with a name.
type refPictures struct {
	fronts []*front
	names  []string
}

// references reads pictures of cards that are named by their files. What cannot
// be read is a problem of the check.
func references(ctx context.Context, patterns []string, o Options, c draft) (refPictures, error) {
	var out refPictures
	if len(patterns) == 0 {
		return out, nil
	}
	files, err := camera.Open(ctx, patterns...)
	if err != nil {
		return out, err
	}
	for _, p := range files.Problems {
		c.problem(inputProblem(p))
	}
	side := newCheck(o) // its sources and layout are not the deck's
	pics, err := look(ctx, files, o, side)
	if err != nil {
		return out, err
	}
	c.Problems = append(c.Problems, side.Problems...)
	for i := range pics {
		p := &pics[i]
		if p.err != nil {
			continue
		}
		if len(p.cards) == 0 {
			c.problem(noCard(p.path, 0))
			continue
		}
		pl := newPlace(i+1, p, bestCard(p.cards, nil))
		if pl.unusable != "" {
			c.problem(record.Problem{Code: "reference-unusable", File: p.path, Text: "the picture names no card: " + pl.unusable, Remedy: "take it again with the whole card in view, sharp and without glare"})
			continue
		}
		name := strings.TrimSuffix(filepath.Base(p.path), filepath.Ext(p.path))
		out.fronts, out.names = append(out.fronts, newFront(&pl)), append(out.names, name)
	}
	return out, nil
}
