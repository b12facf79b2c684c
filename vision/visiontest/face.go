package visiontest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Face is the printed front of a card: an art window, a frame whose colour is
// that of its class, a name line, a type line, rules text and numbers. Equal
// faces of one game look the same; Seed chooses art and text.
type Face struct {
	Seed   uint64
	Name   string
	Class  string // its index in Game.Classes chooses the frame's colour
	Number string // strength, in the corner: "3/4", "1700"
	Code   string // collector's number, in small print
}

// FaceStyle is how a game lays out its cards.
type FaceStyle string

// The layouts.
const (
	Framed  FaceStyle = "framed"   // name above, art window, type line, text, strength in the corner
	Scroll  FaceStyle = "scroll"   // name above with level stars, square art, small text, two numbers
	FullArt FaceStyle = "full-art" // art to the rim, name and strength in bars below
	Symbols FaceStyle = "symbols"  // one to four signs on plain ground: shape, colour and filling are the face
)

// FaceStyles lists all of them.
func FaceStyles() []FaceStyle { return []FaceStyle{Framed, Scroll, FullArt, Symbols} }

// Game is what all faces of a deck share.
type Game struct {
	Style   FaceStyle
	Seed    uint64
	Border  Colour   // of the rim
	Classes []string // each has a frame colour
	WideMM  float64  // of the card inside the sleeve
	HighMM  float64
}

// FaceDeck is a deck of faces with its truth.
type FaceDeck struct {
	Game  Game
	Faces []Face
	Of    []int  // for each card, top first: index into Faces
	Foil  []bool // for each card: the shining printing
	// Turned cards lie the other way round.
	Turned []bool
}

// FaceRanges bound what RandomFaces draws.
type FaceRanges struct {
	Cards     int         // 0 means 60
	Styles    []FaceStyle // nil means all but Symbols
	Copies    int         // at most so many of a face; 0 means 4
	LookAlike float64     // share of faces that have a twin; 0 means 0.15, negative none
	Foils     float64     // share of cards; 0 means 0.1, negative none
	Turns     float64     // share of cards; 0 means 0.05, negative none
}

// streamFace numbers the random numbers of faces, beside those of random.go.
const streamFace uint64 = 200

// RandomFaces draws a game and a deck of its cards. Twins of a face have its
// art and differ in one word of the name, in a number, or in both the class's
// colour and the name. Equal arguments give equal decks.
func RandomFaces(seed uint64, g FaceRanges) FaceDeck {
	r := stream(seed, streamFace, 0)
	if g.Cards == 0 {
		g.Cards = 60
	}
	if g.Copies == 0 {
		g.Copies = 4
	}
	g.LookAlike, g.Foils, g.Turns = defaulted(g.LookAlike, 0.15), defaulted(g.Foils, 0.1), defaulted(g.Turns, 0.05)
	if g.Styles == nil {
		g.Styles = []FaceStyle{Framed, Scroll, FullArt}
	}
	d := FaceDeck{Game: randomGame(r, choose(r, g.Styles))}
	for len(d.Of) < g.Cards {
		f := randomFace(r, d.Game)
		d.add(r, f, g)
		for r.Float64() < g.LookAlike && len(d.Of) < g.Cards {
			d.add(r, Twin(r, f, d.Game), g)
		}
	}
	r.Shuffle(len(d.Of), func(i, j int) { d.Of[i], d.Of[j] = d.Of[j], d.Of[i] })
	for range d.Of {
		d.Foil = append(d.Foil, r.Float64() < g.Foils)
		d.Turned = append(d.Turned, r.Float64() < g.Turns)
	}
	return d
}

// add puts one to g.Copies copies into the deck, unless the face is there.
func (d *FaceDeck) add(r *rand.Rand, f Face, g FaceRanges) {
	same := func(o Face) bool { return d.Game.Style == Symbols && o.Seed == f.Seed || o == f }
	if slices.ContainsFunc(d.Faces, same) {
		return
	}
	d.Faces = append(d.Faces, f)
	n := choose(r, []int{1, 1, 2, 2, 3, 3, 4, 4, 4, 4})
	if r.Float64() < 0.05 {
		n = 8 // lands, of which a deck has many
	}
	for range min(n, g.Copies, g.Cards-len(d.Of)) {
		d.Of = append(d.Of, len(d.Faces)-1)
	}
}

func randomGame(r *rand.Rand, s FaceStyle) Game {
	g := Game{Style: s, Seed: r.Uint64()>>1 + 1, WideMM: 63, HighMM: 88}
	if s == Scroll || s == FullArt && r.Float64() < 0.5 {
		g.WideMM, g.HighMM = 59, 86
	}
	g.Border = choose(r, []Colour{Black, Black, White, "#b9b6ae", "#2d2a55"})
	g.Classes = slices.Clone([][]string{
		{"land", "creature", "instant", "sorcery", "artifact"}, {"monster", "effect", "spell", "trap"}, {"trigger", "normal"},
	}[r.IntN(3)])
	return g
}

var syllables = strings.Fields("ka ri mo tel va dra gon sei ruk ha no shi lor en gal bra tis ume or dan fel ko ya zen mir ul")

func word(r *rand.Rand) string {
	var b strings.Builder
	for range 2 + r.IntN(2) {
		b.WriteString(syllables[r.IntN(len(syllables))])
	}
	s := b.String()
	return strings.ToUpper(s[:1]) + s[1:]
}

func randomFace(r *rand.Rand, g Game) Face {
	f := Face{Seed: r.Uint64()>>1 + 1, Class: choose(r, g.Classes), Code: fmt.Sprintf("%03d", r.IntN(1000))}
	if g.Style == Symbols {
		// Shape, colour, filling and number are four digits to the base of 3.
		f.Seed = uint64(r.IntN(81)) + 1
	}
	words := []string{word(r)}
	for range 1 + r.IntN(2) {
		words = append(words, word(r))
	}
	f.Name = strings.Join(words, " ")
	f.Number = number(r, g)
	return f
}

func number(r *rand.Rand, g Game) string {
	if g.Style == Framed {
		return fmt.Sprintf("%d/%d", r.IntN(8), 1+r.IntN(8))
	}
	return fmt.Sprintf("%d00", 1+r.IntN(30))
}

// Twin is a face with the same art: another word in the name, another number,
// or another class.
func Twin(r *rand.Rand, f Face, g Game) Face {
	t := f
	if g.Style == Symbols {
		t.Seed = 1 + (f.Seed+[]uint64{0, 2, 8, 26}[r.IntN(4)])%81
		return t
	}
	switch r.IntN(4) {
	case 0, 1:
		w := strings.Fields(f.Name)
		k := r.IntN(len(w))
		for w[k] == strings.Fields(f.Name)[k] {
			w[k] = word(r)
		}
		t.Name = strings.Join(w, " ")
	case 2:
		for t.Number == f.Number {
			t.Number = number(r, g)
		}
	default:
		t.Class = choose(r, g.Classes)
		for t.Name == f.Name {
			t.Name = word(r) + " " + word(r)
		}
	}
	return t
}
