package calibrate

import (
	"errors"
	"math"
	"slices"

	"fairdeck/vision/colour"
	"fairdeck/vision/frame"
)

// Noise is what one pixel of one frame varies by, in linear light (1 =
// saturated), for red, green and blue:
//
//	variance(light) = Read^2 + Gain light
//
// the affine model of a sensor with read and shot noise (Healey & Kondepudy
// 1994; EMVA 1288, eq. 10 to 14), of pictures as they are delivered: after
// demosaicing, the camera's own denoising and JPEG, which lower it and let
// neighbours share it.
type Noise struct {
	Evidence
	Read [3]float64 `json:"read"`
	Gain [3]float64 `json:"gain"`

	// From is "time" when pairs of pictures were compared, "space" when there
	// was one only; then the paper's own texture counts as noise.
	From string `json:"from"`

	// Separated says that the pictures had enough range of brightness to tell
	// Read and Gain apart. Otherwise Read is 0 and the model holds near the
	// brightness of the sheet, Level.
	Separated bool       `json:"separated"`
	Level     [3]float64 `json:"level"`
}

func (n *Noise) valid() error {
	if n == nil {
		return nil
	}
	for c := range 3 {
		if !within(n.Read[c], 0, 1) || !within(n.Gain[c], 0, 1) || !within(n.Level[c], 0, 1) {
			return errors.New("a noise beyond full scale")
		}
	}
	return nil
}

// Sigma is the standard deviation of a pixel's linear light, for channel 0
// red, 1 green, 2 blue.
func (n *Noise) Sigma(channel int, light float64) float64 {
	return math.Sqrt(n.Read[channel]*n.Read[channel] + n.Gain[channel]*max(0, light))
}

// SigmaCodes is the standard deviation of a pixel in codes (0 to 255) at a
// code, through the slope of the sRGB curve.
func (n *Noise) SigmaCodes(channel int, code uint8) float64 {
	l := colour.Linear(code)
	const d = 1e-4
	slope := (colour.Encode(l+d) - colour.Encode(max(0, l-d))) / (l + d - max(0, l-d))
	return n.Sigma(channel, l) * slope
}

// noiseFit collects (light, variance) of blocks.
type noiseFit struct {
	time, space [3][]sample
}

type sample struct{ light, variance float64 }

// noiseBlock is the side of a block in px: 256 pixels give a variance to 9 %.
const noiseBlock = 16

// pair compares two pictures of one scene: half the variance of the
// difference in a block, its mean taken out, is the variance of one.
func (f *noiseFit) pair(a, b *frame.Image) {
	lin := colour.LinearTable()
	f.each(a, func(x0, y0 int) {
		for c := range 3 {
			var s, d, dd float64
			for y := y0; y < y0+noiseBlock; y++ {
				ra, rb := a.Row(y), b.Row(y)
				for x := x0; x < x0+noiseBlock; x++ {
					va, vb := lin[ra[3*x+2-c]], lin[rb[3*x+2-c]]
					s += va + vb
					d += va - vb
					dd += (va - vb) * (va - vb)
				}
			}
			const n = noiseBlock * noiseBlock
			f.time[c] = append(f.time[c], sample{s / (2 * n), (dd - d*d/n) / (n - 1) / 2})
		}
	})
}

// single takes the differences of pixels a few columns apart, which a slow
// change of light hardly touches: an upper bound, as paper has a texture.
func (f *noiseFit) single(a *frame.Image) {
	const lag = 4 // px: beyond the reach of demosaicing
	lin := colour.LinearTable()
	f.each(a, func(x0, y0 int) {
		for c := range 3 {
			var s, d, dd, n float64
			for y := y0; y < y0+noiseBlock; y++ {
				row := a.Row(y)
				for x := x0; x+lag < x0+noiseBlock; x++ {
					va, vb := lin[row[3*x+2-c]], lin[row[3*(x+lag)+2-c]]
					s += va + vb
					d += va - vb
					dd += (va - vb) * (va - vb)
					n++
				}
			}
			f.space[c] = append(f.space[c], sample{s / (2 * n), (dd - d*d/n) / (n - 1) / 2})
		}
	})
}

func (f *noiseFit) each(a *frame.Image, do func(x0, y0 int)) {
	for y := 0; y+noiseBlock <= a.Height; y += noiseBlock {
		for x := 0; x+noiseBlock <= a.Width; x += noiseBlock {
			do(x, y)
		}
	}
}

func (f *noiseFit) solve() *Noise {
	n := &Noise{From: "time"}
	samples := f.time
	if len(samples[0]) == 0 {
		n.From, samples = "space", f.space
	}
	if len(samples[0]) == 0 {
		return nil
	}
	n.Separated = true
	for c := range 3 {
		a, b, level, ok := fitVariance(samples[c])
		n.Read[c], n.Gain[c], n.Level[c] = math.Sqrt(a), b, level
		n.Separated = n.Separated && ok
	}
	if !n.Separated {
		// Through the origin: what shot noise alone would be.
		for c := range 3 {
			n.Read[c], n.Gain[c] = 0, medianRatio(samples[c])
		}
		n.Warnings = append(n.Warnings, "all pictures have one brightness: read and shot noise are not told apart. Add two pictures of the sheet with half the light")
	}
	if n.From == "space" {
		n.Warnings = append(n.Warnings, "one picture only: the noise includes the paper's texture. Take a second one of the same sheet, left still")
	}
	return n
}

// separateRange is the range of light, largest over smallest, that tells read
// and shot noise apart.
const separateRange = 2

// fitVariance fits variance = a + b light over bins of light, by medians
// within bins and weights of equal relative error, both not negative.
func fitVariance(samples []sample) (a, b, level float64, separated bool) {
	s := slices.Clone(samples)
	slices.SortFunc(s, func(p, q sample) int {
		switch {
		case p.light < q.light:
			return -1
		case p.light > q.light:
			return 1
		}
		return 0
	})
	level = s[len(s)/2].light
	lo, hi := s[len(s)/50].light, s[len(s)-1-len(s)/50].light
	if !(hi > separateRange*lo) {
		return 0, 0, level, false
	}
	// Bins of equal width in light, so that a dim picture weighs like a bright
	// one.
	const bins = 24
	var xs, ys []float64
	for k := range bins {
		l0, l1 := lo+(hi-lo)*float64(k)/bins, lo+(hi-lo)*float64(k+1)/bins
		var v []float64
		x := 0.0
		for _, p := range s {
			if p.light >= l0 && p.light < l1 {
				v = append(v, p.variance)
				x += p.light
			}
		}
		if len(v) < 8 {
			continue
		}
		slices.Sort(v)
		xs, ys = append(xs, x/float64(len(v))), append(ys, v[len(v)/2])
	}
	if len(xs) < 2 || !(xs[len(xs)-1] > separateRange*xs[0]) {
		return 0, 0, level, false
	}
	fit := func(withA, withB bool) (a, b float64) {
		var s0, s1, s2, t0, t1 float64
		for i, x := range xs {
			w := 1 / max(1e-18, ys[i]*ys[i])
			s0 += w
			s1 += w * x
			s2 += w * x * x
			t0 += w * ys[i]
			t1 += w * x * ys[i]
		}
		switch {
		case withA && withB:
			d := s0*s2 - s1*s1
			return (t0*s2 - t1*s1) / d, (s0*t1 - s1*t0) / d
		case withB:
			return 0, t1 / s2
		}
		return t0 / s0, 0
	}
	if a, b = fit(true, true); a < 0 {
		a, b = fit(false, true)
	} else if b < 0 {
		a, b = fit(true, false)
	}
	return a, b, level, true
}

func medianRatio(samples []sample) float64 {
	var r []float64
	for _, s := range samples {
		if s.light > 0 {
			r = append(r, s.variance/s.light)
		}
	}
	if len(r) == 0 {
		return 0
	}
	slices.Sort(r)
	return r[len(r)/2]
}

// SetFlat puts flat field and noise into the profile.
func (p *Profile) SetFlat(f *Flat, n *Noise, widthPx, heightPx int, e Evidence) {
	p.WidthPx, p.HeightPx = widthPx, heightPx
	e.Rejected, e.Warnings = f.Rejected, f.Warnings
	f.Evidence = e
	p.Flat = f
	if n != nil {
		e.Rejected, e.Warnings = nil, n.Warnings
		n.Evidence = e
		p.Noise = n
	}
}
