package check

import (
	"strings"
	"testing"

	"fairdeck/internal/locale"
	"fairdeck/internal/record"
	"fairdeck/internal/wording"

	"pgregory.net/rapid"
)

// seenDeck is a check of n inspected sleeves in one group.
func seenDeck(n int) *record.Check {
	c := &record.Check{Groups: []record.Group{{Name: "A"}}}
	c.Verdict.Count.Sleeves = n
	for i := range n {
		c.Sleeves = append(c.Sleeves, record.Sleeve{Sleeve: i + 1, Inspected: 1, Group: "A"})
		c.Groups[0].Sleeves = append(c.Groups[0].Sleeves, i+1)
	}
	return c
}

func texts(t fataler) *locale.Catalogues {
	t.Helper()
	c, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// fataler is what testing.T and rapid.T have in common.
type fataler interface {
	Helper()
	Fatal(args ...any)
}

func english(t fataler) locale.Printer { return texts(t).For(locale.English) }

func flag(s *record.Sleeve, visibility string, flags ...record.Flag) {
	s.Flags, s.Visibility = flags, visibility
	if visibility != "" {
		s.Marks = []record.Mark{{Visibility: visibility}}
	}
}

func TestVerdict(t *testing.T) {
	for _, tc := range []struct {
		name  string
		deck  func() *record.Check
		level record.Level
		says  []string // in order, one for each sentence that matters
	}{
		{"clean", func() *record.Check { return seenDeck(60) }, record.NothingToSee,
			[]string{"Nothing to see: none of 60 sleeves", "No differences", "All 60 sleeves were inspected."}},
		{"camera only", func() *record.Check {
			c := seenDeck(60)
			flag(&c.Sleeves[3], "camera-only")
			return c
		}, record.NothingToSee, []string{"Nothing to see", "1 sleeve has small differences that only the camera sees; they are no reason"}},
		{"marks, turned, groups", func() *record.Check {
			c := seenDeck(60)
			flag(&c.Sleeves[3], "obvious", record.FlagMark)
			flag(&c.Sleeves[4], "obvious", record.FlagMark)
			flag(&c.Sleeves[9], "visible", record.FlagMark, record.FlagTurned)
			c.Groups = append(c.Groups, record.Group{Name: "B", Visibility: "visible"})
			for i := 40; i < 46; i++ {
				flag(&c.Sleeves[i], "", record.FlagGroup)
				c.Sleeves[i].Group = "B"
				c.Groups[1].Sleeves = append(c.Groups[1].Sleeves, i+1)
			}
			c.Groups[0].Sleeves = c.Groups[0].Sleeves[:54]
			return c
		}, record.Flagged, []string{
			"9 of 60 sleeves can be told from the rest.",
			"Sleeves 4 and 5 have obvious marks; sleeve 10 has a mark that a player sees; sleeve 10 lies the other way round; two groups: 54 and 6 sleeves.",
			"The judge decides.",
		}},
		{"groups, one of them for the camera alone", func() *record.Check {
			c := seenDeck(60)
			c.Groups = append(c.Groups, record.Group{Name: "B", Visibility: "camera-only"}, record.Group{Name: "C", Visibility: "visible"})
			c.Groups[0].Sleeves, c.Groups[1].Sleeves, c.Groups[2].Sleeves = c.Groups[0].Sleeves[:40], c.Groups[0].Sleeves[40:55], c.Groups[0].Sleeves[55:]
			for i := 55; i < 60; i++ {
				flag(&c.Sleeves[i], "", record.FlagGroup)
			}
			return c
		}, record.Flagged, []string{"5 of 60", "Two groups: 55 and 5 sleeves."}},
		{"flagged and not all seen", func() *record.Check {
			c := seenDeck(60)
			flag(&c.Sleeves[3], "visible", record.FlagMark)
			c.Verdict.Count.Sleeves = 62
			return c
		}, record.Flagged, []string{"1 of 62 sleeves", "Sleeve 4", "2 of 62 sleeves were not inspected. The judge decides."}},
		{"a third not seen, one flagged", func() *record.Check {
			c := seenDeck(33)
			flag(&c.Sleeves[3], "visible", record.FlagMark)
			c.Verdict.Count.Sleeves = 60
			return c
		}, record.Flagged, []string{"1 of 60 sleeves", "Sleeve 4"}},
		{"a third not seen", func() *record.Check {
			c := seenDeck(39)
			c.Verdict.Count.Sleeves = 60
			return c
		}, record.NotGoodEnough, nil},
		{"less than a third not seen", func() *record.Check {
			c := seenDeck(40)
			c.Verdict.Count.Sleeves = 60
			return c
		}, record.Incomplete, nil},
		{"one not seen", func() *record.Check {
			c := seenDeck(59)
			c.Verdict.Count.Sleeves = 60
			c.Problems = []record.Problem{noCard("x.jpg", 60)}
			return c
		}, record.Incomplete, []string{"Not finished: nothing to see on 59 sleeves, but 1 could not be inspected.", "No card was found in the picture.", "again"}},
		{"one mostly hidden", func() *record.Check {
			c := seenDeck(60)
			c.Sleeves[8].Inspected = 0.3
			return c
		}, record.Incomplete, []string{"1 could not be inspected", "More than half of it was hidden."}},
		{"a file more that could not be read", func() *record.Check {
			c := seenDeck(60)
			c.Problems = []record.Problem{{Code: "input-empty", File: "y.jpg", Text: "the file is empty", Remedy: "copy it"}}
			return c
		}, record.Incomplete, []string{"some of the input could not be used", "The file is empty."}},
		{"extra cards do no harm", func() *record.Check {
			c := seenDeck(60)
			c.Problems = []record.Problem{{Code: "extra-cards", Text: "2 cards", Remedy: "leave one"}}
			return c
		}, record.NothingToSee, []string{"Nothing to see"}},
		{"most not found", func() *record.Check {
			c := seenDeck(10)
			flag(&c.Sleeves[3], "visible", record.FlagMark)
			c.Verdict.Count.Sleeves = 60
			for i := 11; i <= 60; i++ {
				c.Problems = append(c.Problems, noCard("x.jpg", i))
			}
			return c
		}, record.NotGoodEnough, []string{"50 of 60 sleeves could not be inspected", "No card was found in the picture (50 times).", "Lay one whole card flat"}},
		{"too few", func() *record.Check {
			c := seenDeck(2)
			c.Groups = nil
			return c
		}, record.NotGoodEnough, []string{"too few sleeves to compare", "2 sleeves are in the pictures", "whole deck"}},
		{"nothing", func() *record.Check { return &record.Check{} }, record.NotGoodEnough, []string{"no sleeve could be inspected"}},
	} {
		c := tc.deck()
		judge(c, english(t))
		if c.Verdict.Level != tc.level {
			t.Errorf("%s: %s, want %s", tc.name, c.Verdict.Level, tc.level)
		}
		for _, l := range locale.Languages() {
			lines := wording.Lines(c, texts(t).For(l))
			for i, line := range lines {
				if line == "" || strings.ContainsAny(line, "{}") || l != locale.English && line == c.Verdict.Lines[i] {
					t.Errorf("%s in %s: sentence %d is %q", tc.name, l, i+1, line)
				}
			}
		}
		for i, want := range tc.says {
			if !strings.Contains(c.Verdict.Lines[i], want) {
				t.Errorf("%s: sentence %d is %q, want %q in it", tc.name, i+1, c.Verdict.Lines[i], want)
			}
		}
	}
}

// TestVerdictAlwaysAnswers: whatever the sleeves look like there are three
// sentences, the counts add up, and nothing that only the camera sees is
// ever counted as flagged.
func TestVerdictAlwaysAnswers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(t, "sleeves")
		c := seenDeck(n)
		flagged := 0
		for i := range c.Sleeves {
			s := &c.Sleeves[i]
			switch rapid.SampledFrom([]string{"clean", "unusable", "hidden", "camera-only", "visible", "obvious", "turned"}).Draw(t, "sleeve") {
			case "unusable":
				s.Unusable, s.Inspected, s.Group = "blurred", 0, ""
			case "hidden":
				s.Inspected = 0.2
			case "camera-only":
				flag(s, "camera-only")
			case "visible":
				flag(s, "visible", record.FlagMark)
				flagged++
			case "obvious":
				flag(s, "obvious", record.FlagMark)
				flagged++
			case "turned":
				flag(s, "", record.FlagTurned)
				flagged++
			}
		}
		c.Verdict.Count.Sleeves += rapid.IntRange(0, 5).Draw(t, "missing")
		judge(c, english(t))
		k := c.Verdict.Count
		if k.Flagged != flagged || k.Inspected > k.Sleeves || k.Flagged+k.CameraOnly > k.Sleeves {
			t.Fatalf("counts %+v, %d flagged", k, flagged)
		}
		for _, l := range c.Verdict.Lines {
			if !strings.HasSuffix(l, ".") || strings.Contains(l, "%!") {
				t.Fatalf("sentence %q", l)
			}
		}
		if c.Verdict.Level == record.NothingToSee && (k.Flagged > 0 || k.Inspected != k.Sleeves) {
			t.Fatalf("nothing to see with %+v", k)
		}
	})
}
