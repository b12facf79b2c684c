package visiontest

import (
	"math"
	"math/rand/v2"
)

// StackScene describes a squared deck seen from one side: a lying stack of
// sleeved cards on a table, the camera a little above the table. Render casts
// one ray per picture row through the stack's cross-section, so protrusion
// shows as it does to a camera: the edge comes nearer (lower in the picture
// and wider), more of the sleeve's face is seen above it, and it shades what
// lies below.
//
// The zero value of a field is no default; start from [NewStack] or
// [RandomStack].
type StackScene struct {
	Seed          uint64
	Width, Height int     // picture, px
	FocalPx       float64 // pinhole
	DistanceMM    float64 // camera to the side
	CameraMM      float64 // camera above the table
	PitchDeg      float64 // camera looks down by this
	RollDeg       float64 // picture turned
	YawDeg        float64 // side turned away from the camera: one end is farther

	SideMM  float64 // length of the side: 91 or 66
	DepthMM float64 // from the side to the far one
	Open    bool    // the open short edge: two film edges and the card between
	Double  bool    // two sleeves per card: pairs of lines

	Layers   []StackLayerSpec
	Material StackMaterial

	BowMM    float64 // the stack's ends stand higher than its middle (positive) or lower
	LeanMM   float64 // top against bottom, towards the camera: an unsquared stack
	TableBGR [3]float64
	WallBGR  [3]float64
	TableNoise, TableGrain,
	NoiseSigma float64 // sRGB codes at mid grey
	Exposure    float64
	BlurPx      float64 // Gaussian sigma
	FalloffStop float64 // light lost from the left to the right, stops
	LightDeg    float64 // light's elevation
	Ambient     float64 // share of the light that comes from everywhere
	Clip        bool    // something dark holds the stack's right end
}

// StackMaterial is what the sheets of a stack look like from the side. Colours
// are light returned, BGR, 0 to 1, linear.
type StackMaterial struct {
	FilmBGR  [3]float64 // the clear front film of an open edge
	PaperBGR [3]float64 // the card's own edge
	// PaperLight is the share of light that reaches the card between its films.
	PaperLight float64
	RecessMM   float64    // how far the card stands back behind an open edge
	Edge       [2]float64 // a closed edge's top and bottom, share of the layer
	// InnerClear is how clear a double sleeve's inner one is: 0 as the outer
	// one, 1 as the film.
	InnerClear    float64
	InnerRecessMM float64
}

// StackLayerSpec is one sleeved card of a stack, from the top.
type StackLayerSpec struct {
	ThicknessMM  float64
	ProtrusionMM float64    // mark: out of the deck's side
	JitterMM     float64    // the deck's own unevenness
	ShiftMM      float64    // along the side
	WarpMM       float64    // ends bent down by this
	EdgeBGR      [3]float64 // light returned, 0 to 1, linear
	Colour       string     // class, A is the deck's own
	Turned       bool       // open edges only: shows the closed one
}

// StackTruth is what a rendered stack really is.
type StackTruth struct {
	Layers []StackLayerTruth
	// LeftPx and RightPx are the ends of the middle layer in the picture.
	LeftPx, RightPx float64
}

// StackLayerTruth is one layer, from the top.
type StackLayerTruth struct {
	ProtrusionMM, FrontMM, ThicknessMM, WarpMM float64
	Colour                                     string
	Turned                                     bool
	// YPx is the middle of the layer's front at the picture's middle column.
	YPx float64
}

// NewStack returns a clean, well-lit stack: n layers of about pxPerLayer
// pixels, closed long side, blue sleeves on a grey table.
func NewStack(n int, pxPerLayer float64, seed uint64) StackScene {
	rng := rand.New(rand.NewPCG(seed, 0x57ac))
	s := StackScene{
		Seed: seed, SideMM: 91, DepthMM: 66, DistanceMM: 300, CameraMM: 60,
		TableBGR: [3]float64{0.055, 0.05, 0.045}, WallBGR: [3]float64{0.04, 0.045, 0.045},
		TableNoise: 0.08, NoiseSigma: 2, Exposure: 1, BlurPx: 0.8, LightDeg: 45, Ambient: 0.35,
		Material: StackMaterial{
			FilmBGR: [3]float64{0.5, 0.52, 0.52}, PaperBGR: [3]float64{0.42, 0.45, 0.46}, PaperLight: 0.45, RecessMM: 2,
			Edge: [2]float64{0.2, 0.62}, InnerClear: 0.5, InnerRecessMM: 0.25,
		},
	}
	total := 0.0
	for range n {
		l := StackLayerSpec{
			ThicknessMM: 0.66 * (1 + 0.035*rng.NormFloat64()),
			// The sheets of a squared deck come to rest within a few
			// hundredths of a millimetre of each other.
			JitterMM: 0.07 * rng.NormFloat64(), ShiftMM: 0.12 * rng.NormFloat64(),
			Colour: "A",
		}
		g := 1 + 0.03*rng.NormFloat64()
		l.EdgeBGR = [3]float64{0.5 * g, 0.16 * g, 0.12 * g}
		total += l.ThicknessMM
		s.Layers = append(s.Layers, l)
	}
	s.frameStack(pxPerLayer, total)
	return s
}

// frameStack chooses the lens and the picture size so that a layer has the
// wanted pixels and the stack is whole with a margin.
func (s *StackScene) frameStack(pxPerLayer, totalMM float64) {
	pxPerMM := pxPerLayer / (totalMM / float64(len(s.Layers)))
	s.FocalPx = pxPerMM * s.DistanceMM
	s.Width = int(s.SideMM*pxPerMM*1.25) + 40
	s.Height = int(totalMM*pxPerMM*1.5) + 80
	s.PitchDeg = math.Atan2(s.CameraMM-totalMM/2, s.DistanceMM) * 180 / math.Pi
}

// RandomStack draws a stack as a hall may show it: 40 to 100 layers of 6 to 16
// pixels, closed or open side, single or double sleeves, any sleeve and table
// colour, light, tilt and blur. Nothing is marked; callers add marks.
func RandomStack(seed uint64) StackScene {
	rng := rand.New(rand.NewPCG(seed, 0x5ca1e))
	u := func(a, b float64) float64 { return a + (b-a)*rng.Float64() }
	n := 40 + rng.IntN(61)
	s := NewStack(n, u(6, 16), seed)
	s.Open = rng.IntN(3) == 0
	if s.Open || rng.IntN(2) == 0 {
		s.SideMM, s.DepthMM = 66, 91
	}
	s.Double = !s.Open && rng.IntN(5) == 0
	edge := [3]float64{u(0.03, 0.75), u(0.03, 0.75), u(0.03, 0.75)}
	total, pitch := 0.0, u(0.5, 0.72)
	if s.Double {
		pitch = u(0.78, 0.95)
	}
	uneven := u(0.02, 0.06)
	for i := range s.Layers {
		l := &s.Layers[i]
		l.ThicknessMM = pitch * (1 + uneven*rng.NormFloat64())
		l.JitterMM = u(0.03, 0.08) * rng.NormFloat64()
		g := 1 + 0.04*rng.NormFloat64()
		l.EdgeBGR = [3]float64{edge[0] * g, edge[1] * g, edge[2] * g}
		if rng.IntN(30) == 0 {
			l.WarpMM = u(0.2, 0.9)
		}
		total += l.ThicknessMM
	}
	t := u(0.01, 0.7)
	s.TableBGR = [3]float64{t * u(0.8, 1.1), t * u(0.8, 1.1), t * u(0.8, 1.1)}
	w := u(0.005, 0.5)
	s.WallBGR = [3]float64{w, w, w}
	s.TableNoise, s.TableGrain = u(0.01, 0.2), u(0, 0.25)*float64(rng.IntN(2))
	s.CameraMM = total*u(0.9, 1.6) + u(0, 15)
	s.DistanceMM = u(220, 450)
	s.BowMM = u(-0.8, 0.8)
	s.LeanMM = u(-1, 1)
	s.NoiseSigma, s.BlurPx = u(0.8, 4), u(0.5, 1.2)
	s.Exposure, s.FalloffStop = u(0.6, 1.5), u(-0.8, 0.8)
	s.LightDeg, s.Ambient = u(25, 70), u(0.2, 0.6)
	s.frameStack(u(6, 16), total)
	s.RollDeg, s.YawDeg = u(-1.5, 1.5), u(-4, 4)
	s.Clip = rng.IntN(8) == 0
	film, paper := u(0.3, 0.7), u(0.25, 0.75)
	s.Material = StackMaterial{
		FilmBGR:  [3]float64{film * u(0.92, 1.04), film, film * u(0.96, 1.04)},
		PaperBGR: [3]float64{paper * u(0.8, 1), paper, paper * u(1, 1.05)}, PaperLight: u(0.3, 0.8), RecessMM: u(0.5, 2.5),
		Edge: [2]float64{u(0.1, 0.25), u(0.5, 0.75)}, InnerClear: u(0.2, 0.8), InnerRecessMM: u(0.1, 0.5),
	}
	return s
}
