package visiontest

import (
	"fmt"
	"math"
	"strconv"
	"sync"

	"fairdeck/vision/colour"
)

// Colour is a colour under white light as "#rrggbb" (sRGB); "" asks for the
// default of the field.
type Colour string

// Colours that sleeves and inks are sold in.
const (
	Black  Colour = "#19191b"
	White  Colour = "#e8e8e4"
	Grey   Colour = "#8b8d90"
	Blue   Colour = "#27429c"
	Pink   Colour = "#e58bb0"
	Red    Colour = "#a61c28"
	Green  Colour = "#1f6b45"
	Purple Colour = "#4d2a78"
	Yellow Colour = "#e3bf35"
	Ivory  Colour = "#ded2b4"
	Oak    Colour = "#b58a58"
)

// linear returns the colour as linear light.
func (c Colour) linear() ([3]float64, error) {
	if len(c) != 7 || c[0] != '#' {
		return [3]float64{}, fmt.Errorf("visiontest: %q is not a colour like #19191b", string(c))
	}
	v, err := strconv.ParseUint(string(c[1:]), 16, 24)
	if err != nil {
		return [3]float64{}, fmt.Errorf("visiontest: %q is not a colour like #19191b", string(c))
	}
	return [3]float64{colour.Linear(uint8(v >> 16)), colour.Linear(uint8(v >> 8)), colour.Linear(uint8(v))}, nil
}

// Finish is how a sleeve's film reflects.
type Finish string

// Finishes. The zero value means Matte.
const (
	Matte Finish = "matte" // embossed film: a wide haze, visible grain
	Satin Finish = "satin"
	Gloss Finish = "gloss" // smooth film: lamps show as bright spots
)

// Sleeve describes the deck's sleeves. The zero value is a plain matte blue
// one of 66 x 91 mm.
type Sleeve struct {
	WidthMM, HeightMM float64 // 0 means 66 and 91
	// SizeJitterMM is the spread (sigma) of both sides; 0 means 0.04, a
	// negative number none.
	SizeJitterMM   float64
	CornerRadiusMM float64 // 0.5 to 3.5; 0 means 1
	ThicknessMM    float64 // of the sleeved card; 0 means 0.6
	// BowMM is the spread (sigma) of the middle's height over the ends; 0
	// means 0.3, a negative number none.
	BowMM  float64
	Colour Colour // "" means Blue; the ground of an art design
	Finish Finish
	Art    Art // zero: plain
	// PrintJitterMM is the benign spread (sigma) of the print against the
	// outline; 0 means 0.05, a negative number none.
	PrintJitterMM float64
	// OuterClear puts a clear outer sleeve around it, 1.2 mm larger on every
	// side; the outline is then the outer sleeve's.
	OuterClear bool
	// Unsleeved is a bare card: no seam, no film border, corner radius 3 and
	// thickness 0.3 by default.
	Unsleeved bool
}

func (s Sleeve) withDefaults() Sleeve {
	if s.WidthMM == 0 {
		s.WidthMM = 66
		if s.Unsleeved {
			s.WidthMM = 63
		}
	}
	if s.HeightMM == 0 {
		s.HeightMM = 91
		if s.Unsleeved {
			s.HeightMM = 88
		}
	}
	if s.CornerRadiusMM == 0 {
		s.CornerRadiusMM = 1
		if s.Unsleeved {
			s.CornerRadiusMM = 3
		}
	}
	if s.ThicknessMM == 0 {
		s.ThicknessMM = 0.6
		if s.Unsleeved {
			s.ThicknessMM = 0.3
		}
	}
	s.SizeJitterMM = defaulted(s.SizeJitterMM, 0.04)
	s.BowMM = defaulted(s.BowMM, 0.3)
	s.PrintJitterMM = defaulted(s.PrintJitterMM, 0.05)
	if s.Colour == "" {
		s.Colour = Blue
	}
	if s.Finish == "" {
		s.Finish = Matte
	}
	return s
}

// defaulted reads an option whose zero means the default and whose negative
// values mean none.
func defaulted(v, otherwise float64) float64 {
	switch {
	case v == 0:
		return otherwise
	case v < 0:
		return 0
	}
	return v
}

// look is a sleeve design made ready to shade; cards share it.
type look struct {
	plain     [3]float64
	print     *texture // nil: plain
	roughness float64
	grain     float64 // rms slope of the embossing
	mottle    float64 // relative spread of the film's own lightness
	bare      bool
	outer     bool
}

func newLook(s Sleeve, seed uint64, pxPerMM float64) (*look, error) {
	ground, err := s.Colour.linear()
	if err != nil {
		return nil, err
	}
	l := &look{plain: ground, bare: s.Unsleeved, outer: s.OuterClear, mottle: 0.006}
	switch s.Finish {
	case Matte:
		l.roughness, l.grain = 0.45, 0.05
	case Satin:
		l.roughness, l.grain = 0.2, 0.025
	case Gloss:
		l.roughness, l.grain = 0.05, 0.004
	default:
		return nil, fmt.Errorf("visiontest: unknown finish %q", s.Finish)
	}
	if s.Art.Style != "" {
		if l.print, err = paintArt(s, ground, seed, pxPerMM); err != nil {
			return nil, err
		}
		l.print.soften()
	}
	return l, nil
}

// texture is a linear-light RGB picture in millimetres, x right, y down.
type texture struct {
	width, height int
	left, top     float64 // mm of the centre of texel (0, 0)
	pxPerMM       float64
	pix           []float32 // 3 per texel
}

func newTexture(left, top, right, bottom, pxPerMM float64) *texture {
	t := &texture{left: left, top: top, pxPerMM: pxPerMM,
		width: int(math.Ceil((right-left)*pxPerMM)) + 1, height: int(math.Ceil((bottom-top)*pxPerMM)) + 1}
	t.pix = make([]float32, 3*t.width*t.height)
	return t
}

// at is the bilinear value at (u, v) mm; beyond the border the last texel goes on.
func (t *texture) at(u, v float64, out *[3]float64) {
	x, y := (u-t.left)*t.pxPerMM, (v-t.top)*t.pxPerMM
	x = clamp(x, 0, float64(t.width)-1.001)
	y = clamp(y, 0, float64(t.height)-1.001)
	i, j := int(x), int(y)
	fx, fy := float32(x-float64(i)), float32(y-float64(j))
	k := 3 * (j*t.width + i)
	p, q := t.pix[k:k+6:k+6], t.pix[k+3*t.width:k+3*t.width+6:k+3*t.width+6]
	for c := range 3 {
		a := p[c] + (p[c+3]-p[c])*fx
		b := q[c] + (q[c+3]-q[c])*fx
		out[c] += float64(a + (b-a)*fy)
	}
}

// soften prepares a texture of twice the camera's resolution for one bilinear
// look-up per pixel: (1 2 1)/4 along both axes is the box of one pixel.
func (t *texture) soften() {
	row := make([]float32, 3*t.width)
	for y := range t.height {
		p := t.pix[3*y*t.width:][:3*t.width]
		copy(row, p)
		for i := 3; i < len(p)-3; i++ {
			p[i] = (row[i-3] + 2*row[i] + row[i+3]) / 4
		}
	}
	above := make([]float32, 3*t.width)
	copy(above, t.pix)
	for y := 1; y < t.height-1; y++ {
		p, below := t.pix[3*y*t.width:][:3*t.width], t.pix[3*(y+1)*t.width:][:3*t.width]
		copy(row, p)
		for i := range p {
			p[i] = (above[i] + 2*row[i] + below[i]) / 4
		}
		above, row = row, above
	}
}

// emboss is a tile of the film's texture: two slopes and a lightness, each of
// range -1 to 1.
type emboss struct {
	tile [embossSide * embossSide][3]float32
}

const (
	embossSide = 512
	// embossMM is the grain of a matte film; four samples to a grain.
	embossMM = 0.35
)

func (e *emboss) at(u, v float64) [3]float32 {
	x, y := int(u*(4/embossMM)), int(v*(4/embossMM))
	return e.tile[(y&(embossSide-1))*embossSide+x&(embossSide-1)]
}

// embossing is the tile, made once; cards differ by where they start in it.
var embossing = sync.OnceValue(func() *emboss {
	e := new(emboss)
	wrap := func(x, y, size float64, seed uint32) float32 {
		// Blending with the neighbour tile makes the ends meet.
		n := embossSide * 1.0
		t := smoothstep(0.9*n, n, x)
		s := smoothstep(0.9*n, n, y)
		at := func(x, y float64) float64 { return noise(x/size, y/size, seed) }
		return float32((at(x, y)*(1-t)+at(x-n, y)*t)*(1-s) + (at(x, y-n)*(1-t)+at(x-n, y-n)*t)*s)
	}
	for y := range embossSide {
		for x := range embossSide {
			fx, fy := float64(x), float64(y)
			e.tile[y*embossSide+x] = [3]float32{wrap(fx, fy, 4, 1), wrap(fx, fy, 4, 2), wrap(fx, fy, 9, 3)}
		}
	}
	return e
})

// shape is one card's outline and height.
type shape struct {
	width, height, radius, thickness float64
	bow                              [3]float64
	lift                             float64 // so that the lowest place touches the table
	nicks                            []nick
}

// distance is the signed distance in mm to the outline, negative inside
// (rounded rectangle; Quilez's closed form), nicks taken out.
func (s *shape) distance(u, v float64) float64 {
	qx := math.Abs(u-s.width/2) - s.width/2 + s.radius
	qy := math.Abs(v-s.height/2) - s.height/2 + s.radius
	d := max(qx, qy)
	if qx > 0 && qy > 0 {
		d = math.Sqrt(qx*qx + qy*qy)
	}
	d -= s.radius
	for i := range s.nicks {
		d = max(d, s.nicks[i].distance(u, v))
	}
	return d
}

// surface is the height of the top surface over the table and its slopes.
func (s *shape) surface(u, v float64) (z, du, dv float64) {
	nx, ny := 2*u/s.width-1, 2*v/s.height-1
	z = s.thickness + s.lift + s.bow[0]*(1-ny*ny) + s.bow[1]*(1-nx*nx) + s.bow[2]*nx*ny
	du = (-2*s.bow[1]*nx + s.bow[2]*ny) * 2 / s.width
	dv = (-2*s.bow[0]*ny + s.bow[2]*nx) * 2 / s.height
	return z, du, dv
}

// settle lets the bowed card rest on the table.
func (s *shape) settle() {
	s.lift = 0
	low := math.Inf(1)
	for i := range 9 {
		for j := range 9 {
			z, _, _ := s.surface(s.width*float64(i)/8, s.height*float64(j)/8)
			low = min(low, z)
		}
	}
	s.lift = s.thickness - low
}
