package check

import (
	"cmp"
	"fmt"

	"fairdeck/internal/record"
	"fairdeck/vision/plane"
)

// place is one place in the deck.
type place struct {
	number int // from 1, top first
	file   string
	card   int // in the picture, from 1
	found
	unusable string // why it is not compared; the card's own reason or ours
}

// arrange gives every card its place in the deck and records what does not
// fit. Pictures that could not be read keep their place where each picture
// is one card, so that the numbers stay those that a judge counts off.
func arrange(pics []picture, o Options, c draft) []place {
	kind, by, text := decide(pics, o.Layout)
	c.Layout = record.Layout{Kind: kind, By: by, Text: text}
	var places []place
	number, middle := 0, usualPlace(pics)
	for i := range pics {
		p := &pics[i]
		if p.twin >= 0 {
			continue
		}
		n := 0
		for _, f := range p.cards {
			if f.Unusable == "" {
				n++
			}
		}
		single := kind == string(OnePerFrame) || kind == "mixed" && n <= 1
		if !single {
			if p.err == nil && len(p.cards) == 0 {
				c.problem(noCard(p.path, 0))
			}
			for k := range p.cards {
				number++
				places = append(places, newPlace(number, p, k))
			}
			continue
		}
		number++
		switch {
		case p.err != nil:
			// The problem is recorded; it lacks the place only.
			for k := range c.Problems {
				if q := &c.Problems[k]; q.File == p.path && q.Part == c.part && q.Sleeve == 0 {
					q.Sleeve = number
				}
			}
		case len(p.cards) == 0:
			c.problem(noCard(p.path, number))
		default:
			best := bestCard(p.cards, middle)
			if n > 1 {
				c.problem(record.Problem{
					Code: "extra-cards", File: p.path, Sleeve: number,
					Text:   fmt.Sprintf("%d cards where one was expected; card %d of them was used", n, best+1),
					Remedy: "leave one card in view, or use --grid when all of them belong to the deck",
				})
			}
			places = append(places, newPlace(number, p, best))
		}
	}
	for i := range places {
		if pl := &places[i]; pl.unusable != "" {
			c.problem(record.Problem{
				Code: "card-unusable", File: pl.file, Sleeve: pl.number,
				Text: "the card cannot be compared: " + pl.unusable, Remedy: "take this picture again with the whole card in view, sharp and without glare",
			})
		}
	}
	c.Verdict.Count.Sleeves = number
	return places
}

func noCard(path string, number int) record.Problem {
	return record.Problem{
		Code: "no-card", File: path, Sleeve: number, Text: "no card was found in the picture",
		Remedy: "lay one whole card flat in view, on a table that differs from the sleeve",
	}
}

func newPlace(number int, p *picture, k int) place {
	f := p.cards[k]
	pl := place{number: number, file: p.path, card: k + 1, found: f, unusable: f.Unusable}
	if pl.unusable == "" {
		pl.unusable = tooPoor(f)
	}
	return pl
}

// usualPlace is where the card lies in pictures that show one, or nil when
// there is no such picture.
func usualPlace(pics []picture) *plane.Point {
	var x, y []float64
	for i := range pics {
		if cards := pics[i].cards; len(cards) == 1 && cards[0].Unusable == "" {
			mid := cards[0].Corners.Centre()
			x, y = append(x, mid.X), append(y, mid.Y)
		}
	}
	if len(x) == 0 {
		return nil
	}
	return &plane.Point{X: median(x), Y: median(y)}
}

// bestCard chooses among the cards of one picture: a usable one, nearest to
// the usual place; where none is usual, the one of which the finder is
// surest.
func bestCard(cards []found, usual *plane.Point) int {
	better := func(a, b *found) bool {
		if ua, ub := a.Unusable == "", b.Unusable == ""; ua != ub {
			return ua
		}
		if usual != nil {
			return a.Corners.Centre().Sub(*usual).Norm() < b.Corners.Centre().Sub(*usual).Norm()
		}
		return a.Confidence > b.Confidence
	}
	best := 0
	for i := range cards {
		if better(&cards[i], &cards[best]) {
			best = i
		}
	}
	return best
}

// decide chooses between one card a picture and grids.
func decide(pics []picture, asked Layout) (kind, by, text string) {
	frames, single, many := 0, 0, 0 // pictures with a card; with one; that look like a grid
	total := 0
	counts := map[int]int{}
	for i := range pics {
		p := &pics[i]
		if p.err != nil || p.twin >= 0 {
			continue
		}
		n := 0
		for _, f := range p.cards {
			if f.Unusable == "" {
				n++
			}
		}
		if n == 0 {
			continue
		}
		frames++
		total += n
		counts[n]++
		if n == 1 {
			single++
		}
		// Two or three cards in one picture of many singles are neighbours
		// that strayed into view; four and more were laid out.
		if n >= 4 {
			many++
		}
	}
	switch {
	case asked == OnePerFrame:
		return string(OnePerFrame), "user", "One card a picture, as asked: picture n is the deck's card n."
	case asked == Grid:
		return string(Grid), "user", "Every card of every picture is one of the deck, as asked, in reading order."
	case frames == 0 || many == 0 && 2*single > frames:
		return string(OnePerFrame), "geometry", "Most pictures show one card: picture n is taken for the deck's card n. If all cards in view belong to the deck, use --grid."
	case single > 0 && many > 0:
		return "mixed", "geometry", fmt.Sprintf("Some pictures show one card and some a grid: all %d cards are taken for the deck, in the order of the pictures. If only one card a picture belongs to the deck, use --one-per-frame.", total)
	}
	usual := 0
	for n := range counts {
		if c := cmp.Compare(counts[n], counts[usual]); c > 0 || c == 0 && n > usual {
			usual = n
		}
	}
	text = fmt.Sprintf("Most pictures show %d cards: all %d cards are taken for the deck, in reading order. If only one card a picture belongs to the deck, use --one-per-frame.", usual, total)
	if frames == 1 {
		text = fmt.Sprintf("The picture shows %d cards: all are taken for the deck, in reading order.", total)
	}
	return string(Grid), "geometry", text
}
