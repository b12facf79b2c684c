package visiontest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"fairdeck/vision/plane"
)

// HeldOut is the first seed reserved for final checks: methods are developed
// and tuned on RandomSpec(seed < HeldOut) and judged, rarely, on the others.
const HeldOut uint64 = 1 << 20

// Ranges bound what [RandomSpec] draws. The zero value is the whole width of
// the station as given at each field.
type Ranges struct {
	// MinCards and MaxCards; both 0 means 20 to 60.
	MinCards, MaxCards int
	// MaxPixels leaves out larger cameras; 0 means 1920 x 1080. The sizes
	// are 640x480, 1280x720, 1280x960, 1920x1080, 2592x1944 and 4000x3000.
	MaxPixels int
	// MaxTiltDeg; 0 means 12.
	MaxTiltDeg float64
	// Tables, Finishes and Styles restrict the choice; nil means all. The
	// style "" is a plain sleeve; when Styles is nil half the decks are plain.
	Tables   []TableKind
	Finishes []Finish
	Styles   []ArtStyle
	// MaxMarks is the largest number of mark specifications; 0 means 6. Each
	// lies on one card, one in five is shared by up to half the deck.
	MaxMarks int
	// Clean leaves out everything to be found: marks, batches, turned and odd
	// sleeves.
	Clean bool
	// Singles leaves out grids, which otherwise are one deck in six.
	Singles bool
	// Tidy leaves out cut cards, things on the table, hands, empty frames and
	// frames out of focus, which otherwise spoil a quarter of the decks.
	Tidy bool
}

// RandomSpec draws a deck and its station from the seed: camera, lens, pose,
// table, lamps, sleeve, sensor and everything to be found. Equal arguments
// give equal decks.
func RandomSpec(seed uint64, g Ranges) Deck {
	r := stream(seed, streamSpec, 0)
	d := Deck{Seed: seed, Name: fmt.Sprintf("random_%d", seed)}
	if g.MinCards == 0 && g.MaxCards == 0 {
		g.MinCards, g.MaxCards = 20, 60
	}
	d.Cards = g.MinCards + r.IntN(max(1, g.MaxCards-g.MinCards+1))
	d.Sleeve = randomSleeve(r, g)
	d.Table = randomTable(r, g)
	if r.Float64() < 0.2 {
		// Card and table of nearly the same colour: the hard case of finding.
		switch d.Table.Kind {
		case Playmat:
			d.Sleeve.Colour, d.Sleeve.Art = Black, Art{}
		case Paper, Marble:
			d.Sleeve.Colour, d.Sleeve.Art = White, Art{}
		case Plain, Wood:
			d.Table.Colour = d.Sleeve.Colour
		}
	}
	d.Camera = randomCamera(r, g)
	if !g.Singles && r.Float64() < 1.0/6 {
		d.Layout = Layout{Rows: 2 + r.IntN(3), Cols: 2 + r.IntN(4), GapMM: between(r, 1, 15)}
		if r.Float64() < 0.2 {
			d.Layout.GapMM = -1
		}
	} else if r.Float64() < 0.15 {
		d.Layout.AngleDeg = 90 * float64(1+r.IntN(3))
		d.Camera.PxPerMM *= 0.8
	}
	if d.Layout.grid() {
		// As many rows and columns as leave 3.2 px/mm, below which no mark
		// can be judged.
		for l := &d.Layout; l.Rows*l.Cols > 2; {
			high := float64(d.Camera.HeightPx) / (float64(l.Rows) * (d.Sleeve.HeightMM + max(0, l.GapMM)))
			wide := float64(d.Camera.WidthPx) / (float64(l.Cols) * (d.Sleeve.WidthMM + max(0, l.GapMM)))
			if 0.88*min(high, wide) >= 3.2 {
				break
			}
			if high < wide && l.Rows > 1 || l.Cols == 1 {
				l.Rows--
			} else {
				l.Cols--
			}
		}
		d.Camera.PxPerMM = 0
		d.Camera.DistanceMM = between(r, 500, 900)
	}
	d.Light = randomLight(r, d.Sleeve.Finish == Gloss || d.Sleeve.OuterClear, d.Camera)
	d.Sensor = randomSensor(r, d, g)
	d.Traces = Traces{Dust: between(r, 2, 25), Hairlines: between(r, 1, 10), Smudges: between(r, 0.1, 2), Fluff: between(r, 0.02, 1)}
	if !g.Clean {
		d.randomFindings(r, g)
	}
	if !g.Tidy && r.Float64() < 0.25 {
		d.randomMess(r)
	}
	return d
}

func choose[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

func logBetween(r *rand.Rand, lo, hi float64) float64 {
	return math.Exp(between(r, math.Log(lo), math.Log(hi)))
}

func randomSleeve(r *rand.Rand, g Ranges) Sleeve {
	finishes := g.Finishes
	if finishes == nil {
		finishes = []Finish{Matte, Matte, Satin, Gloss}
	}
	s := Sleeve{Finish: choose(r, finishes)}
	switch r.IntN(5) {
	case 0, 1:
		s.WidthMM, s.HeightMM = 66, 91
	case 2:
		s.WidthMM, s.HeightMM = 62, 89
	case 3:
		s.WidthMM, s.HeightMM = between(r, 60, 69), between(r, 86, 94)
	default:
		s.WidthMM, s.HeightMM = 66.5, 92
	}
	s.SizeJitterMM = between(r, 0.01, 0.08)
	s.CornerRadiusMM = between(r, 0.5, 3)
	s.ThicknessMM = between(r, 0.45, 0.8)
	s.BowMM = between(r, 0.05, 0.6)
	s.PrintJitterMM = between(r, 0.02, 0.1)
	s.OuterClear = r.Float64() < 0.08
	if r.Float64() < 0.7 {
		s.Colour = choose(r, []Colour{Black, Black, White, Grey, Blue, Pink, Red, Green, Purple, Yellow, Ivory, Oak})
	} else {
		s.Colour = Colour(fmt.Sprintf("#%02x%02x%02x", 20+r.IntN(215), 20+r.IntN(215), 20+r.IntN(215)))
	}
	styles := g.Styles
	if styles == nil {
		styles = ArtStyles()
		styles = append(styles, make([]ArtStyle, len(styles))...) // as many plain ones
	}
	s.Art.Style = choose(r, styles)
	if s.Art.Style != "" {
		s.Art.Symmetric = r.Float64() < 0.4
		if r.Float64() < 0.35 {
			s.Art.BorderMM = between(r, 1, 5)
			s.Art.Border = choose(r, []Colour{White, Black, Ivory, Yellow})
		}
		if r.Float64() < 0.15 {
			s.Unsleeved = true
			s.OuterClear = false
			s.WidthMM, s.HeightMM, s.CornerRadiusMM, s.ThicknessMM = 63, 88, between(r, 2.5, 3.3), 0.3
			if r.Float64() < 0.4 {
				s.WidthMM, s.HeightMM = 59, 86
			}
		}
	}
	return s
}

func randomTable(r *rand.Rand, g Ranges) Table {
	tables := g.Tables
	if tables == nil {
		tables = TableKinds()
	}
	t := Table{Kind: choose(r, tables), Strength: between(r, 0.5, 1.4)}
	switch t.Kind {
	case Plain:
		t.Colour = choose(r, []Colour{Grey, Black, White, "#4a4c50", "#b9b2a4", "#2d4a6b"})
	case Playmat:
		t.Colour = choose(r, []Colour{"#26272a", "#1a1a1c", "#3a3b40", "#2a2f45"})
	case Felt:
		t.Colour = choose(r, []Colour{"#2c5a3c", "#26334d", "#5a2630", "#2b2b2d", "#8a8478"})
	case Wood:
		t.Colour = choose(r, []Colour{"#b08a5c", "#4a3222", "#c9ab80", "#7a5332", "#d8c8a8"})
	case PrintedMat:
		t.Colour = choose(r, []Colour{"#3a4a6a", "#6a3a3a", "#202428", "#a89a80", "#2a5a58"})
	case Carpet:
		t.Colour = choose(r, []Colour{"#7a6a5e", "#4a5260", "#6a2c30", "#9a958a"})
	}
	return t
}

func randomCamera(r *rand.Rand, g Ranges) Camera {
	limit := g.MaxPixels
	if limit == 0 {
		limit = 1920 * 1080
	}
	var sizes [][2]int
	for _, s := range [][2]int{{640, 480}, {1280, 720}, {1280, 720}, {1280, 960}, {1920, 1080}, {1920, 1080}, {2592, 1944}, {4000, 3000}} {
		if s[0]*s[1] <= limit {
			sizes = append(sizes, s)
		}
	}
	if sizes == nil {
		sizes = [][2]int{{640, 480}}
	}
	s := choose(r, sizes)
	tilt := g.MaxTiltDeg
	if tilt == 0 {
		tilt = 12
	}
	c := Camera{WidthPx: s[0], HeightPx: s[1],
		DistanceMM: between(r, 300, 650),
		// The sleeve's height fills 50 to 78% of the frame's.
		PxPerMM: float64(s[1]) / 91 * between(r, 0.5, 0.78),
		// Squared: most stations are set up with care.
		TiltDeg: tilt * sq(r.Float64()), TiltTowardsDeg: 360 * r.Float64(), RollDeg: 2 * r.NormFloat64(),
		K1: between(r, -0.22, 0.06), K2: between(r, -0.02, 0.1), P1: 0.0006 * r.NormFloat64(), P2: 0.0006 * r.NormFloat64(),
		CentreXPx: 0.008 * float64(s[0]) * r.NormFloat64(), CentreYPx: 0.008 * float64(s[1]) * r.NormFloat64()}
	return c
}

func randomLight(r *rand.Rand, gloss bool, c Camera) Light {
	warm, cold := [3]float64{1.06, 1, 0.86}, [3]float64{0.93, 1, 1.1}
	tint := func() [3]float64 { return mixed(warm, cold, r.Float64()) }
	l := Light{Ambient: between(r, 0.15, 0.6)}
	// Where a lamp is mirrored on the table: glossy stations keep that spot
	// off the middle, three times in four.
	clear := func(p Lamp) bool {
		k := c.DistanceMM / (c.DistanceMM + p.AtMM[2])
		reach := math.Hypot(p.SizeMM[0], p.SizeMM[1]) / 2
		return (math.Hypot(p.AtMM[0], p.AtMM[1])-reach)*k > 60
	}
	around := func(elevationLo, elevationHi, far, size float64) Lamp {
		for try := 0; ; try++ {
			e, a := between(r, elevationLo, elevationHi)*math.Pi/180, 2*math.Pi*r.Float64()
			p := Lamp{AtMM: [3]float64{far * math.Cos(e) * math.Cos(a), far * math.Cos(e) * math.Sin(a), far * math.Sin(e)},
				SizeMM: [2]float64{size * between(r, 0.5, 1.5), size * between(r, 0.5, 1.5)}, Power: between(r, 0.5, 1.5), Tint: tint()}
			if !gloss || clear(p) || try > 20 || r.Float64() < 0.08 {
				return p
			}
		}
	}
	switch r.IntN(5) {
	case 0: // one soft panel
		l.Lamps = []Lamp{around(35, 70, between(r, 700, 1600), between(r, 250, 700))}
	case 1: // two panels
		a := around(35, 60, between(r, 600, 1200), between(r, 200, 500))
		b := a
		b.AtMM[0], b.AtMM[1] = -a.AtMM[0]*between(r, 0.7, 1.3), -a.AtMM[1]*between(r, 0.7, 1.3)
		l.Lamps = []Lamp{a, b}
	case 2: // a ceiling of panels
		for range 3 + r.IntN(4) {
			l.Lamps = append(l.Lamps, around(50, 85, between(r, 1800, 2600), 600))
		}
	case 3: // a desk lamp: near and small, a strong gradient
		l.Lamps = []Lamp{around(35, 65, between(r, 380, 650), between(r, 60, 160))}
		l.Ambient = between(r, 0.1, 0.35)
	default: // a window at the side
		p := around(22, 40, between(r, 1500, 2500), 1200)
		p.Tint = cold
		l.Lamps = []Lamp{p}
	}
	return l
}

func randomSensor(r *rand.Rand, d Deck, g Ranges) Sensor {
	// What the camera's own exposure does: the lighter of card and table
	// comes out light.
	table, _ := d.Table.withDefaults().Colour.linear()
	sleeve, _ := d.Sleeve.withDefaults().Colour.linear()
	bright := math.Max(table[1], math.Max(sleeve[1], 0.85*math.Max(sleeve[0], sleeve[2])))
	if d.Sleeve.Art.Style != "" {
		bright = math.Max(bright, 0.5)
	}
	s := Sensor{
		Exposure:      clamp(between(r, 0.5, 0.8)/math.Max(bright, 0.2), 0.5, 2.5),
		ExposureDrift: between(r, 0.002, 0.03), WhiteDrift: between(r, 0.001, 0.012),
		RedGain: 1 + 0.05*r.NormFloat64(), BlueGain: 1 + 0.05*r.NormFloat64(),
		BlurPx: between(r, 0.45, 1.1), Vignetting: between(r, 0.02, 0.3),
		FullWell: logBetween(r, 3000, 20000), ReadNoise: logBetween(r, 0.0006, 0.004),
		JPEGQuality: 78 + r.IntN(20),
	}
	s.Mosaic = r.Float64() < 0.5
	if r.Float64() < 0.4 {
		s.Sharpen = between(r, 0.1, 0.8)
	}
	if !g.Tidy && r.Float64() < 0.1 {
		s.BlurDriftPx = between(r, 0.1, 0.6)
	}
	return s
}

// some draws n different cards.
func some(r *rand.Rand, cards, n int) []int {
	p := r.Perm(cards)[:min(n, cards)]
	slices.Sort(p)
	return p
}

// RandomMark draws a mark of any kind for a sleeve of the given size: sizes
// and contrasts are spread evenly on a logarithmic scale from what only a
// camera sees to what nobody overlooks.
func RandomMark(r *rand.Rand, widthMM, heightMM float64) Mark {
	m := Mark{Kind: choose(r, []Kind{PenDot, PenDot, PenLine, Scratch, Dent, Crease, Stain, CornerWear, EdgeWear, Nick}),
		WhereMM:  plane.Point{X: between(r, 5, widthMM-5), Y: between(r, 5, heightMM-5)},
		AngleDeg: between(r, 0, 180), DeltaE: logBetween(r, 4, 45)}
	switch m.Kind {
	case PenDot:
		m.SizeMM = logBetween(r, 0.3, 2)
	case PenLine:
		m.SizeMM, m.WidthMM = logBetween(r, 2, 12), between(r, 0.3, 0.8)
	case Scratch:
		m.SizeMM, m.WidthMM = logBetween(r, 4, 25), between(r, 0.08, 0.25)
	case Dent:
		m.SizeMM = logBetween(r, 2, 7)
	case Crease:
		m.SizeMM = logBetween(r, 8, 30)
	case Stain:
		m.SizeMM = logBetween(r, 3, 14)
	case CornerWear:
		m.SizeMM, m.Corner = between(r, 1.5, 5), choose(r, []string{"TL", "TR", "BR", "BL"})
	case EdgeWear:
		m.SizeMM = between(r, 4, 30)
	case Nick:
		m.SizeMM = between(r, 0.8, 3)
		if r.Float64() < 0.5 {
			m.Corner = choose(r, []string{"TL", "TR", "BR", "BL"})
		}
	}
	return m
}

// Gallery puts marks of one kind, size and contrast on count different cards
// of the base deck, at random places and angles: the decks from which recall
// by kind, size and contrast is read. The base's own marks stay.
func Gallery(base Deck, kind Kind, sizeMM, deltaE float64, count int) Deck {
	d := base
	d.Name = fmt.Sprintf("gallery_%s_%gmm_dE%g_%d", kind, sizeMM, deltaE, base.Seed)
	full, err := base.withDefaults()
	if err != nil {
		return d // New will say what is wrong
	}
	r := stream(base.Seed, streamSpec, 1)
	d.Marks = slices.Clone(base.Marks)
	for _, i := range some(r, full.Cards, count) {
		m := RandomMark(r, full.Sleeve.WidthMM, full.Sleeve.HeightMM)
		m.Kind, m.SizeMM, m.DeltaE, m.WidthMM, m.Corner, m.Cards = kind, sizeMM, deltaE, 0, "", []int{i}
		if kind == CornerWear || kind == Nick {
			m.Corner = choose(r, []string{"TL", "TR", "BR", "BL"})
		}
		d.Marks = append(d.Marks, m)
	}
	return d
}

func (d *Deck) randomFindings(r *rand.Rand, g Ranges) {
	limit := g.MaxMarks
	if limit == 0 {
		limit = 6
	}
	for range r.IntN(limit + 1) {
		m := RandomMark(r, d.Sleeve.WidthMM, d.Sleeve.HeightMM)
		m.Cards = some(r, d.Cards, 1)
		if r.Float64() < 0.2 {
			m.Cards = some(r, d.Cards, 2+r.IntN(max(1, d.Cards/2)))
		}
		d.Marks = append(d.Marks, m)
	}
	// A print that looks the same from both ends cannot be seen turned, and a
	// plain sleeve nearly so.
	if d.Sleeve.Art.Style != "" && !d.Sleeve.Art.Symmetric && r.Float64() < 0.3 {
		d.Turned = some(r, d.Cards, 1+r.IntN(max(1, d.Cards/2-1)))
	}
	if r.Float64() < 0.25 {
		used := some(r, d.Cards, 1+r.IntN(max(1, d.Cards/2-1)))
		shift := logBetween(r, 1.5, 8)
		a, b, c := r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
		n := shift / math.Sqrt(a*a+b*b+c*c)
		d.Batches = []Batch{{Cards: used, DeltaL: a * n, DeltaA: b * n, DeltaB: c * n}}
	}
	if r.Float64() < 0.15 {
		o := Odd{Cards: some(r, d.Cards, 1+r.IntN(2))}
		switch {
		case d.Sleeve.Art.Style != "" && r.Float64() < 0.5:
			a := 2 * math.Pi * r.Float64()
			o.PrintMM = plane.Point{X: math.Cos(a), Y: math.Sin(a)}.Mul(between(r, 0.4, 1.5))
		case r.Float64() < 0.8:
			o.AddMM = plane.Point{X: between(r, -1, 1), Y: between(r, 0.4, 1.5)}
		default:
			s := randomSleeve(r, g)
			o.Design = &s
		}
		d.Odd = []Odd{o}
	}
}

func (d *Deck) randomMess(r *rand.Rand) {
	frames := (d.Cards + d.Layout.perFrame() - 1) / d.Layout.perFrame()
	if r.Float64() < 0.5 {
		d.Empty = 1 + r.IntN(2)
	}
	if r.Float64() < 0.5 {
		d.Hands = some(r, frames, 1+r.IntN(3))
	}
	if !d.Layout.grid() {
		if r.Float64() < 0.3 {
			d.Cut = some(r, d.Cards, 1)
		}
		half := float64(d.Camera.WidthPx) / d.Camera.PxPerMM / 2
		for range r.IntN(3) {
			side := math.Copysign(1, r.Float64()-0.5)
			d.Aliens = append(d.Aliens, Alien{Kind: choose(r, AlienKinds()),
				AtMM: plane.Point{X: side * (half - between(r, -20, 15)), Y: between(r, -40, 40)}, AngleDeg: 360 * r.Float64()})
		}
	}
}
