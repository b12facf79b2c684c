package visiontest

import (
	"math"
	"math/rand/v2"
	"strings"

	"fairdeck/vision/plane"
)

// region is a rectangle on the card in mm from its top-left corner.
type region struct{ x0, y0, x1, y1 float64 }

func (a region) inside(x, y float64) bool { return x >= a.x0 && x < a.x1 && y >= a.y0 && y < a.y1 }

// faceLayout is where the parts of a game's faces are.
type faceLayout struct {
	art, name, kind, text, number region
	ink                           [3]float64 // of name and text
	paper                         float64    // how far text boxes are lightened, 0 to 1
}

func (g Game) layout() faceLayout {
	r := stream(g.Seed, streamFace, 1)
	w, h := g.WideMM, g.HighMM
	in := between(r, 3, 4.5)
	dark, light := [3]float64{0.015, 0.015, 0.015}, [3]float64{0.8, 0.8, 0.78}
	l := faceLayout{ink: dark, paper: between(r, 0.55, 0.85)}
	if r.Float64() < 0.3 {
		l.ink, l.paper = light, -0.6
	}
	switch g.Style {
	case Framed:
		l.name = region{in + 1, in + 0.8, w - in - 1, in + 6}
		split := h * between(r, 0.52, 0.58)
		l.art = region{in + 1.5, in + 7, w - in - 1.5, split}
		l.kind = region{in + 1, split + 0.8, w - in - 1, split + 5.4}
		l.text = region{in + 1.5, split + 6.2, w - in - 1.5, h - in - 5}
		l.number = region{w - in - 12, h - in - 5.6, w - in - 0.5, h - in - 0.4}
	case Scroll:
		l.name = region{in, in, w - in - 6, in + 6}
		side := w - 2*in - 7
		l.art = region{in + 3.5, in + 12, w - in - 3.5, in + 12 + side}
		l.kind = region{in + 1, in + 6.8, w - in - 1, in + 11}
		l.text = region{in, l.art.y1 + 2, w - in, h - in - 1}
		l.number = region{w - in - 26, h - in - 5, w - in - 0.5, h - in - 1}
	case FullArt:
		in *= 0.5
		l.art = region{in, in, w - in, h - in}
		l.name = region{in + 4, h - in - 13, w - in - 4, h - in - 7.6}
		l.kind = region{in + 1, in + 1, in + 9, in + 9}
		l.text = region{in + 2, h - in - 29, w - in - 2, h - in - 14}
		l.number = region{w - in - 22, h - in - 7, w - in - 1, h - in - 1}
	}
	return l
}

// frameColour is the colour that a class's cards have.
func (g Game) frameColour(class string) [3]float64 {
	r := stream(g.Seed, streamFace, 2)
	hue := r.Float64()
	for _, c := range g.Classes {
		k := fromHSV(hue, between(r, 0.25, 0.7), between(r, 0.35, 0.8))
		if c == class {
			return k
		}
		hue += 1/float64(len(g.Classes)) + between(r, -0.05, 0.05)
	}
	return [3]float64{0.3, 0.3, 0.3}
}

// NameMM is where a game prints names, on the card.
func (g Game) NameMM() (lo, hi plane.Point) {
	n := g.layout().name
	return plane.Point{X: n.x0, Y: n.y0}, plane.Point{X: n.x1, Y: n.y1}
}

// paintFace prints a face onto a texture that covers the sleeve, the card in
// its middle; around it the sleeve's own film shows.
func paintFace(g Game, f Face, sleeve Sleeve, film [3]float64, pxPerMM float64) (*texture, error) {
	border, err := g.Border.linear()
	if err != nil {
		return nil, err
	}
	t := newTexture(-bleedMM, -bleedMM, sleeve.WidthMM+bleedMM, sleeve.HeightMM+bleedMM, pxPerMM)
	ox, oy := (sleeve.WidthMM-g.WideMM)/2, (sleeve.HeightMM-g.HighMM)/2
	fp := 1 / pxPerMM
	edge := newBlot(g.WideMM/2, g.HighMM/2, 0, g.WideMM, g.HighMM, 3, 0, [3]float64{}, 1)
	p := newFacePainter(g, f, t.width, t.height, pxPerMM, ox+bleedMM, oy+bleedMM)
	for j := range t.height {
		for i := range t.width {
			x, y := t.left+float64(i)*fp-ox, t.top+float64(j)*fp-oy
			c := film
			if k := edge.cover(x, y, fp); k > 0 {
				in := border
				p.at(x, y, fp, &in)
				p.letters(i, j, &in)
				c = mixed(c, in, k)
			}
			for n := range 3 {
				t.pix[3*(j*t.width+i)+n] = float32(clamp(c[n], 0.008, 0.88))
			}
		}
	}
	return t, nil
}

// facePainter knows the colour of every place of one face.
type facePainter struct {
	faceLayout
	g     Game
	frame [3]float64
	inner blot // the frame inside the border
	grain uint32
	art   *design
	flat  blots // signs, costs, stars
	words []*lettering
}

func newFacePainter(g Game, f Face, w, h int, pxPerMM, left, top float64) *facePainter {
	p := &facePainter{faceLayout: g.layout(), g: g, frame: g.frameColour(f.Class)}
	r := stream(f.Seed, streamFace, 3)
	p.grain = uint32(stream(g.Seed, streamFace, 4).Uint64())
	inset := 2 * between(stream(g.Seed, streamFace, 5), 1.2, 1.6)
	p.inner = newBlot(g.WideMM/2, g.HighMM/2, 0, g.WideMM-2*inset, g.HighMM-2*inset, 1.5, 0, p.frame, 1)
	if g.Style == Symbols {
		p.signs(f)
		return p
	}
	p.art = &design{w: p.faceLayout.art.x1 - p.faceLayout.art.x0, h: p.faceLayout.art.y1 - p.faceLayout.art.y0}
	ground := fromHSV(r.Float64(), between(r, 0.1, 0.8), between(r, 0.2, 0.9))
	draw := []func(*design, *rand.Rand, [3]float64){drawPortrait, drawPortrait, drawLandscape, drawLandscape, drawEmblem, drawGeometric, drawRosette}
	draw[r.IntN(len(draw))](p.art, r, ground)
	p.art.shapes.bin(-p.art.w/2-1, -p.art.h/2-1, p.art.w/2+1, p.art.h/2+1)

	ink := newLettering(w, h, pxPerMM, p.ink)
	write := func(s string, tf typeface, a region, size, shift float64) {
		ink.write(s, tf, left+a.x0+1+shift, top+a.y1-(a.y1-a.y0-size*0.7)/2, size, a.x1-a.x0-2-shift)
	}
	nameInk := newLettering(w, h, pxPerMM, p.ink)
	if g.Style == FullArt {
		nameInk.colour = [3]float64{0.02, 0.02, 0.02}
	}
	switch g.Style {
	case Framed:
		write(f.Name, bold, p.name, 3.6, 0)
		for k := range r.IntN(4) {
			p.flat.add(p.name.x1-2.4-3.4*float64(k), (p.name.y0+p.name.y1)/2, 0, 3, 3, 1.5, 0, palette(r, 3)[k%3], 1)
		}
		write(strings.ToUpper(f.Class[:1])+f.Class[1:]+" - "+word(r), bold, p.kind, 2.7, 0)
		write(f.Number, bold, p.number, 3.8, 1)
	case Scroll:
		write(f.Name, bold, p.name, 3.8, 0)
		for k := range 1 + r.IntN(8) {
			p.flat.add(p.kind.x1-2.2-3.6*float64(k), (p.kind.y0+p.kind.y1)/2, 0, 3.2, 3.2, 1.6, 0, [3]float64{0.7, 0.45, 0.05}, 1)
		}
		p.flat.add(g.WideMM-7, p.name.y0+2.6, 0, 5.2, 5.2, 2.6, 0, scaled(p.frame, 0.4), 1)
		write("ATK/"+f.Number+"  DEF/"+number(r, g), bold, p.number, 2.5, 0)
	case FullArt:
		nameInk.write(f.Name, bold, left+p.name.x0+1, top+p.name.y1-1.5, 3.4, p.name.x1-p.name.x0-2)
		nameInk.write(f.Number, bold, left+p.number.x0+2, top+p.number.y1-1.2, 4.6, 0)
		nameInk.write(string(rune('0'+r.IntN(4))), bold, left+p.kind.x0+2, top+p.kind.y1-1.6, 7, 0)
	}
	p.rules(r, ink, left, top)
	small := newLettering(w, h, pxPerMM, p.ink)
	small.write("No. "+f.Code, regular, left+p.text.x0+1, top+g.HighMM-1.2-2, 1.5, 0)
	p.words = []*lettering{ink, nameInk, small}
	p.flat.bin(0, 0, g.WideMM, g.HighMM)
	return p
}

// rules fills the text box with lines of made-up words.
func (p *facePainter) rules(r *rand.Rand, ink *lettering, left, top float64) {
	size := between(r, 1.9, 2.6)
	tf := regular
	bottom := p.text.y1
	if p.g.Style == Scroll {
		bottom = p.number.y0
	}
	lines := 1 + r.IntN(max(1, int((bottom-p.text.y0-1)/(size*1.25))))
	for k := range lines {
		y := p.text.y0 + size*1.25*float64(k+1)
		if y > bottom-0.4 {
			break
		}
		if k > 2 && r.Float64() < 0.3 {
			tf = italic
		}
		var words []string
		for n := 0; n < int(2.1*(p.text.x1-p.text.x0)/size/1.1); {
			w := strings.ToLower(word(r))
			words = append(words, w)
			n += len(w) + 1
		}
		ink.write(strings.Join(words, " "), tf, left+p.text.x0+1, top+y, size, p.text.x1-p.text.x0-2)
	}
}

// at is the colour at (x, y) mm on the card, letters left out.
func (p *facePainter) at(x, y, fp float64, c *[3]float64) {
	k := p.inner.cover(x, y, fp)
	if k == 0 && !p.faceLayout.art.inside(x, y) {
		return
	}
	frame := scaled(p.frame, 1+0.12*fractal(x/5, y/5, fp/5, 5, 0.6, p.grain))
	if p.g.Style == Symbols {
		*c = mixed(*c, [3]float64{0.8, 0.8, 0.78}, k)
		p.flat.paint(x, y, fp, c)
		return
	}
	*c = mixed(*c, frame, k)
	if a := p.faceLayout.art; a.inside(x, y) {
		u, v := x-(a.x0+a.x1)/2, y-(a.y0+a.y1)/2
		*c = p.art.ground(u, v, fp)
		p.art.shapes.paint(u, v, fp, c)
	}
	for _, b := range []region{p.name, p.kind, p.text, p.number} {
		if !b.inside(x, y) {
			continue
		}
		to := [3]float64{0.82, 0.81, 0.76}
		if p.paper < 0 {
			to = [3]float64{0.03, 0.03, 0.035}
		}
		share := math.Abs(p.paper)
		if p.g.Style == FullArt {
			to, share = [3]float64{0.82, 0.81, 0.76}, 0.75
			if b == p.text {
				to, share = [3]float64{0.03, 0.03, 0.035}, 0.55
				if p.ink[0] < 0.5 {
					to = [3]float64{0.82, 0.81, 0.76}
				}
			}
		}
		*c = mixed(*c, to, share)
	}
	p.flat.paint(x, y, fp, c)
}

// letters prints what is written at texel (i, j).
func (p *facePainter) letters(i, j int, c *[3]float64) {
	for _, l := range p.words {
		if a := l.mask.Pix[j*l.mask.Stride+i]; a > 0 {
			*c = mixed(*c, l.colour, float64(a)/255)
		}
	}
}

// signs draws one to three equal signs: the face is their shape, colour,
// filling and number.
func (p *facePainter) signs(f Face) {
	k := int(f.Seed-1) % 81
	colour := [][3]float64{{0.55, 0.02, 0.03}, {0.02, 0.3, 0.06}, {0.14, 0.03, 0.3}}[k%3]
	shape, filling, n := k/3%3, k/9%3, 1+k/27
	for i := range n {
		y := p.g.HighMM/2 + 21*(float64(i)-float64(n-1)/2)
		wide, high, turn, radius := 34.0, 15.0, 0.0, []float64{7.5, 0.3, 0.3}[shape]
		if shape == 1 {
			wide, high, turn = 17, 17, math.Pi/4
		}
		add := func(w, h, line float64, c [3]float64, a float64) {
			p.flat.add(p.g.WideMM/2, y, turn, w, h, radius, line, c, a)
		}
		switch filling {
		case 0:
			add(wide, high, 0, colour, 1)
		case 1:
			add(wide, high, 0, colour, 0.3)
			add(wide, high, 1, colour, 1)
		default:
			add(wide, high, 1, colour, 1)
		}
	}
	p.flat.bin(0, 0, p.g.WideMM, p.g.HighMM)
}
