package visiontest

import (
	"fmt"
	"math"
	"math/rand/v2"

	"fairdeck/vision/frame"
)

// Deal says what a camera over the table sees while somebody deals. The zero
// value is 60 face-down blue sleeves dealt onto a pile at one a second, 30
// frames a second, 1280 x 720, without anything that disturbs.
//
//	Deal ──NewDealStream──▶ DealStream ──Next──▶ DealFrame, in order
//	                              └────Truth──▶ DealTruth (written by Write)
//
// The stills of this package are exact; a deal is made to be quick: every
// sleeve is rendered once, as it lies in its zone, and warped from then on.
// A frame is the resting cards, the moving card, the hand, their shadows,
// light, defocus, noise, tone curve and JPEG in this order. Not modelled
// are the colour filter array, focus breathing, a rolling shutter and the
// turning of reflections on a moving sleeve.
type Deal struct {
	// Deck is the sleeves, table, light and camera as for stills. Its Layout
	// and what spoils single stills (Cut, Empty, Aliens, Hands) are not used;
	// of Sensor: Exposure, gains, BlurPx, Vignetting, FullWell, ReadNoise,
	// JPEGQuality. Zero Camera.PxPerMM: the zones fill the frame.
	Deck Deck

	Kind DealKind

	// FPS is the frame rate; 0 means 30. TimeJitter is the spread (sigma) of
	// the frame times as a share of the frame's duration. DropRate is the
	// share of frames that never arrive.
	FPS, TimeJitter, DropRate float64

	// CardsPerSecond is the pace; 0 means 1. PaceJitter is the spread (sigma)
	// of the time for each card as a share; 0 means 0.1, negative none.
	CardsPerSecond, PaceJitter float64

	// ScatterMM and ScatterDeg are the spreads (sigma) of the cards on the
	// pile; 0 means 3 and 2, negative none. DeckScatterMM is the same for the
	// deck in the back zone; 0 means 0.25.
	ScatterMM, ScatterDeg, DeckScatterMM float64

	// Faces is the face of each card, any numbers; nil: those of Deck.Fronts, or
	// without those each face twice to four times, shuffled, with at least one
	// pair of neighbours alike.
	Faces []int

	// Skin is the hand's colour and Cuff the sleeve's; "" draws them.
	Skin, Cuff Colour

	// ThrowShare is the share of cards that are let go early and slide to
	// their place; the others are laid down.
	ThrowShare float64

	// Disturb are the chances, for each card once it lies, of what a settler
	// must not be misled by.
	Disturb Disturbances

	// Flicker is the amplitude of the mains flicker from frame to frame and
	// of its bands, as a share of the light. RefocusPerMinute, StepsPerMinute
	// (exposure steps of up to ExposureStep, as a share) and ShadowsPerMinute
	// (somebody leans over the table) count events; WhiteDrift is how far the
	// white balance wanders.
	Flicker          float64
	RefocusPerMinute float64
	StepsPerMinute   float64
	ExposureStep     float64
	ShadowsPerMinute float64
	WhiteDrift       float64
}

// Disturbances are chances from 0 to 1 for each card.
type Disturbances struct {
	HandOver float64 `json:"hand_over"` // a hand passes over the pile
	HandRest float64 `json:"hand_rest"` // a hand stays on the pile
	Nudge    float64 `json:"nudge"`     // a finger moves the top card a little
	Held     float64 `json:"held"`      // the card is put down and not let go
	TakeBack float64 `json:"take_back"` // the top card is taken away and put back
	Double   float64 `json:"double"`    // the next card sticks below this one
}

// DealKind is how the cards go over the table.
type DealKind string

// The kinds of deals. The zero value means BacksDeal.
const (
	BacksDeal   DealKind = "backs"    // face down onto a pile: all sleeves alike
	FacesDeal   DealKind = "faces"    // face up onto a pile
	SinglesDeal DealKind = "singles"  // face down, shown one by one and taken away
	OnePassDeal DealKind = "one-pass" // from the face-down deck to the face-up pile
)

// DealKinds lists all kinds.
func DealKinds() []DealKind { return []DealKind{BacksDeal, FacesDeal, SinglesDeal, OnePassDeal} }

func (d Deal) withDefaults() (Deal, error) {
	if d.Kind == "" {
		d.Kind = BacksDeal
	}
	if d.FPS == 0 {
		d.FPS = 30
	}
	if d.CardsPerSecond == 0 {
		d.CardsPerSecond = 1
	}
	d.PaceJitter = defaulted(d.PaceJitter, 0.1)
	d.ScatterMM, d.ScatterDeg = defaulted(d.ScatterMM, 3), defaulted(d.ScatterDeg, 2)
	d.DeckScatterMM = defaulted(d.DeckScatterMM, 0.25)
	var err error
	if d.Deck.Camera.PxPerMM == 0 {
		c := &d.Deck.Camera
		if c.WidthPx == 0 || c.HeightPx == 0 {
			c.WidthPx, c.HeightPx = 1280, 720
		}
		w, h := 130.0, 150.0
		if d.Kind == OnePassDeal {
			w = 240
		}
		c.PxPerMM = min(float64(c.WidthPx)/w, float64(c.HeightPx)/h)
	}
	d.Deck.Layout = Layout{ShiftMM: -1, TurnDeg: -1}
	d.Deck.frontsInDeal = true
	if f := d.Deck.Fronts; f != nil && d.Faces == nil {
		d.Faces = f.Of
	}
	d.Deck.Cut, d.Deck.Aliens, d.Deck.Hands, d.Deck.Empty = nil, nil, nil, 0
	if d.Deck, err = d.Deck.withDefaults(); err != nil {
		return d, err
	}
	if d.Faces == nil {
		d.Faces = d.shuffledFaces()
	}
	if len(d.Faces) != d.Deck.Cards {
		return d, fmt.Errorf("visiontest: %d faces for %d cards", len(d.Faces), d.Deck.Cards)
	}
	r := stream(d.Deck.Seed, streamDeal, 1)
	if d.Skin == "" {
		d.Skin = choose(r, []Colour{"#f1c9a8", "#e0ac84", "#c68e63", "#8d5a3a", "#5a3826", "#edbfa6"})
	}
	if d.Cuff == "" {
		d.Cuff = choose(r, []Colour{"#23252b", "#e6e6e6", "#2b4a7a", "#7a2b2b", "#4a4a42", d.Skin})
	}
	return d, nil
}

// streamDeal numbers the random numbers of deals, beside those of random.go.
const streamDeal uint64 = 100

// shuffledFaces deals out copies and makes two neighbours alike.
func (d Deal) shuffledFaces() []int {
	r := stream(d.Deck.Seed, streamDeal, 0)
	n := d.Deck.Cards
	var faces []int
	for f := 0; len(faces) < n; f++ {
		for range 2 + r.IntN(3) {
			faces = append(faces, f)
		}
	}
	faces = faces[:n]
	r.Shuffle(n, func(i, j int) { faces[i], faces[j] = faces[j], faces[i] })
	for i := 1; i < n; i++ {
		if faces[i] == faces[i-1] {
			return faces
		}
	}
	// No neighbours alike yet: bring two of the first face together.
	for j := 1; j < n; j++ {
		if faces[j] == faces[0] {
			faces[1], faces[j] = faces[j], faces[1]
			break
		}
	}
	return faces
}

// DealFrame is one frame of a deal.
type DealFrame struct {
	Index   int     // among the frames that arrived, from 0
	Seconds float64 // since the first
	Dropped int     // frames lost just before
	Image   *frame.Image
	JPEG    []byte // whose decoding Image is; nil without JPEG
}

// DealRanges bound what [RandomDeal] draws.
type DealRanges struct {
	Cards int // 0 means 60
	// Kinds restrict the choice; nil means all.
	Kinds []DealKind
	// CardsPerSecond; 0 means 1.
	CardsPerSecond float64
	// MaxPixels leaves out larger cameras; 0 means 1280 x 720.
	MaxPixels int
	// MinFPS leaves out slower cameras; 0 means 24. The rates are 10, 15, 24,
	// 25, 30, 30, 30 and 60.
	MinFPS float64
	// Calm leaves out the Disturbances; light, focus and shadows stay.
	Calm bool
	// NoJPEG leaves out the compression, half of the time a frame takes.
	NoJPEG bool
}

// RandomDeal draws a deal and its station from the seed. Equal arguments give
// equal deals. Seeds from [HeldOut] on are kept for final checks.
func RandomDeal(seed uint64, g DealRanges) Deal {
	r := stream(seed, streamDeal, 2)
	if g.Cards == 0 {
		g.Cards = 60
	}
	if g.MaxPixels == 0 {
		g.MaxPixels = 1280 * 720
	}
	if g.MinFPS == 0 {
		g.MinFPS = 24
	}
	if g.CardsPerSecond == 0 {
		g.CardsPerSecond = 1
	}
	if g.Kinds == nil {
		g.Kinds = DealKinds()
	}
	d := Deal{Kind: choose(r, g.Kinds), CardsPerSecond: g.CardsPerSecond}
	d.Deck = RandomSpec(mix(seed)>>1, Ranges{MinCards: g.Cards, MaxCards: g.Cards, MaxPixels: g.MaxPixels, Clean: true, Tidy: true, Singles: true})
	d.Deck.Seed, d.Deck.Name = seed, fmt.Sprintf("deal_%d", seed)
	c := &d.Deck.Camera
	c.PxPerMM = 0 // zones fill the frame ...
	if c.WidthPx*c.HeightPx < 500_000 && d.Kind == OnePassDeal {
		c.WidthPx, c.HeightPx = 1280, 720
	}
	c.K1 *= 0.5
	// The camera's own exposure minds the hand and the faces, too.
	d.Deck.Sensor.Exposure = clamp(d.Deck.Sensor.Exposure, 0.5, 1.5)
	if d.Kind == FacesDeal || d.Kind == OnePassDeal {
		d.Deck.Sensor.Exposure = between(r, 0.6, 1)
	}
	d.Deck.Sensor.Mosaic = false
	d.Deck.Sensor.Sharpen = 0
	if g.NoJPEG {
		d.Deck.Sensor.JPEGQuality = -1
	}
	var rates []float64
	for _, f := range []float64{10, 15, 24, 25, 30, 30, 30, 60} {
		if f >= g.MinFPS {
			rates = append(rates, f)
		}
	}
	d.FPS = choose(r, rates)
	d.TimeJitter = between(r, 0, 0.15)
	d.DropRate = 0.02 * sq(r.Float64())
	d.PaceJitter = between(r, 0.02, 0.15)
	d.ScatterMM = logBetween(r, 0.3, 8)
	d.ScatterDeg = logBetween(r, 0.2, 5)
	d.DeckScatterMM = logBetween(r, 0.08, 0.8)
	d.ThrowShare = r.Float64() * 0.7
	d.Flicker = 0.02 * sq(r.Float64())
	d.RefocusPerMinute = 4 * r.Float64()
	d.StepsPerMinute = 5 * r.Float64()
	d.ExposureStep = between(r, 0.03, 0.2)
	d.ShadowsPerMinute = 4 * r.Float64()
	d.WhiteDrift = 0.04 * r.Float64()
	if !g.Calm {
		d.Disturb = Disturbances{HandOver: 0.06 * r.Float64(), HandRest: 0.05 * r.Float64(), Nudge: 0.08 * r.Float64(), Held: 0.06 * r.Float64()}
	}
	return d
}

// ease goes from 0 to 1 as a hand does: slow, fast, slow (minimum jerk, Flash
// & Hogan 1985).
func ease(t float64) float64 {
	t = clamp(t, 0, 1)
	return t * t * t * (10 + t*(6*t-15))
}

// normal is a deviate cut at 2.5 sigma: cards thrown off the pile are not part
// of a deal.
func normal(r *rand.Rand, sigma float64) float64 {
	return sigma * clamp(r.NormFloat64(), -2.5, 2.5)
}

func deg(d float64) float64 { return d * math.Pi / 180 }
