package settle

import (
	"image"
	"time"

	"fairdeck/vision/card"
	"fairdeck/vision/frame"
)

// Zone is a region of the table in frame pixels where cards are put down.
type Zone struct {
	Name string          `json:"name"` // "back", "face", "edge", or any other
	Rect image.Rectangle `json:"rect"`
}

// Sighting is one card lying still in a zone once.
type Sighting struct {
	Index int    // place among the sightings of its zone, from 0
	Zone  string // name of the zone, empty where there are none

	// Start and End are the times at which the card came to rest and left or
	// was last seen, by the frames' own clock.
	Start, End time.Duration

	// Frames are the places in the source of the frames that went into Image.
	Frames []int

	// Image is the average of those frames, noise lower by the root of their
	// number; a crop of the frame whose left upper corner is Origin.
	Image  *frame.Image
	Origin image.Point

	// Detection is the card in pixels of the whole frame.
	Detection card.Detection

	// SharpnessPx is the width (sigma, pixels) of the card's edge as imaged;
	// smaller is sharper.
	SharpnessPx float64

	// MotionPx is the largest movement of a corner within Frames, in pixels.
	MotionPx float64
}

// Notice is something a person at the table should know: a hand that stays, a
// card that never lay still, a card put half outside its zone, blur.
type Notice struct {
	Time time.Duration
	Zone string
	Code string // for programs
	Text string // in words, with the remedy
}

// Event is what a frame brought about: exactly one of the fields is set.
type Event struct {
	Sighting *Sighting
	Notice   *Notice
}
