package visiontest

import (
	"image"
	"math"

	"fairdeck/vision/colour"
)

// PlayingDistanceMM is from a player's eye to the opponent's or the own deck.
const PlayingDistanceMM = 400

// Limits of the severity rule, on the two numbers of [Seen] and on their
// geometric mean, the conspicuity: contrast times size. They were set on marks
// like those of an independently rendered deck whose severities its maker gave
// one by one (TestSeverityAgrees): most get the same word, the others one step
// more or less; no rule that grows with size and contrast agrees with all.
const (
	// JustSeenDeltaE is a just noticeable difference side by side.
	JustSeenDeltaE = 1.0
	// VisibleDeltaE and VisibleConspicuity: noticed by a player who looks at
	// the card in his hand.
	VisibleDeltaE, VisibleConspicuity = 3.0, 5.2
	// ObviousDeltaE and ObviousConspicuity: noticed without looking for it.
	ObviousDeltaE, ObviousConspicuity = 10.0, 28.0
)

// Severity is the word for a mark with the given peak and strength (see
// [Seen]). It never becomes milder when either grows.
//
// Below JustSeenDeltaE nobody sees anything. A mark is visible when it stands
// out at its peak (VisibleDeltaE) and is conspicuous by contrast and size
// (VisibleConspicuity); obvious by the same two tests with higher limits.
func Severity(peakDeltaE, strengthMM float64) string {
	conspicuity := math.Sqrt(peakDeltaE * strengthMM)
	switch {
	case peakDeltaE >= ObviousDeltaE && conspicuity >= ObviousConspicuity:
		return Obvious
	case peakDeltaE >= VisibleDeltaE && conspicuity >= VisibleConspicuity:
		return Visible
	case peakDeltaE >= JustSeenDeltaE:
		return CameraOnly
	}
	return Invisible
}

type spread struct{ weight, degrees float64 }

// opponentFilters are the eye's filters for luminance, red-green and
// blue-yellow: sums of Gaussians exp(-r^2/spread^2) with weights (Zhang &
// Wandell 1997, "A spatial extension of CIELAB for digital color-image
// reproduction", table 1).
func opponentFilters() [3][]spread {
	return [3][]spread{
		{{0.921, 0.0283}, {0.105, 0.133}, {-0.108, 4.336}},
		{{0.531, 0.0392}, {0.330, 0.494}},
		{{0.488, 0.0536}, {0.371, 0.386}},
	}
}

// toOpponent gives the channels of Poirson & Wandell 1993, with one change: the
// two colour channels are measured from the grey of the same luminance. In the
// original, grey has a red-green part, so that a small grey mark grows a
// coloured rim when that channel is filtered more than luminance, and would be
// seen better than a larger one.
func toOpponent(r, g, b float64) [3]float64 {
	x := 0.4124564*r + 0.3575761*g + 0.1804375*b
	y := 0.2126729*r + 0.7151522*g + 0.0721750*b
	z := 0.0193339*r + 0.1191920*g + 0.9503041*b
	const whiteX, whiteZ = 0.95047, 1.08883
	const (
		white1 = 0.279*whiteX + 0.72 - 0.107*whiteZ
		white2 = -0.449*whiteX + 0.29 - 0.077*whiteZ
		white3 = 0.086*whiteX - 0.59 + 0.501*whiteZ
	)
	o := 0.279*x + 0.72*y - 0.107*z
	return [3]float64{o, -0.449*x + 0.29*y - 0.077*z - white2/white1*o, 0.086*x - 0.59*y + 0.501*z - white3/white1*o}
}

// fromOpponent is the inverse of toOpponent, by Cramer's rule on the product
// of its two matrices.
func fromOpponent() func(o [3]float64) (r, g, b float64) {
	var m [3][3]float64 // columns: the opponents of red, green and blue
	for c := range 3 {
		var rgb [3]float64
		rgb[c] = 1
		o := toOpponent(rgb[0], rgb[1], rgb[2])
		for k := range 3 {
			m[k][c] = o[k]
		}
	}
	a, b, c := vec{m[0][0], m[1][0], m[2][0]}, vec{m[0][1], m[1][1], m[2][1]}, vec{m[0][2], m[1][2], m[2][2]}
	det := a.dot(b.cross(c))
	return func(o [3]float64) (float64, float64, float64) {
		v := vec(o)
		return v.dot(b.cross(c)) / det, a.dot(v.cross(c)) / det, a.dot(b.cross(v)) / det
	}
}

// Seen compares two equally large pictures in linear light (red, green, blue;
// 1 = white paper), with and without a mark, as an eye at distanceMM does:
// both are filtered by the eye's contrast sensitivity as in S-CIELAB and
// compared by CIEDE2000. peakDeltaE is the largest difference; strengthMM is
// the root of the integral of its square over the area (ΔE mm), which grows
// with size and contrast.
func Seen(with, without []float32, width int, pxPerMM, distanceMM float64) (peakDeltaE, strengthMM float64) {
	height := len(with) / 3 / width
	r := image.Rect(0, 0, width, height)
	ground, diff := newLayer(r), newLayer(r)
	differs := false
	for i := 0; i < len(with); i += 3 {
		a := toOpponent(float64(without[i]), float64(without[i+1]), float64(without[i+2]))
		b := toOpponent(float64(with[i]), float64(with[i+1]), float64(with[i+2]))
		for c := range 3 {
			ground.pix[i+c] = float32(a[c])
			diff.pix[i+c] = float32(b[c] - a[c])
			differs = differs || a[c] != b[c]
		}
	}
	if !differs {
		return 0, 0
	}
	ground, diff = filterOpponents(ground, pxPerMM, distanceMM, false), filterOpponents(diff, pxPerMM, distanceMM, true)
	back := fromOpponent()
	sum := 0.0
	for i := 0; i < len(ground.pix); i += 3 {
		var o, q [3]float64
		moved := 0.0
		for c := range 3 {
			o[c] = float64(ground.pix[i+c])
			q[c] = o[c] + float64(diff.pix[i+c])
			moved = math.Max(moved, math.Abs(float64(diff.pix[i+c])))
		}
		if moved < 2e-5 {
			continue // below 0.05 ΔE even on black
		}
		d := colour.DeltaE2000(lab(back(o)), lab(back(q)))
		peakDeltaE = math.Max(peakDeltaE, d)
		sum += d * d
	}
	return peakDeltaE, math.Sqrt(sum) / pxPerMM
}

func lab(r, g, b float64) colour.Lab {
	return colour.ToLab(clamp(r, 0, 1), clamp(g, 0, 1), clamp(b, 0, 1))
}

// filterOpponents applies the three filters. Beyond its border the picture is
// extended (a ground) or zero (a difference).
func filterOpponents(l *layer, pxPerMM, distanceMM float64, zeroOutside bool) *layer {
	out := newLayer(l.Rectangle)
	perDegree := pxPerMM * distanceMM * math.Pi / 180
	for c, filter := range opponentFilters() {
		total := 0.0
		for _, s := range filter {
			total += s.weight
		}
		for _, s := range filter {
			// The spreads are of exp(-r^2/s^2): sigma is s / sqrt 2.
			sigma := s.degrees * perDegree / math.Sqrt2
			w := float32(s.weight / total)
			if sigma > float64(l.Dx())/2 {
				// Wider than the picture: the mean of the ground, and of the
				// difference what the middle of the kernel makes of its sum.
				sum := 0.0
				for i := c; i < len(l.pix); i += 3 {
					sum += float64(l.pix[i])
				}
				v := sum / float64(len(l.pix)/3)
				if zeroOutside {
					v = sum / (2 * math.Pi * sigma * sigma)
				}
				for i := c; i < len(out.pix); i += 3 {
					out.pix[i] += w * float32(v)
				}
				continue
			}
			smooth := blurChannel(l, c, sigma, zeroOutside)
			for i, v := range smooth {
				out.pix[3*i+c] += w * v
			}
		}
	}
	return out
}

// blurChannel convolves one channel with a Gaussian.
func blurChannel(l *layer, c int, sigma float64, zeroOutside bool) []float32 {
	w, h := l.Dx(), l.Dy()
	k := gaussian(sigma)
	n := len(k) / 2
	tmp, out := make([]float32, w*h), make([]float32, w*h)
	wide := make([]float32, w+2*n)
	for y := range h {
		row := l.pix[3*y*w:][:3*w]
		for x := range w {
			wide[n+x] = row[3*x+c]
		}
		if !zeroOutside {
			for i := range n {
				wide[i], wide[n+w+i] = wide[n], wide[n+w-1]
			}
		}
		convolve(tmp[y*w:][:w], wide, k)
	}
	for y := range h {
		to := out[y*w:][:w]
		for i, g := range k {
			from := y + i - n
			if from < 0 || from >= h {
				if zeroOutside {
					continue
				}
				from = min(max(from, 0), h-1)
			}
			for x, v := range tmp[from*w:][:w] {
				to[x] += g * v
			}
		}
	}
	return out
}

func convolve(to, from, kernel []float32) {
	for i, g := range kernel {
		in := from[i:][:len(to)]
		for x, v := range in {
			to[x] += g * v
		}
	}
}
