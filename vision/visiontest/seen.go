package visiontest

import (
	"image"
	"math"

	"fairdeck/vision/colour"
)

// PlayingDistanceMM is from a player's eye to the opponent's or the own deck.
const PlayingDistanceMM = 400

// Limits of the severity rule, on the two numbers of [Seen]. They were set on
// marks like those of an independently rendered deck whose severities were
// judged one by one: two thirds get the same word, the others one step more
// or less (no rule that grows with size and contrast agrees with all).
const (
	// JustSeenDeltaE is a just noticeable difference side by side.
	JustSeenDeltaE = 1.0
	// VisibleDeltaE and VisibleMM: noticed by a player who holds the card.
	VisibleDeltaE, VisibleMM = 5.0, 3.0
	// ObviousDeltaE and ObviousMM: noticed across the table.
	ObviousDeltaE, ObviousMM = 14.0, 40.0
)

// Severity is the word for a mark with the given peak and strength (see
// [Seen]). It never becomes milder when either grows.
//
// Below JustSeenDeltaE nobody sees anything. A mark is visible when it stands
// out (VisibleDeltaE at its peak) and is large enough to be found (VisibleMM);
// obvious by the same two tests with higher limits.
func Severity(peakDeltaE, strengthMM float64) string {
	switch {
	case peakDeltaE >= ObviousDeltaE && strengthMM >= ObviousMM:
		return Obvious
	case peakDeltaE >= VisibleDeltaE && strengthMM >= VisibleMM:
		return Visible
	case peakDeltaE >= JustSeenDeltaE:
		return CameraOnly
	}
	return Invisible
}

// opponents are the luminance, red-green and blue-yellow channels of S-CIELAB
// with their spreads in degrees and weights: Zhang & Wandell 1997, "A spatial
// extension of CIELAB for digital color-image reproduction", table 1; matrix
// of Poirson & Wandell 1993.
type spread struct{ weight, degrees float64 }

func opponentFilters() [3][]spread {
	return [3][]spread{
		{{0.921, 0.0283}, {0.105, 0.133}, {-0.108, 4.336}},
		{{0.531, 0.0392}, {0.330, 0.494}},
		{{0.488, 0.0536}, {0.371, 0.386}},
	}
}

func toOpponent(r, g, b float64) [3]float64 {
	x := 0.4124564*r + 0.3575761*g + 0.1804375*b
	y := 0.2126729*r + 0.7151522*g + 0.0721750*b
	z := 0.0193339*r + 0.1191920*g + 0.9503041*b
	return [3]float64{0.279*x + 0.72*y - 0.107*z, -0.449*x + 0.29*y - 0.077*z, 0.086*x - 0.59*y + 0.501*z}
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

func blurChannel(l *layer, c int, sigma float64, zeroOutside bool) []float32 {
	w, h := l.Dx(), l.Dy()
	k := gaussian(sigma)
	n := len(k) / 2
	pick := func(v []float32, i, stride, count int) float32 {
		if i < 0 || i >= count {
			if zeroOutside {
				return 0
			}
			i = min(max(i, 0), count-1)
		}
		return v[i*stride]
	}
	tmp, out := make([]float32, w*h), make([]float32, w*h)
	for y := range h {
		row := l.pix[3*y*w+c:]
		for x := range w {
			s := float32(0)
			for i, g := range k {
				s += g * pick(row, x+i-n, 3, w)
			}
			tmp[y*w+x] = s
		}
	}
	for y := range h {
		for x := range w {
			s := float32(0)
			for i, g := range k {
				s += g * pick(tmp[x:], y+i-n, w, h)
			}
			out[y*w+x] = s
		}
	}
	return out
}
