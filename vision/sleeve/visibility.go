package sleeve

import (
	"math"

	"fairdeck/vision/colour"
)

// What a camera can measure and what a player sees at the table differ: the
// eye blurs what is fine and adds up what is large. The model here is
// S-CIELAB (Zhang & Wandell 1996, "A spatial extension of CIELAB for digital
// color image reproduction", SID 27, 731-734): sleeve and consensus are taken
// to opponent channels, each is filtered by the eye's contrast sensitivity at
// the viewing distance (sums of Gaussians with the widths of Poirson & Wandell
// 1993), and CIEDE2000 is taken between the filtered pictures. The mark's
// perceived contrast then pools over its area by Minkowski's sum with
// exponent 3.5, the slope of probability summation (Quick 1974; Watson 1979):
//
//	P = ( 1/A0  integral dE^3.5 dA )^(1/3.5),   A0 = 1 mm^2
//
// so that a long scratch of a given contrast is more visible than a short one.

// eyeLobe is one Gaussian exp(-r^2/width^2) of a channel's filter.
type eyeLobe struct{ weight, widthDeg float64 }

// eyeFilters are luminance, red-green and blue-yellow (Zhang & Wandell 1996,
// table 1). The luminance channel's third lobe (-0.108, 4.34 degrees: 30 mm
// wide at the table) acts on a mark only as a constant and is folded into the
// normalisation.
var eyeFilters = [3][]eyeLobe{
	{{0.921, 0.0283}, {0.105, 0.133}},
	{{0.531, 0.0392}, {0.330, 0.494}},
	{{0.488, 0.0536}, {0.371, 0.386}},
}

const (
	minkowski = 3.5
	// poolAreaMM2 is A0: about what the fovea's centre sees at 400 mm.
	poolAreaMM2 = 1.0
)

// Perceived contrasts from which a mark is visible or obvious.
//
// A just noticeable difference is 1 for an observer who compares two large
// fields side by side. A player looks at one sleeve at a time, in room light,
// among grain and reflections: tolerances for pictures that are not compared
// side by side run from 3 (perceptible) to 6 (Stokes, Fairchild & Berns 1992;
// Abrardo et al. 1996 rate 3-6 "good" to "sufficient"). The upper end is
// taken, so that "visible" accuses nobody of what must be searched for.
// Obvious is five times that: seen without looking for it.
const (
	visibleContrast = 6.5
	obviousContrast = 30
)

// noticedPeak: whatever its length, a mark must somewhere differ by what is
// perceptible without a comparison side by side (the 3 above). A hairline of
// 20 mm and half of that is not noticed.
const noticedPeak = 3

// visibilityOf names a perceived contrast: pooled over the mark, and its peak.
func visibilityOf(pooled, peak float64) Visibility {
	switch {
	case peak < noticedPeak:
		return CameraOnly
	case pooled >= obviousContrast:
		return Obvious
	case pooled >= visibleContrast:
		return Visible
	}
	return CameraOnly
}

// patch is a window of linear light, sleeve and consensus.
type patch struct {
	w, h int
	px   float64 // per mm
	a, b [3][]float64
}

// newPatch cuts a window out of two views (BGR codes); the sleeve's pixels
// are used where in is set, the consensus elsewhere, so that only the mark
// differs. mid is 256 x code.
func newPatch(pix []byte, mid []uint16, width, x0, y0, x1, y1 int, px float64, in func(x, y int) bool) *patch {
	p := &patch{w: x1 - x0, h: y1 - y0, px: px}
	for c := range 3 {
		p.a[c], p.b[c] = make([]float64, p.w*p.h), make([]float64, p.w*p.h)
	}
	for y := y0; y < y1; y++ {
		for x := x0; x < x1; x++ {
			i := 3 * (y*width + x)
			j := (y-y0)*p.w + x - x0
			for c := range 3 {
				cons := linearFraction(mid[i+2-c])
				p.b[c][j] = cons
				p.a[c][j] = cons
				if in(x, y) {
					p.a[c][j] = colour.Linear(pix[i+2-c])
				}
			}
		}
	}
	return p
}

// streak averages the sleeve's difference from the consensus along a
// direction (radians) with a Gaussian of standard deviation s px, over the
// pixels that are in.
func (p *patch) streak(in []bool, angle, s float64) {
	cs, sn := math.Cos(angle), math.Sin(angle)
	r := int(math.Ceil(2 * s))
	var out [3][]float64
	for c := range out {
		out[c] = make([]float64, len(in))
	}
	for y := range p.h {
		for x := range p.w {
			if !in[y*p.w+x] {
				continue
			}
			var sum [3]float64
			total := 0.0
			for k := -r; k <= r; k++ {
				xx := int(math.Round(float64(x) + cs*float64(k)))
				yy := int(math.Round(float64(y) + sn*float64(k)))
				if xx < 0 || yy < 0 || xx >= p.w || yy >= p.h || !in[yy*p.w+xx] {
					continue
				}
				w := math.Exp(-sq(float64(k)) / (2 * s * s))
				total += w
				for c := range sum {
					sum[c] += w * (p.a[c][yy*p.w+xx] - p.b[c][yy*p.w+xx])
				}
			}
			for c := range out {
				out[c][y*p.w+x] = sum[c] / total
			}
		}
	}
	for c := range out {
		for i, v := range out[c] {
			if in[i] {
				p.a[c][i] = math.Max(0, p.b[c][i]+v)
			}
		}
	}
}

// linearFraction is the linear light of 256 x code.
func linearFraction(v uint16) float64 {
	t := colour.LinearTable()
	i, f := int(v>>8), float64(v&255)/256
	if i >= 255 {
		return t[255]
	}
	return t[i]*(1-f) + t[i+1]*f
}

// perceived returns the pooled perceived contrast and the largest local one.
// distanceMM is the viewing distance; blurPx is the standard deviation of the
// camera's own blur, which has done part of the eye's work already. smoothPx
// takes the camera's noise out of patches that are wide against it.
func (p *patch) perceived(distanceMM, blurPx, smoothPx float64) (pooled, peak float64) {
	degPx := math.Tan(math.Pi/180) * distanceMM * p.px // px per degree
	fa, fb := p.opponent(p.a), p.opponent(p.b)
	for c := range fa {
		if smoothPx > 0 {
			fa[c], fb[c] = gaussian(fa[c], p.w, p.h, smoothPx), gaussian(fb[c], p.w, p.h, smoothPx)
		}
		// Only the difference needs filtering twice: the filter is linear.
		fa[c] = eyeFilter(fa[c], p.w, p.h, eyeFilters[c], degPx, blurPx)
		fb[c] = eyeFilter(fb[c], p.w, p.h, eyeFilters[c], degPx, blurPx)
	}
	sum := 0.0
	for i := range fa[0] {
		la := opponentLab(fa[0][i], fa[1][i], fa[2][i])
		lb := opponentLab(fb[0][i], fb[1][i], fb[2][i])
		e := colour.DeltaE2000(la, lb)
		peak = math.Max(peak, e)
		sum += math.Pow(e, minkowski)
	}
	sum /= p.px * p.px * poolAreaMM2
	return math.Pow(sum, 1/minkowski), peak
}

// opponent takes linear RGB to the opponent channels of Zhang & Wandell
// (through XYZ; Y = 1 for white).
func (p *patch) opponent(rgb [3][]float64) (o [3][]float64) {
	for c := range o {
		o[c] = make([]float64, p.w*p.h)
	}
	for i := range rgb[0] {
		r, g, b := rgb[0][i], rgb[1][i], rgb[2][i]
		x := 0.4124564*r + 0.3575761*g + 0.1804375*b
		y := 0.2126729*r + 0.7151522*g + 0.0721750*b
		z := 0.0193339*r + 0.1191920*g + 0.9503041*b
		o[0][i] = 0.279*x + 0.720*y - 0.107*z
		o[1][i] = -0.449*x + 0.290*y - 0.077*z
		o[2][i] = 0.086*x - 0.590*y + 0.501*z
	}
	return o
}

// opponentLab takes opponent channels back to CIELAB.
func opponentLab(o1, o2, o3 float64) colour.Lab {
	// The inverse of opponent's second step.
	x := 0.6265545*o1 - 1.8671776*o2 - 0.1531564*o3
	y := 1.3698555*o1 + 0.9347558*o2 + 0.4362290*o3
	z := 1.5056508*o1 + 1.4213238*o2 + 2.5360211*o3
	// XYZ to linear sRGB, so that one CIELAB conversion serves all.
	r := 3.2404542*x - 1.5371385*y - 0.4985314*z
	g := -0.9692660*x + 1.8760108*y + 0.0415560*z
	b := 0.0556434*x - 0.2040259*y + 1.0572252*z
	return colour.ToLab(r, g, b)
}

// eyeFilter applies a sum of Gaussians; the rim's pixels repeat.
func eyeFilter(src []float64, w, h int, lobes []eyeLobe, degPx, blurPx float64) []float64 {
	out := make([]float64, len(src))
	total := 0.0
	for _, l := range lobes {
		total += l.weight
	}
	for _, l := range lobes {
		// exp(-r^2/width^2) has the standard deviation width/sqrt 2.
		s := l.widthDeg * degPx / math.Sqrt2
		s = math.Sqrt(math.Max(0, s*s-blurPx*blurPx))
		g := gaussian(src, w, h, s)
		for i, v := range g {
			out[i] += l.weight / total * v
		}
	}
	return out
}

// gaussian blurs with standard deviation s px, cut at three of them.
func gaussian(src []float64, w, h int, s float64) []float64 {
	r := int(math.Ceil(3 * s))
	if r < 1 || s < 0.2 {
		return src
	}
	k := make([]float64, 2*r+1)
	sum := 0.0
	for i := range k {
		k[i] = math.Exp(-sq(float64(i-r)) / (2 * s * s))
		sum += k[i]
	}
	for i := range k {
		k[i] /= sum
	}
	tmp, dst := make([]float64, len(src)), make([]float64, len(src))
	for y := range h {
		row, out := src[y*w:(y+1)*w], tmp[y*w:(y+1)*w]
		for x := range w {
			v := 0.0
			if x >= r && x+r < w {
				for i, q := range row[x-r : x+r+1] {
					v += k[i] * q
				}
			} else {
				for i := range k {
					v += k[i] * row[min(max(x+i-r, 0), w-1)]
				}
			}
			out[x] = v
		}
	}
	for y := range h {
		out := dst[y*w : (y+1)*w]
		for i := range k {
			row, f := tmp[min(max(y+i-r, 0), h-1)*w:], k[i]
			for x := range out {
				out[x] += f * row[x]
			}
		}
	}
	return dst
}
