// Package decklist reads registered deck lists.
//
//	4 Island            text: a number and a card a line, headings for class
//	[land]              and part of the deck
//	Sideboard
//	card,count,class    CSV with a header
//	#main  89631139     YDK: one card's number a line
//	     │
//	     └──Read──▶ List: lines with count, name, class and part
//
// A list is outside data. Whatever is not understood is an [*Error] with its
// line; nothing is guessed or left out.
package decklist

import "fmt"

// The parts of a deck.
const (
	Main  = "main"
	Side  = "side"
	Extra = "extra"
)

// Line is a card of the list.
type Line struct {
	Count int
	Name  string
	Class string // "": the list does not say
	Part  string // Main, Side or Extra
	At    int    // line in the file, from 1
}

// List is a deck list. A name may stand in several parts, in each once.
type List struct {
	File  string
	Lines []Line
}

// Cards is how many cards the list has; part "" counts all.
func (l *List) Cards(part string) (n int) {
	for _, x := range l.Lines {
		if part == "" || x.Part == part {
			n += x.Count
		}
	}
	return n
}

// Class is the class that the list gives a name, "" when it gives none.
func (l *List) Class(name string) string {
	for _, x := range l.Lines {
		if x.Name == name && x.Class != "" {
			return x.Class
		}
	}
	return ""
}

// Error is a list that cannot be used.
type Error struct {
	File string
	Line int // 0: the file as a whole
	Msg  string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Msg)
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg)
}

// Limits of a list; beyond them a file is none.
const (
	MaxBytes = 1 << 20
	MaxCards = 1000
	MaxName  = 200 // bytes
)
