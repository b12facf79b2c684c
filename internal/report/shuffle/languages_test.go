package shuffle

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fairdeck/internal/locale"
	"fairdeck/randomness"
	"fairdeck/randomness/simulate"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

func english(t *testing.T) words { return in(t, locale.English) }

func in(t *testing.T, l locale.Language) words {
	t.Helper()
	texts, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	return words{texts.For(l)}
}

// verdicts are those on many ways to handle decks of three kinds, with and
// without the order before.
func verdicts(t *testing.T) (list []randomness.Verdict) {
	t.Helper()
	models := []string{"none", "cut", "riffle:1", "riffle:3", "riffle:7", "overhand:2", "overhand:8", "pile:4", "pile:1", "pile:5+riffle:1", "weave", "weave+riffle:1", "clump", "mash:2", "kept:10+riffle:7", "random"}
	s := randomness.NewScorer(randomness.Options{Draws: 5000})
	for _, copies := range []int{1, 3} {
		n := 42
		start := make([]string, n)
		classes := randomness.Classes{}
		for i := range start {
			start[i] = fmt.Sprintf("%03d", i/copies)
			classes[start[i]] = map[bool]string{true: "1", false: "2"}[i/copies%3 == 0]
		}
		for k, text := range models {
			m, err := simulate.Parse(text)
			if err != nil {
				t.Logf("%s: %v", text, err)
				continue
			}
			deck, marked := make([]int, n), make([]bool, n)
			for i := range deck {
				deck[i], marked[i] = i, i/copies%3 == 0
			}
			m.Shuffle(simulate.NewRand(5, uint64(k)), deck, marked)
			after := make([]string, n)
			for i, c := range deck {
				after[i] = start[c]
			}
			before := randomness.NewOrder(start...)
			requests := []randomness.Request{{Before: &before, After: randomness.NewOrder(after...), Classes: classes}, {After: randomness.NewOrder(after...), Classes: classes}}
			if k == 2 {
				gaps := slices.Clone(after)
				gaps[4], gaps[20] = randomness.Gap, randomness.Gap
				requests = append(requests, randomness.Request{Before: &before, After: randomness.NewOrder(gaps...), Classes: classes, Looks: 3},
					randomness.Request{After: randomness.NewOrder(after[:6]...)}, randomness.Request{Before: &before, After: randomness.NewOrder(after...)})
			}
			for _, r := range requests {
				v, err := s.Score(context.Background(), r)
				if err != nil {
					continue // orders that cannot go together are another test's
				}
				list = append(list, v)
			}
		}
	}
	return list
}

// TestNoEnglishLeft: in another language no word of any page is English,
// whatever was done to the deck.
func TestNoEnglishLeft(t *testing.T) {
	list := verdicts(t)
	kinds, levels := map[string]bool{}, map[randomness.Level]bool{}
	for _, v := range list {
		levels[v.Level] = true
		for _, f := range v.Findings {
			kinds[f.Kind] = true
		}
	}
	if len(kinds) < 8 || len(levels) < 4 {
		t.Errorf("only %d kinds of findings and levels %v were seen", len(kinds), levels)
	}
	power := []randomness.Power{{Model: "riffle:1", Trials: 10, Questionable: 1}, {Model: "riffle:2", Trials: 10, Questionable: .5}}
	docs := []Document{{Kind: KindPower, Power: power}, {Kind: KindSeries, Series: &randomness.SeriesVerdict{
		Steps: list[:2], FromHere: list[:2], Sentence: "2 shuffles together: evidence 1,200 to 1 against fair shuffling, which fair shuffling reaches at most once in 1,200.",
	}}}
	for i := range list {
		docs = append(docs, Document{Kind: KindScore, Verdict: &list[i], Power: power, Inputs: Inputs{Before: "1", After: "2"}})
	}
	// Names and letters of statistics are the same in every language.
	international := regexp.MustCompile(`Spearman|Kendall|\bp\b|\be\b|riffle:\d`)
	letters := regexp.MustCompile(`[A-Za-z]{2,}`)
	told := map[string]bool{}
	for _, l := range []locale.Language{locale.SimplifiedChinese, locale.TraditionalChinese, locale.Japanese} {
		w := in(t, l)
		for _, d := range docs {
			var b bytes.Buffer
			if err := d.WriteHTML(&b, w.Printer); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(b.String(), `<html lang="`+string(l)+`">`) {
				t.Fatalf("%s: the page does not say its language", l)
			}
			doc, err := html.Parse(&b)
			if err != nil {
				t.Fatal(err)
			}
			for n := range doc.Descendants() {
				var seen []string
				for _, a := range n.Attr {
					if a.Key == "aria-label" || a.Key == "data-name" {
						seen = append(seen, a.Val)
					}
				}
				if n.Type == html.TextNode && n.Parent != nil && n.Parent.DataAtom != atom.Style {
					seen = append(seen, n.Data)
				}
				for _, s := range seen {
					s = international.ReplaceAllString(s, " ")
					if word := letters.FindString(s); (word != "" || strings.ContainsAny(s, "{}")) && !told[s] {
						told[s] = true
						t.Errorf("%s: %q has the English word %q", l, strings.TrimSpace(s), word)
					}
				}
			}
		}
	}
}

// TestEnglishAsSaid: in English the page says the verdict word for word.
func TestEnglishAsSaid(t *testing.T) {
	w := english(t)
	for _, v := range verdicts(t) {
		if got := w.sentence(v); got != v.Sentence {
			t.Errorf("the verdict says %q, the page %q", v.Sentence, got)
		}
	}
}
