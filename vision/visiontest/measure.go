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
	step := 1 / pxPerMM
	for y := range n {
		for x := range n {
			u := p.X - reach + (float64(x)+0.5)*step
			v := p.Y - reach + (float64(y)+0.5)*step
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
				c := s.shade(sample{u: u, v: v, ux: step, vy: step}, s.toWorld(u, v, z).sub(s.view.position))
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

// measure renders one mark on one card with and without and returns what the
// truth says of it.
func (st *Station) measure(m *Mark, c *card) (Measured, string) {
	var out Measured
	scale := closeUp(m)
	base := newShader(c, st.light, st.view, nil)
	marked := withMark(c, m, st.light, st.view, 2*scale)
	a, b := marked.patch(m.WhereMM, m.reach(), scale, st.surface), base.patch(m.WhereMM, m.reach(), scale, st.surface)
	out.SeenDeltaE, out.SeenMM = Seen(a.pix, b.pix, a.Dx(), scale, PlayingDistanceMM)
	if m.Kind == Nick {
		step := 0.05
		for u := m.WhereMM.X - m.SizeMM; u < m.WhereMM.X+m.SizeMM; u += step {
			for v := m.WhereMM.Y - m.SizeMM; v < m.WhereMM.Y+m.SizeMM; v += step {
				if base.distance(u, v) < 0 && marked.distance(u, v) >= 0 {
					out.MissingMM2 += step * step
				}
			}
		}
	}
	word := Severity(out.SeenDeltaE, out.SeenMM)

	// Through the station's own camera.
	z, _, _ := c.surface(m.WhereMM.X, m.WhereMM.Y)
	p := st.view.project(c.toWorld(m.WhereMM.X, m.WhereMM.Y, z))
	half := int(m.reach()*st.view.scale*1.2) + blurRadius(st.deck.Sensor.BlurPx) + 2
	r := image.Rect(int(p.X)-half, int(p.Y)-half, int(p.X)+half+1, int(p.Y)+half+1).
		Intersect(image.Rect(0, 0, st.view.width, st.view.height))
	if !r.Empty() {
		see := func(s *shader) *layer {
			l := st.copyTable(r, st.deck.Sensor.BlurPx)
			s.draw(l)
			l = blur(l, r, st.deck.Sensor.BlurPx)
			for i := range l.pix {
				l.pix[i] *= float32(st.deck.Sensor.Exposure)
			}
			return l
		}
		fine := withMark(c, m, st.light, st.view, st.overlayScale)
		out.PeakDeltaE, out.MeanDeltaE, out.AreaPx = peak(see(fine), see(base))
	}
	out.PeakDeltaE, out.MeanDeltaE = round(out.PeakDeltaE, 2), round(out.MeanDeltaE, 2)
	out.SeenDeltaE, out.SeenMM, out.MissingMM2 = round(out.SeenDeltaE, 2), round(out.SeenMM, 2), round(out.MissingMM2, 2)
	return out, word
}

func round(v float64, digits int) float64 {
	p := math.Pow(10, float64(digits))
	return math.Round(v*p) / p
}
