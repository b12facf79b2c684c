package face_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"fairdeck/vision/face"
	"fairdeck/vision/frame"
	"fairdeck/vision/visiontest"
)

// deck renders one sighting of each card.
func deck(t testing.TB, d visiontest.FaceDeck, s visiontest.FaceStation) []face.Sighting {
	t.Helper()
	vs, err := visiontest.NewFaceViews(d, s)
	if err != nil {
		t.Fatal(err)
	}
	var out []face.Sighting
	for i := range d.Of {
		out = append(out, face.Sighting{Views: []face.View{view(t, vs, i, 0)}})
	}
	return out
}

func view(t testing.TB, vs *visiontest.FaceViews, i, number int) face.View {
	t.Helper()
	v, err := vs.View(i, number)
	if err != nil {
		t.Fatal(err)
	}
	return face.View{Image: v.Image, PxPerMM: v.PxPerMM, WidthMM: v.WidthMM, HeightMM: v.HeightMM}
}

func learn(t testing.TB, s []face.Sighting, o face.Options) *face.Result {
	t.Helper()
	r, err := face.Learn(t.Context(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// groupsOf lists the sightings of each value, by their first.
func groupsOf(of []int) (out [][]int) {
	at := map[int]int{}
	for i, f := range of {
		if _, ok := at[f]; !ok {
			at[f] = len(out)
			out = append(out, nil)
		}
		out[at[f]] = append(out[at[f]], i)
	}
	return out
}

func facesOf(r *face.Result) (out [][]int) {
	for _, f := range r.Faces {
		out = append(out, f.Sightings)
	}
	return out
}

// same fails where the learned groups are not the true ones.
func same(t *testing.T, r *face.Result, of []int) {
	t.Helper()
	got, want := facesOf(r), groupsOf(of)
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("faces %v, want %v", got, want)
	}
}

// clean is a station without what hides print.
var clean = visiontest.FaceStation{Seed: 1, Glare: -1, NameGlare: -1, Dust: -1}

// pairOf is a deck of a face and its twin, n copies of each.
func pairOf(seed uint64, edit func(f visiontest.Face) visiontest.Face, n int) visiontest.FaceDeck {
	d := visiontest.RandomFaces(seed, visiontest.FaceRanges{Cards: 1, Styles: []visiontest.FaceStyle{visiontest.Framed}, LookAlike: -1, Foils: -1, Turns: -1})
	d.Faces = append(d.Faces, edit(d.Faces[0]))
	d.Of = nil
	for range n {
		d.Of = append(d.Of, 0, 1)
	}
	d.Foil, d.Turned = make([]bool, len(d.Of)), make([]bool, len(d.Of))
	return d
}

// TestLookAlikes: cards of one art that differ in a word, in a number or in
// nothing.
func TestLookAlikes(t *testing.T) {
	for name, edit := range map[string]func(f visiontest.Face) visiontest.Face{
		"a word":   func(f visiontest.Face) visiontest.Face { f.Name = "Kari Umbra"; return f },
		"a number": func(f visiontest.Face) visiontest.Face { f.Number = "9/9"; return f },
		"nothing":  func(f visiontest.Face) visiontest.Face { return f },
	} {
		t.Run(name, func(t *testing.T) {
			d := pairOf(21, edit, 3)
			r := learn(t, deck(t, d, clean), face.Options{})
			of := d.Of
			if name == "nothing" {
				of = make([]int, len(d.Of))
			}
			same(t, r, of)
			for i, rd := range r.Readings {
				if rd.Confidence < 0.95 {
					t.Errorf("card %d: %+v", i, rd)
				}
				if other := name != "nothing"; other != (rd.RunnerUp >= 0) || other && rd.Margin < 3 {
					t.Errorf("card %d, runner-up: %+v", i, rd)
				}
			}
		})
	}
}

// TestCopiesInARow: four copies in a row, turned ones among them, and no
// others are one face with four sightings each, and the turned are told.
func TestCopiesInARow(t *testing.T) {
	d := visiontest.RandomFaces(33, visiontest.FaceRanges{Cards: 3, Styles: []visiontest.FaceStyle{visiontest.Scroll}, LookAlike: -1, Foils: -1, Turns: -1, Copies: 1})
	d.Of = []int{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}
	d.Foil, d.Turned = make([]bool, 12), make([]bool, 12)
	d.Turned[1], d.Turned[6] = true, true
	r := learn(t, deck(t, d, clean), face.Options{})
	same(t, r, d.Of)
	for i, rd := range r.Readings {
		if want := map[bool]int{false: 0, true: 180}[d.Turned[i]]; rd.Turned != want {
			t.Errorf("card %d is turned by %d, want %d", i, rd.Turned, want)
		}
	}
}

// TestLight: white balance, exposure and a gradient that change from card to
// card are not another face.
func TestLight(t *testing.T) {
	s := clean
	s.White, s.Exposure, s.Gradient = 0.1, 0.15, 0.4
	d := visiontest.RandomFaces(44, visiontest.FaceRanges{Cards: 10, Foils: -1, LookAlike: 0.5})
	same(t, learn(t, deck(t, d, s), face.Options{}), d.Of)
}

// TestFoil: the shining printing of a card is a copy of it, and noted.
func TestFoil(t *testing.T) {
	d := pairOf(55, func(f visiontest.Face) visiontest.Face { f.Name = "Kari Umbra"; return f }, 4)
	d.Foil[2] = true
	r := learn(t, deck(t, d, clean), face.Options{})
	same(t, r, d.Of)
	if len(r.Faces) == 2 && (!slices.Equal(r.Faces[0].Foil, []int{2}) || len(r.Faces[1].Foil) > 0) {
		t.Errorf("foils %v and %v, want card 2", r.Faces[0].Foil, r.Faces[1].Foil)
	}
}

// glared is the sighting of a card whose name lies under a reflection more
// than in any other of 40.
func glared(t testing.TB, d visiontest.FaceDeck, card int) (out face.View) {
	t.Helper()
	s := clean
	s.NameGlare = 1
	vs, err := visiontest.NewFaceViews(d, s)
	if err != nil {
		t.Fatal(err)
	}
	lo, hi := d.Game.NameMM()
	most := -1
	for number := range 40 {
		v := view(t, vs, card, number)
		n := 0
		for y := int((lo.Y + 2) * v.PxPerMM); y < int((hi.Y+2)*v.PxPerMM); y++ {
			for x := int((lo.X + 2) * v.PxPerMM); x < int((hi.X-15)*v.PxPerMM); x++ {
				if v.Image.Pix[3*(y*v.Image.Width+x)+1] >= 250 {
					n++
				}
			}
		}
		if n > most {
			most, out = n, v
		}
	}
	return out
}

// TestHiddenName: a card whose name, in which two faces differ, lies under a
// reflection is not given to either in silence; a person's answer settles it.
func TestHiddenName(t *testing.T) {
	// Two letters of the first word change places, all others stay where they are.
	d := pairOf(66, func(f visiontest.Face) visiontest.Face {
		f.Name = f.Name[:1] + f.Name[3:4] + f.Name[2:3] + f.Name[1:2] + f.Name[4:]
		return f
	}, 2)
	if d.Faces[0].Name == d.Faces[1].Name {
		t.Fatalf("%q is no name for this test", d.Faces[0].Name)
	}
	s := deck(t, d, clean)
	s[2] = face.Sighting{Views: []face.View{glared(t, d, 2)}}
	r := learn(t, s, face.Options{})
	if rd := r.Readings[2]; rd.Confidence >= 0.99 { // Options.Sure
		t.Errorf("a card without a name was read with confidence %.3f", rd.Confidence)
	}
	i := slices.IndexFunc(r.Questions, func(q face.Question) bool { return q.A == 2 || q.B == 2 })
	if i < 0 {
		t.Fatalf("nobody is asked; questions %+v", r.Questions)
	}
	// Card 0 is a copy of it, card 1 is not.
	r = learn(t, s, face.Options{Answers: []face.Answer{{A: 2, B: 0, Same: true}, {A: 2, B: 1}}})
	same(t, r, d.Of)
	if rd := r.Readings[2]; !rd.Settled || rd.Confidence < 0.99 {
		t.Errorf("after the answer: %+v", rd)
	}
	for _, q := range r.Questions {
		if q.A == 2 || q.B == 2 {
			t.Errorf("asked again: %+v", q)
		}
	}
}

// TestFramesVote: what one frame hides another shows.
func TestFramesVote(t *testing.T) {
	d := pairOf(77, func(f visiontest.Face) visiontest.Face { f.Name = "Kari Umbra"; return f }, 2)
	vs, err := visiontest.NewFaceViews(d, clean)
	if err != nil {
		t.Fatal(err)
	}
	var s []face.Sighting
	for i := range d.Of {
		one := face.Sighting{Views: []face.View{view(t, vs, i, 0), view(t, vs, i, 1), view(t, vs, i, 2)}}
		// A reflection lies over the whole name of the second frame.
		img, px := one.Views[1].Image, one.Views[1].PxPerMM
		for y := int(4 * px); y < int(12*px); y++ {
			for x := int(5 * px); x < int(60*px); x++ {
				copy(img.Pix[3*(y*img.Width+x):], []byte{255, 255, 255})
			}
		}
		s = append(s, one)
	}
	same(t, learn(t, s, face.Options{}), d.Of)
}

// TestFewCards: every size of deck gives an answer.
func TestFewCards(t *testing.T) {
	d := visiontest.RandomFaces(88, visiontest.FaceRanges{Cards: 3, Copies: 1, LookAlike: -1, Foils: -1, Turns: -1})
	all := deck(t, d, clean)
	for n := range 4 {
		r := learn(t, all[:n], face.Options{})
		if len(r.Faces) != n || len(r.Readings) != n {
			t.Errorf("%d cards: %d faces", n, len(r.Faces))
		}
		for _, rd := range r.Readings {
			if math.IsNaN(rd.Confidence) || math.IsNaN(rd.Margin) || n == 1 && rd.Turned != -1 {
				t.Errorf("%d cards: %+v", n, rd)
			}
		}
	}
	gap := slices.Clone(all)
	gap[1] = face.Sighting{}
	if r := learn(t, gap, face.Options{}); r.Readings[1].Face != -1 || r.Readings[1].Unread == "" || len(r.Faces) != 2 {
		t.Errorf("a card that was not seen: %+v", r.Readings)
	}
}

// TestRefuses: input that makes no sense is told, and a stop is heard.
func TestRefuses(t *testing.T) {
	ok := face.View{Image: frame.New(300, 400), PxPerMM: 4, WidthMM: 66, HeightMM: 91}
	for name, v := range map[string]face.View{
		"no picture": {PxPerMM: 4, WidthMM: 66, HeightMM: 91},
		"no scale":   {Image: ok.Image, WidthMM: 66, HeightMM: 91},
		"no size":    {Image: ok.Image, PxPerMM: 4},
		"cut short":  {Image: &frame.Image{Width: 300, Height: 400, Pix: make([]byte, 9)}, PxPerMM: 4, WidthMM: 66, HeightMM: 91},
		"not finite": {Image: ok.Image, PxPerMM: math.NaN(), WidthMM: 66, HeightMM: 91},
	} {
		if _, err := face.Learn(t.Context(), []face.Sighting{{Views: []face.View{v}}}, face.Options{}); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	two := []face.Sighting{{Views: []face.View{ok}}, {Views: []face.View{ok}}}
	if _, err := face.Learn(t.Context(), two, face.Options{Answers: []face.Answer{{A: 0, B: 2}}}); err == nil {
		t.Error("an answer about a card that is none was accepted")
	}
	if _, err := face.Learn(t.Context(), make([]face.Sighting, face.MaxSightings+1), face.Options{}); err == nil {
		t.Error("too many cards were accepted")
	}
	// Pictures of nothing at all are no fault.
	if r := learn(t, two, face.Options{}); len(r.Readings) != 2 {
		t.Errorf("%+v", r)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := face.Learn(ctx, two, face.Options{}); err == nil {
		t.Error("a stop was not heard")
	}
}
