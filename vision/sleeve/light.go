package sleeve

import (
	"math"
	"sync"

	"fairdeck/vision/colour"
)

// Light differs slowly between two views of one place: the sleeve lay
// elsewhere under the lamp, exposure drifted, and a gloss sleeve mirrors some
// of the room. In linear light that is
//
//	view = (1 + a(p)) consensus + o(p)
//
// with a and o smooth over centimetres: a is the lamp, o the reflection. The
// fit weighs by the noise, which is nearly even in gamma-encoded codes: both
// sides are multiplied by W = d code/d light at the consensus, so that a code
// difference is a S + o W with S = light x W. The fields are low-order cosine series
// fitted per channel by regularised, robust least squares, so neither a stain
// nor a worn corner is explained away.

// lightOrderX and lightOrderY are the numbers of cosines across and down: the
// shortest wave is 2 x 66/4 = 33 mm, so half a wave is twice the largest
// stain looked for (9 mm) and the fit's robustness does the rest.
const (
	lightOrderX = 5
	lightOrderY = 6
	lightTerms  = lightOrderX * lightOrderY
	lightTileMM = 4
)

// codeSlope is d code / d light for each code: the derivative of the sRGB
// curve, limited at its foot.
var codeSlope = sync.OnceValue(func() *[256]float32 {
	t := new([256]float32)
	for i := range t {
		lo, hi := max(0, i-1), min(255, i+1)
		t[i] = float32(float64(hi-lo) / (colour.Linear(uint8(hi)) - colour.Linear(uint8(lo))))
	}
	return t
})

// lightTable is the linear light of each code, in single precision.
var lightTable = sync.OnceValue(func() *[257]float32 {
	t := new([257]float32)
	for i, v := range colour.LinearTable() {
		t[i] = float32(v)
	}
	t[256] = t[255]
	return t
})

// consLight is the linear light of a code with a fraction.
func consLight(t *[257]float32, code float32) float32 {
	i := int(code)
	return t[i] + (code-float32(i))*(t[i+1]-t[i])
}

// codeTable is the inverse: the code (with a fraction) of linear light, read
// at the root of light, where the curve is nearly straight.
const codeSteps = 2048

var codeTable = sync.OnceValue(func() *[codeSteps + 2]float32 {
	t := new([codeSteps + 2]float32)
	for i := range t {
		t[i] = float32(colour.Encode(sq(float64(i) / codeSteps)))
	}
	return t
})

// lightField is the slow difference of one view from the template.
type lightField struct {
	gain   [3][lightTerms]float64 // a, per channel B G R
	offset [3][lightTerms]float64 // o
}

// lightBasis holds the cosines at the tiles' centres.
type lightBasis struct {
	tile   int // px
	tw, th int
	at     [][lightTerms]float64
}

func (d *deck) newLightBasis() *lightBasis {
	b := &lightBasis{tile: max(4, int(math.Round(lightTileMM*d.px)))}
	b.tw, b.th = (d.w+b.tile-1)/b.tile, (d.h+b.tile-1)/b.tile
	b.at = make([][lightTerms]float64, b.tw*b.th)
	for i := range b.at {
		x := (float64(i%b.tw) + 0.5) * float64(b.tile)
		y := (float64(i/b.tw) + 0.5) * float64(b.tile)
		b.at[i] = d.lightCosines(x, y)
	}
	return b
}

func (d *deck) lightCosines(x, y float64) (c [lightTerms]float64) {
	u := clamp(((x+0.5)/d.px-d.margin)/d.wMM, -0.05, 1.05)
	v := clamp(((y+0.5)/d.px-d.margin)/d.hMM, -0.05, 1.05)
	for j := range lightOrderY {
		cy := math.Cos(math.Pi * float64(j) * v)
		for i := range lightOrderX {
			c[j*lightOrderX+i] = cy * math.Cos(math.Pi*float64(i)*u)
		}
	}
	return c
}

// lightTile holds one tile's normal equations for (a, o) of one channel.
type lightTile struct{ ss, sw, ww, sd, wd, n float64 }

// fitLight fits the light field of a registered view. skip is true for
// pixels that must not be used (nil: none).
func (d *deck) fitLight(t *template, b *lightBasis, pix []byte, reasons []byte) *lightField {
	f := &lightField{}
	for c := range 3 {
		d.fitLightChannel(t, b, pix, reasons, c, f)
	}
	return f
}

func (d *deck) fitLightChannel(t *template, b *lightBasis, pix, reasons []byte, c int, f *lightField) {
	slope, light := codeSlope(), lightTable()
	var s [256]float32
	for i := range s {
		s[i] = light[i] * slope[i]
	}
	const m = 2 * lightTerms
	tiles := make([]lightTile, b.tw*b.th)
	a := make([]float64, m*m)
	x := make([]float64, m)
	scale := 0.0
	code := t.code[c]
	// The print's registration inset is right here too.
	in := (d.margin + alignInsetMM) * d.px
	x0, y0 := max(0, int(in)), max(0, int(in))
	x1 := min(d.w, int((d.margin+d.wMM-alignInsetMM)*d.px))
	y1 := min(d.h, int((d.margin+d.hMM-alignInsetMM)*d.px))
	weight := make([]float64, len(tiles))
	ga, of := make([]float32, len(tiles)), make([]float32, len(tiles))
	for iteration := range 4 {
		// Residuals beyond the limit are clipped: marks, dust, misfit edges.
		limit := float32(40)
		if iteration > 0 {
			limit = float32(math.Max(3*scale, 3))
		}
		clear(tiles)
		for y := y0; y < y1; y += alignStride {
			ty := y / b.tile * b.tw
			for px := x0; px < x1; px += alignStride {
				i := y*d.w + px
				if reasons != nil && reasons[i] != 0 {
					continue
				}
				cc := code[i]
				k := int(cc + 0.5)
				tile := ty + px/b.tile
				sv, wv := s[k], slope[k]
				fit := ga[tile]*sv + of[tile]*wv
				r := wv*(light[pix[3*i+c]]-consLight(light, cc)) - fit
				diff := fit + max(-limit, min(limit, r))
				q := &tiles[tile]
				q.n++
				q.ss += float64(sv * sv)
				q.sw += float64(sv * wv)
				q.ww += float64(wv * wv)
				q.sd += float64(sv * diff)
				q.wd += float64(wv * diff)
			}
		}
		// Tile misfits of the last fit tell which tiles are out of line.
		if iteration > 0 {
			res := make([]float64, 0, len(tiles))
			rt := make([]float64, len(tiles))
			for i, q := range tiles {
				if q.n > 0 {
					rt[i] = tileMisfit(q, float64(ga[i]), float64(of[i]))
					res = append(res, math.Abs(rt[i]))
				}
			}
			typical := math.Max(madToSigma*median(res), 0.25)
			for i, q := range tiles {
				weight[i] = 0
				if q.n > 0 {
					z := rt[i] / (4.7 * typical)
					if z = 1 - z*z; z > 0 {
						weight[i] = z * z
					}
				}
			}
		} else {
			for i := range weight {
				weight[i] = 1
			}
		}
		clear(a)
		clear(x)
		// Priors: the lamp may differ by a third, reflections by a tenth of
		// white; shorter waves are less likely, by the square of the order.
		for j := range lightOrderY {
			for i := range lightOrderX {
				k := j*lightOrderX + i
				damp := 1 + float64(i*i+j*j)/4
				a[k*m+k] = sq(damp / 0.3)
				a[(k+lightTerms)*m+k+lightTerms] = sq(damp / 0.1)
			}
		}
		noise := math.Max(scale, 1)
		for i, q := range tiles {
			if q.n == 0 || weight[i] == 0 {
				continue
			}
			// Tile means, not pixels, are the independent pieces of
			// information: a misfit of half a code each.
			w := weight[i] / (q.n * (noise*noise/math.Max(q.n/16, 1) + 0.25))
			phi := &b.at[i]
			for j := range lightTerms {
				pj := phi[j] * w
				rowA, rowO := a[j*m:], a[(j+lightTerms)*m:]
				for k := 0; k <= j; k++ {
					p := pj * phi[k]
					rowA[k] += p * q.ss
					rowO[k] += p * q.sw
					rowO[k+lightTerms] += p * q.ww
				}
				for k := j + 1; k < lightTerms; k++ {
					rowO[k] += pj * phi[k] * q.sw
				}
				x[j] += pj * q.sd
				x[j+lightTerms] += pj * q.wd
			}
		}
		if !solveSPD(a, x) {
			return
		}
		copy(f.gain[c][:], x[:lightTerms])
		copy(f.offset[c][:], x[lightTerms:])
		for i := range tiles {
			var g, o float64
			for j := range lightTerms {
				g += f.gain[c][j] * b.at[i][j]
				o += f.offset[c][j] * b.at[i][j]
			}
			ga[i], of[i] = float32(g), float32(o)
		}
		if iteration == 0 {
			scale = d.lightScale(t, b, pix, c, ga, of, &s, slope)
		}
	}
}

// tileMisfit is the mean difference, in codes, that the fit leaves in a tile.
func tileMisfit(q lightTile, g, o float64) float64 {
	// Least-squares offset of the residual along W.
	return (q.wd - g*q.sw - o*q.ww) / math.Sqrt(q.ww*q.n)
}

// lightScale is the robust pixel noise about the first fit, in codes.
func (d *deck) lightScale(t *template, b *lightBasis, pix []byte, c int, ga, of []float32, s, slope *[256]float32) float64 {
	var hist [1024]int
	total := 0
	light := lightTable()
	in := int((d.margin + alignInsetMM) * d.px)
	for y := in; y < d.h-in; y += 4 {
		for x := in; x < d.w-in; x += 4 {
			i := y*d.w + x
			k := int(t.code[c][i] + 0.5)
			tile := y/b.tile*b.tw + x/b.tile
			r := slope[k]*(light[pix[3*i+c]]-consLight(light, t.code[c][i])) - ga[tile]*s[k] - of[tile]*slope[k]
			hist[min(1023, int(math.Abs(float64(r))*8))]++
			total++
		}
	}
	half := 0
	for k, n := range hist {
		if half += n; 2*half >= total && total > 0 {
			return madToSigma * (float64(k) + 0.5) / 8
		}
	}
	return 1
}

func sq(x float64) float64 { return x * x }
