package randomness

import (
	"fmt"
	"sort"
	"strings"

	"fairdeck/randomness/battery"
)

// ErrTooFew means that there are too few cards, or too few that differ, to say anything. Scorer.Power
// returns it; Scorer.Score answers with a verdict of level Undecided.
var ErrTooFew = battery.ErrTooFew

// ReadError is a fault in a file, with its place.
type ReadError struct {
	Name string // the file, or what it holds
	Line int    // 1 for the first line; 0 when the fault belongs to no line
	Msg  string
	Err  error // the cause, if any
}

func (e *ReadError) Error() string {
	var b strings.Builder
	b.WriteString(e.Name)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
	}
	b.WriteString(": ")
	b.WriteString(e.Msg)
	if e.Err != nil {
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	return b.String()
}

func (e *ReadError) Unwrap() error { return e.Err }

// Surplus is a card that one of two orders holds more often than the other.
type Surplus struct {
	Face  string
	Count int   // how many more
	Lines []int // lines of the file where the card stands, ascending; empty when the order came from no file
}

// MismatchError says that two orders, or an order and a deck list, do not hold the same cards.
type MismatchError struct {
	What    string    // for example "before and after"
	Missing []Surplus // in the first but not in the second
	Extra   []Surplus // in the second but not in the first
	Cards   [2]int    // sizes
}

func (e *MismatchError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s are not the same cards", e.What)
	if e.Cards[0] != e.Cards[1] {
		fmt.Fprintf(&b, " (%d and %d)", e.Cards[0], e.Cards[1])
	}
	list := func(head string, s []Surplus) {
		if len(s) == 0 {
			return
		}
		b.WriteString("; " + head + " ")
		for i, x := range s {
			if i == 5 {
				fmt.Fprintf(&b, ", and %d more", len(s)-i)
				break
			}
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "%d %q", x.Count, x.Face)
			if len(x.Lines) > 0 {
				word := "line"
				if len(x.Lines) > 1 {
					word = "lines"
				}
				fmt.Fprintf(&b, " (%s %s)", word, lineList(x.Lines))
			}
		}
	}
	list("only in the first:", e.Missing)
	list("only in the second:", e.Extra)
	b.WriteString("; write ? for a card that was not read")
	return b.String()
}

func lineList(lines []int) string {
	s := make([]string, 0, len(lines))
	for i, l := range lines {
		if i == 6 {
			s = append(s, "...")
			break
		}
		s = append(s, fmt.Sprint(l))
	}
	return strings.Join(s, ", ")
}

// surplus lists what a holds more often than b, by name.
func surplus(a, b Order) []Surplus {
	left := map[string]int{}
	for _, c := range b.Cards {
		if c.Face != Gap {
			left[c.Face]++
		}
	}
	found := map[string]*Surplus{}
	for _, c := range a.Cards {
		if c.Face == Gap {
			continue
		}
		s := found[c.Face]
		if s == nil {
			s = &Surplus{Face: c.Face, Count: -left[c.Face]}
			found[c.Face] = s
		}
		s.Count++
		if c.Line > 0 {
			s.Lines = append(s.Lines, c.Line)
		}
	}
	var out []Surplus
	for _, s := range found {
		if s.Count > 0 {
			out = append(out, *s)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Face < out[j].Face })
	return out
}
