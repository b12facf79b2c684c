package check

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"fairdeck/internal/record"
	"fairdeck/vision/camera"
	"fairdeck/vision/colour"
	"fairdeck/vision/sleeve"

	"pgregory.net/rapid"
)

// TestAlike: parts that a book wants alike are compared as one deck, in the
// order of the deck; every part is in exactly one comparison.
func TestAlike(t *testing.T) {
	for _, tc := range []struct {
		parts  string
		wanted [][]string
		want   string
	}{
		{"main side extra", [][]string{{"main", "side"}, {"extra"}}, "main+side extra"},
		{"main side extra", [][]string{{"main", "side", "extra"}}, "main+side+extra"},
		{"main side extra", [][]string{{"main"}}, "main side extra"},
		{"main side extra", [][]string{{"main", "extra"}}, "main+extra side"},
		{"main extra", [][]string{{"main", "side"}, {"extra"}}, "main extra"},
		{"side", [][]string{{"main", "side"}}, "side"},
		{"main side", nil, "main side"},
	} {
		var parts []*deckPart
		for _, name := range strings.Fields(tc.parts) {
			parts = append(parts, &deckPart{part: name})
		}
		var sets []string
		for _, set := range alike(parts, tc.wanted) {
			var names []string
			for _, p := range set {
				names = append(names, p.part)
				if len(p.with) != len(set)-1 || slices.Contains(p.with, p.part) {
					t.Errorf("%s with %v: %s was compared with %v", tc.parts, tc.wanted, p.part, p.with)
				}
			}
			sets = append(sets, strings.Join(names, "+"))
		}
		if got := strings.Join(sets, " "); got != tc.want {
			t.Errorf("%s with %v: %s, want %s", tc.parts, tc.wanted, got, tc.want)
		}
	}
}

// TestCountCards: what the pictures leave open widens the number, so that
// nobody is accused of a card that was not seen.
func TestCountCards(t *testing.T) {
	broken := func(pics []picture, i int) []picture {
		pics[i].err = &camera.Error{Path: pics[i].path, Problem: camera.Truncated}
		pics[i].cards = nil
		return pics
	}
	unusable := func(pics []picture, i, k int) []picture {
		pics[i].cards[k].Unusable = "cut by the frame"
		return pics
	}
	twin := func(pics []picture, i int) []picture {
		pics[i].twin = 0
		return pics
	}
	for _, tc := range []struct {
		name   string
		pics   []picture
		layout Layout
		lo, hi int
	}{
		{"forty single cards", several(slices.Repeat([]int{1}, 40)...), Auto, 40, 40},
		{"one picture without a card", several(1, 1, 0, 1, 1), Auto, 4, 5},
		{"one that cannot be read", broken(several(1, 1, 1, 1), 2), Auto, 3, 4},
		{"one that cannot be compared", unusable(several(1, 1, 1, 1), 1, 0), Auto, 3, 4},
		{"a neighbour in view", several(1, 1, 2, 1), Auto, 4, 5},
		{"the same picture twice", twin(several(1, 1, 1), 2), Auto, 2, 2},
		{"a grid", several(12, 12, 12, 4), Grid, 40, 40},
		{"a grid with a picture that cannot be read", broken(several(12, 12, 12, 4), 3), Grid, 36, 48},
		{"a grid with an empty picture", several(12, 12, 0), Grid, 24, 36},
		{"a grid with a card cut off", unusable(several(12, 12), 1, 3), Grid, 23, 24},
	} {
		for i := range tc.pics {
			tc.pics[i].path = fmt.Sprintf("p%d.jpg", i)
		}
		c := newCheck(Options{})
		for i := range tc.pics {
			if tc.pics[i].err != nil {
				c.problem(record.Problem{Code: "input-truncated", File: tc.pics[i].path})
			}
		}
		p := &deckPart{places: arrange(tc.pics, Options{Layout: tc.layout}, c)}
		p.number = c.Verdict.Count.Sleeves
		if got := countCards(tc.pics, p, c.Problems); got.Min != tc.lo || got.Max != tc.hi || got.By != record.CountedByPictures {
			t.Errorf("%s: %+v, want %d to %d", tc.name, got, tc.lo, tc.hi)
		}
	}
}

// looks is a comparison of parts with so many sleeves of each group.
func looks(sizes ...map[int]int) ([]*deckPart, *sleeve.Result) {
	colours := []colour.Lab{{L: 40, B: -30}, {L: 50, A: 40}, {L: 50, A: 38}}
	res := &sleeve.Result{}
	for i, c := range colours {
		g := sleeve.Group{Name: sleeve.GroupName(i), Colour: c}
		if i > 0 {
			g.DeltaE, g.What = colour.DeltaE2000(colours[0], c), "colour"
			g.Visibility = sleeve.GroupVisibility(g.DeltaE, g.What)
		}
		res.Groups = append(res.Groups, g)
	}
	var parts []*deckPart
	for i, size := range sizes {
		p := &deckPart{part: []string{"main", "side", "extra"}[i]}
		for group := range colours {
			for range size[group] {
				p.places = append(p.places, place{number: len(p.places) + 1})
				res.Groups[group].Sleeves = append(res.Groups[group].Sleeves, len(res.Sleeves))
				res.Sleeves = append(res.Sleeves, sleeve.Sleeve{Group: group, Inspected: 1, OrientationKnown: true})
			}
		}
		parts = append(parts, p)
	}
	return parts, res
}

func relationsOf(parts []*deckPart, res *sleeve.Result) (*record.Check, [][]*deckPart) {
	c := newCheck(Options{})
	l := sameLook(parts, res)
	relate(c, parts, l, res)
	return c.Check, l
}

// TestRelations: parts are told apart by what most of their sleeves look like,
// and a few odd sleeves in one of them are a matter of that part.
func TestRelations(t *testing.T) {
	for _, tc := range []struct {
		name  string
		sizes []map[int]int
		want  string // part:visibility
	}{
		{"all alike", []map[int]int{{0: 40}, {0: 15}}, ""},
		{"an odd sleeve in the side deck", []map[int]int{{0: 40}, {0: 13, 1: 2}}, ""},
		{"another side deck", []map[int]int{{0: 40}, {1: 15}}, "side:obvious"},
		{"another side deck, with two of the main deck's", []map[int]int{{0: 38, 1: 2}, {0: 2, 1: 13}}, "side:obvious"},
		{"extra deck alone differs", []map[int]int{{0: 40}, {0: 15}, {1: 15}}, "extra:obvious"},
		{"all three differ", []map[int]int{{0: 40}, {1: 15}, {2: 14}}, "side:obvious extra:obvious"},
		{"nothing of the side deck was seen", []map[int]int{{0: 40}, {}}, ""},
		{"nothing of the main deck was seen", []map[int]int{{}, {0: 10}, {1: 10}}, "extra:obvious"},
	} {
		parts, res := looks(tc.sizes...)
		c, _ := relationsOf(parts, res)
		var got []string
		for _, r := range c.Relations {
			got = append(got, r.Parts[1]+":"+r.Visibility)
			if r.What != "colour" && parts[0].usual == 0 || r.DeltaE <= 0 {
				t.Errorf("%s: %+v", tc.name, r)
			}
		}
		if text := strings.Join(got, " "); text != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, text, tc.want)
		}
		if (len(c.Warnings) > 0) != (tc.want != "") {
			t.Errorf("%s: a difference of colour must come with the advice to look in one light: %v", tc.name, c.Warnings)
		}
	}
}

// TestDifferBetweenOthers: two groups that both differ from the largest need
// not differ from each other.
func TestDifferBetweenOthers(t *testing.T) {
	_, res := looks(map[int]int{0: 3, 1: 2, 2: 2})
	if _, v, _ := differ(&res.Groups[1], &res.Groups[2], 1); v != "camera-only" {
		t.Errorf("two reds: %s", v)
	}
	if e, v, what := differ(&res.Groups[1], &res.Groups[0], 1); v != "obvious" || what != "colour" || e != finite(res.Groups[1].DeltaE) {
		t.Errorf("red to blue: %v %s %s", e, v, what)
	}
	res.Groups[2].What = "design"
	if _, v, what := differ(&res.Groups[1], &res.Groups[2], 1); v != "obvious" || what != "design" {
		t.Errorf("plain to printed: %s %s", v, what)
	}
}

// TestStrangeLook: a part of which most sleeves are marked is not judged by
// the others.
func TestStrangeLook(t *testing.T) {
	parts, res := looks(map[int]int{0: 20}, map[int]int{0: 8})
	for k := 20; k < 25; k++ {
		res.Sleeves[k].Visibility = sleeve.Obvious
	}
	c, l := relationsOf(parts, res)
	if len(l) != 2 || len(c.Relations) != 1 || c.Relations[0].Visibility != "visible" {
		t.Errorf("%d looks, %+v", len(l), c.Relations)
	}
	parts, res = looks(map[int]int{0: 20}, map[int]int{0: 8})
	for k := 20; k < 24; k++ {
		res.Sleeves[k].Visibility = sleeve.Obvious
	}
	if c, l := relationsOf(parts, res); len(l) != 1 || len(c.Relations) != 0 {
		t.Errorf("half of the part is marked: %d looks, %+v", len(l), c.Relations)
	}
}

// TestTurnedWithinPart: a part that was photographed the other way round is
// not a deck of turned cards; a card turned within it is.
func TestTurnedWithinPart(t *testing.T) {
	parts, res := looks(map[int]int{0: 20}, map[int]int{0: 8})
	for k := 20; k < 28; k++ {
		res.Sleeves[k].TurnedDeg = 180
	}
	res.Sleeves[3].TurnedDeg, res.Sleeves[22].TurnedDeg = 180, 0
	c := newCheck(Options{})
	conclude(c, parts, res, 0)
	var turned []string
	for _, p := range parts {
		for _, s := range p.sleeves {
			if slices.Contains(s.Flags, record.FlagTurned) {
				turned = append(turned, fmt.Sprint(p.part, s.Place))
			}
		}
	}
	if got := strings.Join(turned, " "); got != "main4 side3" {
		t.Errorf("turned: %s", got)
	}
}

// TestWholeNumbers: for any parts and any state of them, every sleeve has one
// number, the parts' counts add up, and the parts as checks by themselves
// number theirs from 1.
func TestWholeNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := make([]map[int]int, rapid.IntRange(1, 3).Draw(t, "parts"))
		for i := range sizes {
			sizes[i] = map[int]int{0: rapid.IntRange(0, 20).Draw(t, "usual"), 1: rapid.IntRange(0, 5).Draw(t, "odd")}
		}
		parts, res := looks(sizes...)
		if len(res.Sleeves) == 0 {
			return
		}
		c := newCheck(Options{})
		offset := 0
		for _, p := range parts {
			p.offset, p.number = offset, len(p.places)
			offset += p.number
		}
		conclude(c, parts, res, 0)
		for _, p := range parts {
			c.Sleeves, c.Groups = append(c.Sleeves, p.sleeves...), append(c.Groups, p.groups...)
		}
		judgeWhole(c.Check, parts, english(t))
		if n := c.Verdict.Count; n.Sleeves != offset || n.Inspected != offset {
			t.Fatalf("%+v of %d sleeves", n, offset)
		}
		flagged := 0
		for i, v := range c.Split() {
			for k := range v.Sleeves {
				if s := &v.Sleeves[k]; s.Sleeve != k+1 {
					t.Fatalf("part %d: sleeve %d is numbered %d", i, k+1, s.Sleeve)
				}
				if v.Sleeves[k].Flagged() {
					flagged++
				}
			}
			in := 0
			for _, g := range v.Groups {
				in += len(g.Sleeves)
				for _, n := range g.Sleeves {
					if n < 1 || n > len(v.Sleeves) {
						t.Fatalf("part %d: group %s has sleeve %d of %d", i, g.Name, n, len(v.Sleeves))
					}
				}
			}
			if in != len(v.Sleeves) {
				t.Fatalf("part %d: %d of %d sleeves are in groups", i, in, len(v.Sleeves))
			}
		}
		if flagged != c.Verdict.Count.Flagged {
			t.Fatalf("%d flagged in the parts, %d in all", flagged, c.Verdict.Count.Flagged)
		}
		for i, s := range c.Sleeves {
			if s.Sleeve != i+1 {
				t.Fatalf("sleeve %d is numbered %d", i+1, s.Sleeve)
			}
			if part, place := c.Spot(s.Sleeve); part != s.Part || place != s.Place {
				t.Fatalf("sleeve %d lies at %s %d and says %s %d", s.Sleeve, part, place, s.Part, s.Place)
			}
		}
	})
}
