package visiontest

import (
	"image"
	"math"
	"math/rand/v2"
	"sync"

	"fairdeck/vision/colour"
	"fairdeck/vision/frame"
	"fairdeck/vision/plane"
)

// dealWeather is what changes over the deal without anything moving.
type dealWeather struct {
	shutter   float64 // share of the longest
	steps     []lightStepAt
	refocus   []pulse
	shadows   []leaner
	flicker   float64
	beat      float64 // Hz
	bandPx    float64
	bandSpeed float64
	white     [2]float64 // amplitude of red and blue
	whiteHz   float64
}

type lightStepAt struct{ at, gain float64 }

type pulse struct{ at, seconds, sigma float64 }

// leaner is a person whose shadow crosses the table.
type leaner struct {
	at, seconds float64
	from, to    plane.Point
	radius      float64
	soft        float64
	depth       float64
}

func newWeather(d Deal, p *dealPlan) *dealWeather {
	r := stream(d.Deck.Seed, streamDeal, 5)
	w := &dealWeather{shutter: between(r, 0.3, 1), flicker: d.Flicker, beat: between(r, 0.2, 9), bandPx: between(r, 150, 900), bandSpeed: between(r, -3, 3),
		white: [2]float64{d.WhiteDrift * r.NormFloat64(), d.WhiteDrift * r.NormFloat64()}, whiteHz: between(r, 0.01, 0.1)}
	count := func(perMinute float64) int { return int(perMinute*p.end/60 + r.Float64()) }
	tell := func(t float64, kind string) {
		p.truth.Events = append(p.truth.Events, DealEvent{At: round(t, 4), Kind: kind, Card: -1})
	}
	for range count(d.StepsPerMinute) {
		s := lightStepAt{at: between(r, 0, p.end), gain: 1 + between(r, -1, 1)*d.ExposureStep}
		w.steps = append(w.steps, s)
		tell(s.at, "exposure")
	}
	for range count(d.RefocusPerMinute) {
		s := pulse{at: between(r, 0, p.end), seconds: between(r, 0.3, 1), sigma: between(r, 0.8, 3)}
		w.refocus = append(w.refocus, s)
		tell(s.at, "refocus")
	}
	for range count(d.ShadowsPerMinute) {
		a := 2 * math.Pi * r.Float64()
		s := leaner{at: between(r, 0, p.end), seconds: between(r, 1, 4), radius: between(r, 150, 300), soft: between(r, 60, 200), depth: between(r, 0.08, 0.35)}
		far := s.radius + s.soft + 200
		s.from = plane.Point{X: far * math.Cos(a), Y: far * math.Sin(a)}
		s.to = s.from.Mul(-between(r, -0.4, 0.4))
		w.shadows = append(w.shadows, s)
		tell(s.at, "shadow")
	}
	return w
}

// gain is the exposure at time t.
func (w *dealWeather) gain(t float64) float64 {
	g := 1.0
	for _, s := range w.steps {
		// An automatic exposure takes about a fifth of a second.
		g *= 1 + (s.gain-1)*ease((t-s.at)/0.2)
	}
	return clamp(g, 0.6, 1.6) * (1 + 0.5*w.flicker*math.Sin(2*math.Pi*w.beat*t))
}

// defocus is the additional blur (sigma, px) at time t.
func (w *dealWeather) defocus(t float64) float64 {
	s := 0.0
	for _, p := range w.refocus {
		if x := (t - p.at) / p.seconds; x > 0 && x < 1 {
			s = max(s, p.sigma*math.Pow(math.Sin(math.Pi*x), 2))
		}
	}
	return s
}

// defocus blurs the picture by two boxes.
func defocus(src *canvas, sigma float64) *canvas {
	// Two boxes of n have a variance of (n^2-1)/6.
	n := max(1, int(math.Round((math.Sqrt(1+6*sigma*sigma)-1)/2)))
	out := &canvas{src.w, src.h, make([]uint16, len(src.pix))}
	tmp := &canvas{src.w, src.h, make([]uint16, len(src.pix))}
	boxRows(src, tmp, n)
	boxColumns(tmp, out, n)
	boxRows(out, tmp, n)
	boxColumns(tmp, out, n)
	return out
}

func boxRows(src, dst *canvas, n int) {
	inv := 1 / float32(2*n+1)
	for y := range src.h {
		in, out := src.row(y), dst.row(y)
		for c := range 3 {
			sum := uint32(in[c]) * uint32(n+1)
			for x := 1; x <= n; x++ {
				sum += uint32(in[3*min(x, src.w-1)+c])
			}
			for x := range src.w {
				out[3*x+c] = uint16(float32(sum)*inv + 0.5)
				sum += uint32(in[3*min(x+n+1, src.w-1)+c]) - uint32(in[3*max(x-n, 0)+c])
			}
		}
	}
}

func boxColumns(src, dst *canvas, n int) {
	inv := 1 / float32(2*n+1)
	sums := make([]uint32, 3*src.w)
	for k := -n; k <= n; k++ {
		for i, v := range src.row(min(max(k, 0), src.h-1)) {
			sums[i] += uint32(v)
		}
	}
	for y := range src.h {
		out := dst.row(y)
		in, drop := src.row(min(y+n+1, src.h-1)), src.row(max(y-n, 0))
		for i, s := range sums {
			out[i] = uint16(float32(s)*inv + 0.5)
			sums[i] = s + uint32(in[i]) - uint32(drop[i])
		}
	}
}

// dealShade is the factor of all moving shadows, at nodes of a grid.
type dealShade struct {
	cols, rows int
	f          []float32
}

const shadeStep = 8 // px; the shadows are softer

func newDealShade(s *DealStream, t float64, limbs []limb, hand pose, cards []*placed) *dealShade {
	v := s.st.view
	var people []leaner
	for _, l := range s.weather.shadows {
		if t > l.at && t < l.at+l.seconds {
			people = append(people, l)
		}
	}
	if limbs == nil && cards == nil && people == nil {
		return nil
	}
	g := &dealShade{cols: v.width/shadeStep + 2, rows: v.height/shadeStep + 2}
	g.f = make([]float32, g.cols*g.rows)
	// The main lamp throws the shadow of a thing at height z off by z times
	// its slope.
	_, lx, ly, share := s.st.light.irradiance(vec{})
	depth := 0.35 + 0.4*share
	softHand := 5 + 0.35*hand.z
	for j := range g.rows {
		for i := range g.cols {
			x, y := v.onPlane(v.ray(float64(min(i*shadeStep, v.width)), float64(min(j*shadeStep, v.height))), 0)
			f := 1.0
			if limbs != nil {
				c := 0.0
				hx, hy := x+lx*hand.z, y+ly*hand.z
				for k := range limbs {
					d, _ := limbs[k].distance(hx, hy)
					c = max(c, clamp(0.5-d/(2*softHand), 0, 1))
				}
				f *= 1 - depth*c*c*(3-2*c)
			}
			for _, p := range cards {
				soft := 2 + 0.35*p.z
				px, py := x+lx*p.z-p.x, y+ly*p.z-p.y
				u, w := p.wide/2+p.cos*px+p.sin*py, p.high/2+p.sin*px-p.cos*py
				c := clamp(0.5-p.distance(u, w)/(2*soft), 0, 1)
				f *= 1 - depth*c*c*(3-2*c)
			}
			for _, l := range people {
				k := (t - l.at) / l.seconds
				m := l.from.Add(l.to.Sub(l.from).Mul(1 - math.Abs(2*ease(k)-1)))
				d := math.Hypot(x-m.X, y-m.Y) - l.radius
				f *= 1 - l.depth*smoothstep(0, 1, 0.5-d/(2*l.soft))
			}
			g.f[j*g.cols+i] = float32(f)
		}
	}
	return g
}

// apply darkens the picture and returns where.
func (g *dealShade) apply(dst *canvas) (dirty image.Rectangle) {
	if g == nil {
		return dirty
	}
	for j := range g.rows - 1 {
		for i := range g.cols - 1 {
			a, b, c, d := g.f[j*g.cols+i], g.f[j*g.cols+i+1], g.f[(j+1)*g.cols+i], g.f[(j+1)*g.cols+i+1]
			if min(a, b, c, d) > 0.9995 {
				continue
			}
			r := image.Rect(i*shadeStep, j*shadeStep, (i+1)*shadeStep, (j+1)*shadeStep).Intersect(dst.bounds())
			dirty = dirty.Union(r)
			for y := r.Min.Y; y < r.Max.Y; y++ {
				fy := float32(y-r.Min.Y) / shadeStep
				f := a + (c-a)*fy
				df := (b + (d-b)*fy - f) / shadeStep
				row := dst.row(y)[3*r.Min.X : 3*r.Max.X]
				for k := 0; k+2 < len(row); k += 3 {
					row[k] = uint16(float32(row[k]) * f)
					row[k+1] = uint16(float32(row[k+1]) * f)
					row[k+2] = uint16(float32(row[k+2]) * f)
					f += df
				}
			}
		}
	}
	return dirty
}

// develop turns light into an 8-bit picture: gains, tone curve, noise.
func (w *dealWeather) develop(c *canvas, d Deal, t float64, r *rand.Rand) *frame.Image {
	s := d.Deck.Sensor
	m := frame.New(c.w, c.h)
	g := s.Exposure * w.gain(t) / lightOne
	turn := 2 * math.Pi * w.whiteHz * t
	gains := [3]float64{g * s.RedGain * (1 + w.white[0]*math.Sin(turn)), g, g * s.BlueGain * (1 + w.white[1]*math.Sin(1.3*turn+1))}
	// The tone curve for every level of light, in 1/64 code.
	const levels = 1 << 16 >> toneShift
	var lut [3][]uint16
	for k := range lut {
		lut[k] = make([]uint16, levels)
		for i := range lut[k] {
			v := (float64(i) + 0.5) * (1 << toneShift) * gains[k]
			lut[k][i] = uint16(64 * 255)
			if v < 1 {
				x := v * toneSteps
				n := int(x)
				lo, hi := float64(fineTone()[n]), float64(fineTone()[n+1])
				lut[k][i] = uint16(lo + (hi-lo)*(x-float64(n)))
			}
		}
	}
	// Shot and read noise through the slope of the tone curve, 1/64 code per
	// normal deviate of 256.
	var sigma [257]int32
	read, shot := s.ReadNoise*s.ReadNoise, 0.0
	if s.FullWell > 0 {
		shot = 1 / s.FullWell
	}
	for i := range sigma {
		x := colour.Linear(uint8(min(i, 255)))
		slope := (colour.Encode(x+1e-3) - colour.Encode(x)) / 1e-3
		sigma[i] = int32(math.Sqrt(read+shot*x)*slope*64*255/255 + 0.5)
	}
	deviates := normals16()
	banded := make([]uint16, 3*c.w)
	for y := range c.h {
		in, out := c.row(y), m.Row(y)
		if w.flicker > 0 {
			f := uint32(65536 * (1 - w.flicker*(0.5+0.5*math.Sin(2*math.Pi*(float64(y)/w.bandPx+w.bandSpeed*t)))))
			for i, v := range in {
				banded[i] = uint16(uint32(v) * f >> 16)
			}
			in = banded
		}
		at, stride := uint16(r.Uint32()), uint16(r.Uint32())|1
		for x := range c.w {
			p, q := in[3*x:3*x+3:3*x+3], out[3*x:3*x+3:3*x+3]
			for k := range 3 {
				v := int32(lut[k][p[k]>>toneShift])
				v += sigma[v>>6] * int32(deviates[at]) >> 8
				at += stride
				q[2-k] = uint8(min(max((v+32)>>6, 0), 255))
			}
		}
	}
	return m
}

// fineTone is the tone curve in 1/64 code, normals16 the deviates in 1/256.
var fineTone = sync.OnceValue(func() *[toneSteps + 2]uint16 {
	t := new([toneSteps + 2]uint16)
	for i := range t {
		t[i] = uint16(64*colour.Encode(min(1, float64(i)/toneSteps)) + 0.5)
	}
	return t
})

var normals16 = sync.OnceValue(func() *[1 << 16]int16 {
	t := new([1 << 16]int16)
	for i, v := range normals() {
		t[i] = int16(v * 256)
	}
	return t
})
