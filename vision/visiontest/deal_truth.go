package visiontest

import (
	"encoding/json"
	"fmt"
	"io"
)

const dealTruthFormat = "visiontest-deal/v1"

// DealTruth is what happens in a deal. Times are seconds since the first
// frame, pixels as in [Truth], millimetres on the table.
type DealTruth struct {
	Format         string     `json:"format"` // "visiontest-deal/v1"
	Name           string     `json:"name"`
	Seed           uint64     `json:"seed"`
	Kind           DealKind   `json:"kind"`
	FPS            float64    `json:"fps"`
	CardsPerSecond float64    `json:"cards_per_second"`
	Cards          int        `json:"cards"`
	WidthPx        int        `json:"width_px"`
	HeightPx       int        `json:"height_px"`
	SleeveMM       Pair       `json:"sleeve_mm"`
	Faces          []int      `json:"faces,omitempty"` // of each card, where faces are dealt
	Zones          []DealZone `json:"zones"`

	// Rests are the stretches in which a card was the top of its pile, by
	// their beginning. A card that is taken away and put back has two.
	Rests []*DealRest `json:"rests"`

	// Hidden are the cards that stuck below another and were never seen.
	Hidden []int `json:"hidden,omitempty"`

	// Events are what else happened: "hand over", "hand rest", "nudge",
	// "held", "take back", "double", "refocus", "exposure", "shadow".
	Events []DealEvent `json:"events,omitempty"`
}

// DealZone is a zone in frame pixels: left, top, right, bottom.
type DealZone struct {
	Name string `json:"name"`
	Rect [4]int `json:"rect"`
}

// DealRest is one stretch of a card as the top of a pile.
type DealRest struct {
	Zone string  `json:"zone"`
	Card int     `json:"card"` // place in the deck, from 0
	From float64 `json:"from"`
	To   float64 `json:"to"`

	// CentreMM, TurnDeg, HeightMM and Corners (px, TL TR BR BL) are of the
	// card's top as it lay at last; Moved is true when it was moved meanwhile.
	CentreMM Pair    `json:"centre_mm"`
	TurnDeg  float64 `json:"turn_deg"`
	HeightMM float64 `json:"height_mm"`
	Corners  []Pair  `json:"corners"`
	Moved    bool    `json:"moved,omitempty"`

	// ClearFrames is the longest row of frames that show the card at rest
	// without a hand or another card on it.
	ClearFrames int `json:"clear_frames"`
}

// DealEvent is something that happened beside the deal itself.
type DealEvent struct {
	At   float64 `json:"at"`
	Kind string  `json:"kind"`
	Zone string  `json:"zone,omitempty"`
	Card int     `json:"card"`
}

// Sightings are the cards that should be seen in a zone, in order: every rest
// but those of a card that was taken away and put back, or uncovered again.
func (t *DealTruth) Sightings(zone string) (cards []int) {
	seen := map[int]bool{}
	for _, r := range t.Rests {
		if r.Zone == zone && !seen[r.Card] {
			seen[r.Card] = true
			cards = append(cards, r.Card)
		}
	}
	return cards
}

// Write writes the truth as indented JSON.
func (t *DealTruth) Write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	if err := e.Encode(t); err != nil {
		return fmt.Errorf("visiontest: %w", err)
	}
	return nil
}
