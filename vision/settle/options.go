package settle

import (
	"fairdeck/vision/card"
	"fairdeck/vision/plane"
)

// Options says what a Settler looks for. The zero value watches the whole
// frame for cards of any known size and makes zones where they come to rest.
type Options struct {
	// Zones are the profile's, each watched for itself. None: a zone is made
	// around each place where a card first comes to rest.
	Zones []Zone

	// Size is the cards' outer size; zero: estimated among [card.KnownSizes].
	Size card.Size

	// Lens is the camera's, from the profile. Zero: not known.
	Lens plane.Lens

	// Frames is how many frames at most go into the average; 0: 12, which
	// lowers the noise to 29% and is 0.4 s at 30 frames a second.
	Frames int

	// Expected is how many cards the deck should have; 0: not known. A zone
	// that saw another number, though at least half of it, is reported when
	// the stream ends.
	Expected int
}

const (
	defaultFrames = 12

	// enoughFrames is when an average is good enough not to wait for more
	// frames of the same card after a disturbance: noise at 35%.
	enoughFrames = 8
)

func (o Options) frames() int {
	if o.Frames <= 0 {
		return defaultFrames
	}
	return o.Frames
}
