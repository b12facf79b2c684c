package visiontest

import (
	"image"
	"math"

	"fairdeck/vision/colour"
	"fairdeck/vision/plane"
)

// closeUp is the scale of the noise-free pictures in which contrast is asked
// for and severity judged; large marks are looked at from twice as far.
func closeUp(m *Mark) float64 {
	if m.reach() > 6 {
		return 5
	}
	return 10
}

// patch renders the sleeve's surroundings of p, level in its own frame, as a
// perfect camera at the station's place would see it.
func (s *shader) patch(p plane.Point, reach, pxPerMM float64, table *surface) *layer {
	n := int(2*reach*pxPerMM) + 1
	l := newLayer(image.Rect(0, 0, n, n))
	size := 1 / pxPerMM
	for y := range n {
		for x := range n {
			u := p.X - reach + (float64(x)+0.5)*size
			v := p.Y - reach + (float64(y)+0.5)*size
			px := l.pix[3*(y*n+x):][:3:3]
			top := clamp(0.5-s.distance(u, v)*pxPerMM, 0, 1)
			if top < 1 {
				var a [3]float64
				w := s.toWorld(u, v, 0)
				table.albedo(w[0], w[1], 1, &a)
				e, _, _, _ := s.light.irradiance(w)
				for c := range 3 {
					px[c] = float32((1 - top) * a[c] * e[c])
				}
			}
			if top > 0 {
				z, _, _ := s.surface(u, v)
				m := s.smoothAt(u, v, s.world(u, v, z).sub(s.view.position))
				c := s.shade(&m, step{ux: size, vy: size})
				for k := range 3 {
					px[k] += float32(top * c[k])
				}
			}
		}
	}
	return l
}

// withMark returns the shader of an otherwise clean card with only m on it.
func withMark(c *card, m *Mark, light *lighting, view *viewer, pxPerMM float64) *shader {
	k := *c
	o := newOverlay(&k.shape, pxPerMM)
	m.paint(o, &k.shape)
	k.nicks = append([]nick(nil), o.nicks...)
	return newShader(&k, light, view, o)
}

// peak is the largest CIEDE2000 between two layers, with the mean and count
// of the pixels over 2.
func peak(a, b *layer) (peakDeltaE, mean float64, count int) {
	sum := 0.0
	for i := 0; i < len(a.pix); i += 3 {
		if a.pix[i] == b.pix[i] && a.pix[i+1] == b.pix[i+1] && a.pix[i+2] == b.pix[i+2] {
			continue
		}
		d := colour.DeltaE2000(lab(float64(a.pix[i]), float64(a.pix[i+1]), float64(a.pix[i+2])),
			lab(float64(b.pix[i]), float64(b.pix[i+1]), float64(b.pix[i+2])))
		peakDeltaE = math.Max(peakDeltaE, d)
		if d > 2 {
			sum += d
			count++
		}
	}
	if count > 0 {
		mean = sum / float64(count)
	}
	return peakDeltaE, mean, count
}

// solve sets the mark's strength so that its close-up on the given card has
// the contrast asked for, by bisection (contrast grows with strength).
func (st *Station) solve(m *Mark, c *card) {
	if m.DeltaE <= 0 || m.Kind == Nick {
		return
	}
	scale := closeUp(m)
	clean := newShader(c, st.light, st.view, nil).patch(m.WhereMM, m.reach(), scale, st.surface)
	contrast := func(strength float64) float64 {
		k := *m
		k.strength = strength
		d, _, _ := peak(withMark(c, &k, st.light, st.view, 2*scale).patch(m.WhereMM, m.reach(), scale, st.surface), clean)
		return d
	}
	lo, hi := 0.0, m.strength
	if contrast(hi) <= m.DeltaE {
		return
	}
	for range 11 {
		mid := (lo + hi) / 2
		if contrast(mid) < m.DeltaE {
			lo = mid
		} else {
			hi = mid
		}
	}
	m.strength = hi
}

// verdict is how a mark looks to a person.
type verdict struct {
	peak, strength float64
	word           string
}

// measure renders one mark on one card with and without and returns what the
// truth says of it. A mark shared by several cards is judged on the first of
// them (known keeps the verdicts) and measured on each.
func (st *Station) measure(m *Mark, c *card, known map[int]verdict) (Measured, string) {
	var out Measured
	scale := closeUp(m)
	base := newShader(c, st.light, st.view, nil)
	marked := withMark(c, m, st.light, st.view, st.overlayScale)
	see, ok := known[m.spec]
	if !ok {
		near := withMark(c, m, st.light, st.view, 2*scale)
		a, b := near.patch(m.WhereMM, m.reach(), scale, st.surface), base.patch(m.WhereMM, m.reach(), scale, st.surface)
		see.peak, see.strength = Seen(a.pix, b.pix, a.Dx(), scale, PlayingDistanceMM)
		see.word = Severity(see.peak, see.strength)
		known[m.spec] = see
	}
	out.SeenDeltaE, out.SeenMM = round(see.peak, 2), round(see.strength, 2)
	if m.Kind == Nick {
		const step = 0.05
		for u := m.WhereMM.X - m.SizeMM; u < m.WhereMM.X+m.SizeMM; u += step {
			for v := m.WhereMM.Y - m.SizeMM; v < m.WhereMM.Y+m.SizeMM; v += step {
				if base.distance(u, v) < 0 && marked.distance(u, v) >= 0 {
					out.MissingMM2 += step * step
				}
			}
		}
		out.MissingMM2 = round(out.MissingMM2, 2)
	}

	// Through the station's own camera.
	z, _, _ := c.surface(m.WhereMM.X, m.WhereMM.Y)
	p := st.view.project(c.toWorld(m.WhereMM.X, m.WhereMM.Y, z))
	half := int(m.reach()*st.view.scale*1.2) + blurRadius(st.deck.Sensor.BlurPx) + 2
	r := image.Rect(int(p.X)-half, int(p.Y)-half, int(p.X)+half+1, int(p.Y)+half+1).
		Intersect(image.Rect(0, 0, st.view.width, st.view.height))
	if !r.Empty() {
		sigma := st.deck.Sensor.BlurPx
		all := image.Rect(0, 0, st.view.width, st.view.height)
		table := paintTable(st.surface, st.light, st.view, r.Inset(-blurRadius(sigma)).Intersect(all))
		picture := func(s *shader) *layer {
			l := &layer{table.Rectangle, append([]float32(nil), table.pix...)}
			s.draw(l)
			l = blur(l, r, sigma)
			for i := range l.pix {
				l.pix[i] *= float32(st.deck.Sensor.Exposure)
			}
			return l
		}
		out.PeakDeltaE, out.MeanDeltaE, out.AreaPx = peak(picture(marked), picture(base))
		out.PeakDeltaE, out.MeanDeltaE = round(out.PeakDeltaE, 2), round(out.MeanDeltaE, 2)
	}
	return out, see.word
}

func round(v float64, digits int) float64 {
	p := math.Pow(10, float64(digits))
	return math.Round(v*p) / p
}
