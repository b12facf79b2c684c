package shuffle

import (
	"fmt"
	"html"
	"html/template"
	"strconv"
	"strings"

	"fairdeck/internal/locale"
	"fairdeck/randomness"
)

// palette is that of Okabe and Ito, which people with any colour vision can tell apart.
var palette = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a7a00", "#5d3a9b"}

const (
	unreadColour = "#bbbbbb"
	inkColour    = "#444444"
	markColour   = "#d55e00"
)

// drawing collects SVG elements.
type drawing struct {
	b    strings.Builder
	w, h float64
}

func (d *drawing) add(format string, args ...any) { fmt.Fprintf(&d.b, format+"\n", args...) }

func (d *drawing) text(x, y float64, anchor, s string) {
	d.add(`<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>`, x, y, anchor, html.EscapeString(s))
}

// done closes the picture; title is read out to people who do not see it.
func (d *drawing) done(title string) template.HTML {
	return template.HTML(fmt.Sprintf(`<svg viewBox="0 0 %.0f %.0f" role="img" aria-label="%s">`+"\n%s</svg>", d.w, d.h, html.EscapeString(title), d.b.String()))
}

// dotPlot shows where each card went: place before to the right, place after downward, top of the
// deck at the top left. Each rising sequence has one colour; few long strands are few riffles, a
// cloud is a mixed deck.
func dotPlot(p *randomness.PlotData, w words) template.HTML {
	n := len(p.Dots)
	const left, top, size = 46.0, 14.0, 420.0
	d := drawing{w: left + size + 14, h: top + size + 42}
	d.add(`<rect x="%.0f" y="%.0f" width="%.0f" height="%.0f" fill="#fafafa" stroke="#cccccc"/>`, left, top, size, size)
	step := size / float64(n)
	at := func(i int) float64 { return (float64(i) + .5) * step }
	prev := -1
	for i, pos := range p.Dots {
		if pos < 0 {
			continue
		}
		colour := palette[p.Strand[i]%len(palette)]
		if prev >= 0 && p.Strand[prev] == p.Strand[i] {
			d.add(`<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s" stroke-width="1" opacity=".5"/>`,
				left+at(prev), top+at(p.Dots[prev]), left+at(i), top+at(pos), colour)
		}
		d.add(`<circle cx="%.1f" cy="%.1f" r="%.1f" fill="%s"/>`, left+at(i), top+at(pos), min(4, .45*step), colour)
		prev = i
	}
	for _, k := range ticks(n) {
		d.text(left+at(k-1), top+size+15, "middle", fmt.Sprint(k))
		d.text(left-6, top+at(k-1)+4, "end", fmt.Sprint(k))
	}
	d.text(left+size/2, top+size+34, "middle", w.Text("shuffle.place-before", nil))
	d.add(`<text transform="translate(12 %.1f) rotate(-90)" text-anchor="middle">%s</text>`, top+size/2, html.EscapeString(w.Text("shuffle.place-after", nil)))
	return d.done(w.Text("shuffle.dots", nil))
}

// ticks picks about six round places from 1 to n.
func ticks(n int) []int {
	step := 1
	for _, s := range []int{1, 2, 5, 10, 20, 50} {
		step = s
		if n/s <= 6 {
			break
		}
	}
	out := []int{1}
	for k := step; k <= n; k += step {
		if k > 1 {
			out = append(out, k)
		}
	}
	return out
}

// strip shows the order after as a row of cards, coloured by class, or by face where there are no
// classes and copies exist.
func strip(p *randomness.PlotData, w words) (picture template.HTML, legend []Legend) {
	n := len(p.Face)
	keys := p.Class
	if keys == nil {
		count := map[string]int{}
		for _, f := range p.Face {
			count[f]++
		}
		keys = make([]string, n)
		for i, f := range p.Face {
			if count[f] > 1 {
				keys[i] = f
			}
		}
	}
	colour := map[string]string{"": unreadColour}
	for i, k := range keys {
		if _, ok := colour[k]; !ok && p.Face[i] != randomness.Gap {
			colour[k] = palette[(len(colour)-1)%len(palette)]
			legend = append(legend, Legend{colour[k], k})
		}
	}
	const width, height = 1040.0, 40.0
	d := drawing{w: width, h: height + 20}
	step := width / float64(n)
	for i := range p.Face {
		c := colour[keys[i]]
		if p.Face[i] == randomness.Gap {
			c = "#ffffff"
		}
		name := p.Face[i]
		if name == randomness.Gap {
			name = w.Text("shuffle.not-read", nil)
		}
		d.add(`<rect x="%.2f" y="0" width="%.2f" height="%.0f" fill="%s" stroke="#ffffff"><title>%d: %s</title></rect>`, float64(i)*step, step, height, c, i+1, html.EscapeString(name))
	}
	for _, k := range ticks(n) {
		d.text((float64(k)-.5)*step, height+15, "middle", fmt.Sprint(k))
	}
	if len(legend) > len(palette) {
		legend = nil // colours repeat; the titles of the cards tell the faces
	}
	return d.done(w.Text("shuffle.strip", nil)), legend
}

// Legend explains a colour.
type Legend struct{ Colour, Text string }

// Style is the colour as a safe style attribute.
func (l Legend) Style() template.CSS { return template.CSS("background:" + l.Colour) }

// lawPlot shows what fair shuffles give for a count, and where this deck lies.
func lawPlot(c randomness.Count, w words) template.HTML {
	const width, height, left, bottom = 330.0, 120.0, 8.0, 22.0
	// The law between its 1-in-2,000 ends, and the observed value.
	lo, hi := len(c.Law)-1, 0
	for i, v := range c.Law {
		if v > .0005 {
			lo, hi = min(lo, i), max(hi, i)
		}
	}
	from, to := min(c.From+lo, c.Observed), max(c.From+hi, c.Observed)
	top := 0.0
	for _, v := range c.Law {
		top = max(top, v)
	}
	d := drawing{w: width, h: height + bottom}
	step := (width - 2*left) / float64(to-from+1)
	for v := from; v <= to; v++ {
		p := 0.0
		if i := v - c.From; i >= 0 && i < len(c.Law) {
			p = c.Law[i]
		}
		h := p / top * (height - 26)
		d.add(`<rect x="%.1f" y="%.1f" width="%.2f" height="%.1f" fill="#9db7c9"/>`, left+float64(v-from)*step, height-h, max(step-.6, .6), h)
	}
	d.add(`<line x1="%.0f" y1="%.0f" x2="%.0f" y2="%.0f" stroke="%s"/>`, left, height, width-left, height, inkColour)
	x := left + (float64(c.Observed-from)+.5)*step
	d.add(`<line x1="%.1f" y1="18" x2="%.1f" y2="%.0f" stroke="%s" stroke-width="2.5"/>`, x, x, height, markColour)
	anchor, tx := "middle", x
	if x < 50 {
		anchor, tx = "start", left
	} else if x > width-50 {
		anchor, tx = "end", width-left
	}
	d.add(`<text x="%.1f" y="13" text-anchor="%s" fill="%s" font-weight="bold">%s</text>`, tx, anchor, markColour, html.EscapeString(w.Text("shuffle.here", locale.Args{"n": countValue(c, c.Observed)})))
	every := max(c.Scale, 1) // whole ones of what is counted
	for _, k := range []int{1, 2, 5, 10, 20, 50} {
		if every = k * max(c.Scale, 1); (to-from)/every <= 7 {
			break
		}
	}
	for v := (from + every - 1) / every * every; v <= to; v += every {
		d.text(left+(float64(v-from)+.5)*step, height+15, "middle", fmt.Sprint(v/max(c.Scale, 1)))
	}
	return d.done(w.said(c.Text))
}

// countValue writes a value in the unit that the count names.
func countValue(c randomness.Count, v int) string {
	if c.Scale > 1 {
		return fmt.Sprintf("%.1f", float64(v)/float64(c.Scale))
	}
	return fmt.Sprint(v)
}

// powerPlot shows how often a shuffle like this would be noticed in a deck like this.
func powerPlot(ps []randomness.Power, w words) template.HTML {
	const width, height, left = 520.0, 220.0, 46.0
	n := len(ps)
	riffles, long := true, false
	for _, p := range ps {
		_, err := strconv.Atoi(strings.TrimPrefix(p.Model, "riffle:"))
		riffles = riffles && err == nil
		long = long || len(p.Model) > 3
	}
	bottom := 34.0
	if !riffles && long {
		bottom = 110 // room for slanted names
	}
	d := drawing{w: width, h: height + bottom}
	x := func(i int) float64 { return left + (float64(i)+.5)*(width-left-10)/float64(n) }
	y := func(v float64) float64 { return 12 + (1-v)*(height-24) }
	for _, v := range []float64{0, .25, .5, .75, 1} {
		d.add(`<line x1="%.0f" y1="%.1f" x2="%.0f" y2="%.1f" stroke="#e2e2e2"/>`, left, y(v), width-10, y(v))
		d.text(left-6, y(v)+4, "end", fmt.Sprintf("%.0f%%", 100*v))
	}
	line := func(f func(randomness.Power) float64, colour string) {
		var pts []string
		for i, p := range ps {
			pts = append(pts, fmt.Sprintf("%.1f,%.1f", x(i), y(f(p))))
			d.add(`<circle cx="%.1f" cy="%.1f" r="3.5" fill="%s"><title>%s: %.1f%%</title></circle>`, x(i), y(f(p)), colour, html.EscapeString(p.Model), 100*f(p))
		}
		if riffles { // between different shuffles there is nothing to join
			d.add(`<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>`, strings.Join(pts, " "), colour)
		}
	}
	line(func(p randomness.Power) float64 { return p.Questionable }, palette[4])
	line(func(p randomness.Power) float64 { return p.Insufficient }, palette[1])
	for i, p := range ps {
		label := p.Model
		switch {
		case riffles:
			d.text(x(i), height+8, "middle", strings.TrimPrefix(label, "riffle:"))
		case long:
			d.add(`<text transform="translate(%.1f %.1f) rotate(-35)" text-anchor="end">%s</text>`, x(i)+4, height+8, html.EscapeString(label))
		default:
			d.text(x(i), height+8, "middle", label)
		}
	}
	if riffles {
		d.text((width+left)/2, height+28, "middle", w.Text("shuffle.riffles", nil))
	}
	return d.done(w.Text("shuffle.noticed", nil))
}
