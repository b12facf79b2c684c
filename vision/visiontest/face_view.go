package visiontest

import (
	"fmt"
	"image"
	"math"
	"math/rand/v2"

	"fairdeck/vision/frame"
	"fairdeck/vision/plane"
)

// FaceStation is how a camera sees the faces of a deck, each cut out and seen
// from straight above as vision/card delivers it. It is quick where [Station]
// is exact: no table, no lens; every disturbance that reaches a reader of faces
// is there, and may be set by itself. The zero value is a good station at
// 5 px/mm; negative numbers ask for none at all.
type FaceStation struct {
	Seed    uint64
	PxPerMM float64 // 0 means 5
	Sleeve  Sleeve  // zero: 66 x 91 mm, or 62 x 89 mm for the narrower cards

	CornerPx  float64 // spread (sigma) of each corner; 0 means 0.4
	SlideMM   float64 // of the card inside its sleeve; 0 means 0.4
	TurnDeg   float64 // of the card inside its sleeve; 0 means 0.25
	BlurPx    float64 // 0 means 0.7
	BlurDrift float64 // from sighting to sighting, as a share; 0 means 0.15
	Noise     float64 // read noise, white = 1; 0 means 0.004
	White     float64 // spread (sigma) of red and blue gains; 0 means 0.03
	Exposure  float64 // spread (sigma) as a share; 0 means 0.05
	Gradient  float64 // of the light over the card, as a share; 0 means 0.15
	Glare     float64 // share of sightings with a lamp's reflection somewhere; 0 means 0.1
	NameGlare float64 // share of sightings with one on the name; 0 means 0.03
	Dust      float64 // mean number of fibres and specks; 0 means 3
	JPEG      int     // quality; 0 means 88, negative none
}

func (s FaceStation) withDefaults(g Game) FaceStation {
	if s.PxPerMM == 0 {
		s.PxPerMM = 5
	}
	if s.Sleeve.WidthMM == 0 && g.WideMM < 61 {
		s.Sleeve.WidthMM, s.Sleeve.HeightMM = 62, 89
	}
	s.Sleeve = s.Sleeve.withDefaults()
	s.CornerPx, s.SlideMM, s.TurnDeg = defaulted(s.CornerPx, 0.4), defaulted(s.SlideMM, 0.4), defaulted(s.TurnDeg, 0.25)
	s.BlurPx, s.BlurDrift = defaulted(s.BlurPx, 0.7), defaulted(s.BlurDrift, 0.15)
	s.Noise, s.White, s.Exposure = defaulted(s.Noise, 0.004), defaulted(s.White, 0.03), defaulted(s.Exposure, 0.05)
	s.Gradient, s.Glare, s.NameGlare = defaulted(s.Gradient, 0.15), defaulted(s.Glare, 0.1), defaulted(s.NameGlare, 0.03)
	s.Dust = defaulted(s.Dust, 3)
	if s.JPEG == 0 {
		s.JPEG = 88
	}
	return s
}

// RandomFaceStation draws a station; equal seeds give equal ones.
func RandomFaceStation(seed uint64) FaceStation {
	r := stream(seed, streamFace, 10)
	return FaceStation{Seed: seed, PxPerMM: between(r, 4.2, 8), CornerPx: between(r, 0.15, 0.8), SlideMM: between(r, 0.1, 0.6),
		TurnDeg: between(r, 0.05, 0.4), BlurPx: between(r, 0.5, 1.1), BlurDrift: between(r, 0.03, 0.3), Noise: logBetween(r, 0.001, 0.008),
		White: between(r, 0.005, 0.05), Exposure: between(r, 0.01, 0.1), Gradient: between(r, 0.03, 0.3), Glare: between(r, 0.01, 0.25),
		NameGlare: between(r, 0.005, 0.06), Dust: between(r, 0.5, 8), JPEG: 80 + r.IntN(18)}
}

// FaceView is one sighting of a card's front.
type FaceView struct {
	Image             *frame.Image // WidthMM x HeightMM at PxPerMM, without a margin
	PxPerMM           float64
	WidthMM, HeightMM float64

	// Glared is the share of the name that a reflection covers.
	Glared float64
}

// FaceViews renders sightings of a deck's faces.
type FaceViews struct {
	deck   FaceDeck
	s      FaceStation
	prints []*texture
	film   [3]float64
}

// NewFaceViews prints the faces of a deck.
func NewFaceViews(d FaceDeck, s FaceStation) (*FaceViews, error) {
	v := &FaceViews{deck: d, s: s.withDefaults(d.Game), prints: make([]*texture, len(d.Faces))}
	var err error
	if v.film, err = v.s.Sleeve.Colour.linear(); err != nil {
		return nil, err
	}
	if len(d.Of) != len(d.Foil) || len(d.Of) != len(d.Turned) {
		return nil, fmt.Errorf("visiontest: %d cards, %d foils and %d turns", len(d.Of), len(d.Foil), len(d.Turned))
	}
	return v, nil
}

// View renders the sighting of card i; number tells several sightings of one
// card from each other.
func (v *FaceViews) View(i, number int) (*FaceView, error) {
	if i < 0 || i >= len(v.deck.Of) {
		return nil, fmt.Errorf("visiontest: card %d of %d", i, len(v.deck.Of))
	}
	face := v.deck.Of[i]
	if v.prints[face] == nil {
		t, err := paintFace(v.deck.Game, v.deck.Faces[face], v.s.Sleeve, v.film, 2*v.s.PxPerMM)
		if err != nil {
			return nil, err
		}
		t.soften()
		v.prints[face] = t
	}
	r := stream(v.s.Seed, streamFace, 1<<20+i<<4+number)
	s := v.s
	w, h := int(math.Round(s.Sleeve.WidthMM*s.PxPerMM)), int(math.Round(s.Sleeve.HeightMM*s.PxPerMM))
	out := &FaceView{PxPerMM: s.PxPerMM, WidthMM: s.Sleeve.WidthMM, HeightMM: s.Sleeve.HeightMM}

	// The corners were found a little off, the card lies askew in its sleeve.
	var off [4]plane.Point
	rect := plane.Rect(0, 0, s.Sleeve.WidthMM, s.Sleeve.HeightMM)
	for k := range off {
		off[k] = rect[k].Add(plane.Point{X: s.CornerPx * r.NormFloat64(), Y: s.CornerPx * r.NormFloat64()}.Mul(1 / s.PxPerMM))
	}
	warp, err := plane.QuadToQuad(rect, plane.Quad(off))
	if err != nil {
		return nil, fmt.Errorf("visiontest: %w", err)
	}
	turn := s.TurnDeg * r.NormFloat64() * math.Pi / 180
	if v.deck.Turned[i] {
		turn += math.Pi
	}
	sin, cos := math.Sincos(turn)
	slide := plane.Point{X: clamp(s.SlideMM*r.NormFloat64(), -1.5, 1.5), Y: clamp(s.SlideMM*r.NormFloat64(), -1.5, 1.5)}

	l := newLayer(image.Rect(0, 0, w, h))
	ga, gb, gc := s.Gradient*r.NormFloat64(), s.Gradient*r.NormFloat64(), 0.4*s.Gradient*r.NormFloat64()
	foil := newFoil(r, v.deck.Foil[i])
	fibres := newFibres(r, s)
	for y := range h {
		row := l.row(y)
		for x := range w {
			p := warp.Apply(plane.Point{X: (float64(x) + 0.5) / s.PxPerMM, Y: (float64(y) + 0.5) / s.PxPerMM})
			nx, ny := p.X/s.Sleeve.WidthMM-0.5, p.Y/s.Sleeve.HeightMM-0.5
			q := plane.Point{X: p.X - s.Sleeve.WidthMM/2 - slide.X, Y: p.Y - s.Sleeve.HeightMM/2 - slide.Y}
			q = plane.Point{X: cos*q.X + sin*q.Y + s.Sleeve.WidthMM/2, Y: cos*q.Y - sin*q.X + s.Sleeve.HeightMM/2}
			var c [3]float64
			v.prints[face].at(q.X, q.Y, &c)
			light := max(0.3, 1+ga*nx+gb*ny+gc*nx*ny*4)
			foil.shine(q.X, q.Y, &c)
			for n := range 3 {
				row[3*x+n] = float32(c[n]*light + 0.012)
			}
			fibres.lay(p.X, p.Y, 1/s.PxPerMM, row[3*x:3*x+3])
		}
	}
	v.reflect(r, l, out, turn, slide)
	blurred := s.BlurPx * max(0.3, 1+s.BlurDrift*r.NormFloat64())
	l = blur(l, l.Rectangle, blurred)
	d := Drift{Exposure: max(0.3, 0.95*(1+s.Exposure*r.NormFloat64())), RedGain: max(0.5, 1+s.White*r.NormFloat64()), BlueGain: max(0.5, 1+s.White*r.NormFloat64())}
	sensor := Sensor{ReadNoise: s.Noise, JPEGQuality: s.JPEG}.withDefaults()
	out.Image = develop(w, h, l.row, sensor, d, r)
	if s.JPEG > 0 {
		data, err := encodeJPEG(out.Image, s.JPEG)
		if err != nil {
			return nil, err
		}
		if out.Image, err = decodeJPEG(data); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// reflect lays lamps' reflections over the sleeve.
func (v *FaceViews) reflect(r *rand.Rand, l *layer, out *FaceView, turn float64, slide plane.Point) {
	s := v.s
	spot := func(x, y, wide, high, power float64) {
		a := r.Float64() * math.Pi
		sin, cos := math.Sincos(a)
		for j := range l.Dy() {
			row := l.row(j)
			for i := range l.Dx() {
				dx, dy := (float64(i)+0.5)/s.PxPerMM-x, (float64(j)+0.5)/s.PxPerMM-y
				d := sq((dx*cos+dy*sin)/wide) + sq((dy*cos-dx*sin)/high)
				if d > 9 {
					continue
				}
				// A lamp's image with a soft rim, and the haze around it.
				k := float32(power * (smoothstep(1.3, 0.8, math.Sqrt(d)) + 0.15*math.Exp(-d)))
				for n := range 3 {
					row[3*i+n] += k
				}
			}
		}
	}
	if r.Float64() < s.Glare {
		spot(r.Float64()*s.Sleeve.WidthMM, r.Float64()*s.Sleeve.HeightMM, between(r, 3, 12), between(r, 2, 6), logBetween(r, 0.1, 1.5))
	}
	if r.Float64() < s.NameGlare {
		n := v.deck.Game.layout().name
		if v.deck.Game.Style == Symbols {
			n = region{10, 10, 50, 16}
		}
		x, y := between(r, n.x0, n.x1)-v.deck.Game.WideMM/2, (n.y0+n.y1)/2-v.deck.Game.HighMM/2
		sin, cos := math.Sincos(turn)
		x, y = cos*x-sin*y+slide.X+s.Sleeve.WidthMM/2, sin*x+cos*y+slide.Y+s.Sleeve.HeightMM/2
		wide := between(r, 5, 14)
		spot(x, y, wide, between(r, 3, 7), logBetween(r, 0.2, 1.5))
		out.Glared = min(1, 2*wide/(n.x1-n.x0))
	}
}

// foil is the rainbow of a holographic print, other in every sighting.
type foil struct {
	power                float64
	kx, ky, shift, grain float64
	seed                 uint32
}

func newFoil(r *rand.Rand, is bool) *foil {
	a := r.Float64() * 6.28
	k := between(r, 0.03, 0.12)
	f := &foil{kx: k * math.Cos(a), ky: k * math.Sin(a), shift: 6.28 * r.Float64(), power: between(r, 0.08, 0.25), seed: uint32(r.Uint64())}
	if !is {
		f.power = 0
	}
	return f
}

func (f *foil) shine(x, y float64, c *[3]float64) {
	if f.power == 0 {
		return
	}
	phase := 6.28*(f.kx*x+f.ky*y) + f.shift + 0.6*noise(x/6, y/6, f.seed)
	for n := range 3 {
		c[n] = c[n]*(1-0.5*f.power) + f.power*(0.5+0.5*math.Cos(phase+2.09*float64(n)))*(0.4+c[n])
	}
}

// fibres are lint and specks on the sleeve.
type fibres struct{ list []blot }

func newFibres(r *rand.Rand, s FaceStation) *fibres {
	f := &fibres{}
	for range poisson(r, s.Dust) {
		w, h := between(r, 0.1, 0.35), between(r, 0.1, 0.35)
		if r.Float64() < 0.4 {
			w, h = between(r, 1, 4), between(r, 0.06, 0.15)
		}
		c := fromHSV(r.Float64(), 0.2*r.Float64(), between(r, 0.2, 1))
		f.list = append(f.list, newBlot(s.Sleeve.WidthMM*r.Float64(), s.Sleeve.HeightMM*r.Float64(), r.Float64()*3, w, h, 0.2, 0, c, between(r, 0.3, 0.9)))
	}
	return f
}

func (f *fibres) lay(x, y, fp float64, px []float32) {
	for k := range f.list {
		b := &f.list[k]
		if a := b.cover(x, y, fp) * b.alpha; a > 0 {
			for n := range 3 {
				px[n] += (float32(b.colour[n]) - px[n]) * float32(a)
			}
		}
	}
}
