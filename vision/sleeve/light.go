package sleeve

import (
	"math"
	"sync"

	"fairdeck/internal/cv"
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
	// alignStride: every second pixel in each direction carries nearly all
	// that neighbours do after the camera's blur.
	alignStride = 2
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

// lightField is the slow difference of one view from the template.
type lightField struct {
	gain   [3][lightTerms]float64 // a, per channel B G R
	offset [3][lightTerms]float64 // o
}

// lightBasis holds what all views share in the fit: the cosines at the tiles'
// centres, and the consensus at the pixels that are looked at.
type lightBasis struct {
	tile   int // px
	tw, th int
	at     [][lightTerms]float64
	// Products of two cosines are cosines of the sum and the difference:
	// these orders make the normal equations' moments.
	across [][2*lightOrderX - 1]float64 // per tile column
	down   [][2*lightOrderY - 1]float64 // per tile row
	places cv.Samples
	s, v   [3][]float32 // S and W of the samples
	light  [3][]float32 // linear light of the samples
}

func (d *deck) newLightBasis(t *template) *lightBasis {
	b := &lightBasis{tile: max(4, int(math.Round(lightTileMM*d.px)))}
	b.tw, b.th = (d.w+b.tile-1)/b.tile, (d.h+b.tile-1)/b.tile
	for i := range b.tw {
		b.across = append(b.across, cosines[[2*lightOrderX - 1]float64](d.lightX((float64(i)+0.5)*float64(b.tile))))
	}
	for i := range b.th {
		b.down = append(b.down, cosines[[2*lightOrderY - 1]float64](d.lightY((float64(i)+0.5)*float64(b.tile))))
	}
	b.at = make([][lightTerms]float64, b.tw*b.th)
	for k := range b.at {
		for j := range lightOrderY {
			for i := range lightOrderX {
				b.at[k][j*lightOrderX+i] = b.across[k%b.tw][i] * b.down[k/b.tw][j]
			}
		}
	}
	// The print's registration inset is right here too.
	in := max(0, int((d.margin+alignInsetMM)*d.px))
	x1 := min(d.w, int((d.margin+d.wMM-alignInsetMM)*d.px))
	y1 := min(d.h, int((d.margin+d.hMM-alignInsetMM)*d.px))
	b.places = cv.Samples{
		NX: max(0, (x1-in+alignStride-1)/alignStride), NY: max(0, (y1-in+alignStride-1)/alignStride),
		X0: in, Y0: in, Stride: alignStride, Tile: b.tile, TW: b.tw,
	}
	slope, light := codeSlope(), lightTable()
	for c := range 3 {
		n := b.places.NX * b.places.NY
		b.s[c], b.v[c], b.light[c] = make([]float32, n), make([]float32, n), make([]float32, n)
		b.each(d.w, func(k, i int) {
			cc := t.code[c][i]
			j := int(cc + 0.5)
			b.s[c][k], b.v[c][k], b.light[c][k] = light[j]*slope[j], slope[j], consLight(light, cc)
		})
	}
	return b
}

// each calls f with the number of each sample and its pixel in views of w px.
func (b *lightBasis) each(w int, f func(k, i int)) {
	k := 0
	for j := range b.places.NY {
		i := (b.places.Y0+j*b.places.Stride)*w + b.places.X0
		for range b.places.NX {
			f(k, i)
			k++
			i += b.places.Stride
		}
	}
}

// lightX and lightY are places on the sleeve, 0 to 1, as half waves.
func (d *deck) lightX(x float64) float64 {
	return math.Pi * clamp(((x+0.5)/d.px-d.margin)/d.wMM, -0.05, 1.05)
}

func (d *deck) lightY(y float64) float64 {
	return math.Pi * clamp(((y+0.5)/d.px-d.margin)/d.hMM, -0.05, 1.05)
}

// cosines fills an array with cos(k a).
func cosines[A [lightOrderX]float64 | [lightOrderY]float64 | [2*lightOrderX - 1]float64 | [2*lightOrderY - 1]float64](a float64) (out A) {
	for k := range len(out) {
		out[k] = math.Cos(float64(k) * a)
	}
	return out
}

func (d *deck) lightCosines(x, y float64) (c [lightTerms]float64) {
	across, down := cosines[[lightOrderX]float64](d.lightX(x)), cosines[[lightOrderY]float64](d.lightY(y))
	for j, v := range down {
		for i, u := range across {
			c[j*lightOrderX+i] = v * u
		}
	}
	return c
}

// lightMoments are sums over the tiles of a weight times cos(p u) cos(q v).
type lightMoments [2*lightOrderY - 1][2*lightOrderX - 1]float64

// add puts in one tile row's sums over cos(p u).
func (m *lightMoments) add(row *[2*lightOrderX - 1]float64, down *[2*lightOrderY - 1]float64) {
	for q, v := range down {
		for p, u := range row {
			m[q][p] += u * v
		}
	}
}

// product is the sum of the weight times two basis functions, j and k.
func (m *lightMoments) product(j, k int) float64 {
	i1, j1, i2, j2 := j%lightOrderX, j/lightOrderX, k%lightOrderX, k/lightOrderX
	return (m[abs(j1-j2)][abs(i1-i2)] + m[abs(j1-j2)][i1+i2] + m[j1+j2][abs(i1-i2)] + m[j1+j2][i1+i2]) / 4
}

// lightTile holds one tile's normal equations for (a, o) of one channel.
type lightTile struct{ ss, sw, ww, sd, wd, n float64 }

// fitLight fits the light field of a registered view to the template that the
// basis was made for. Pixels with a reason are not used.
func (d *deck) fitLight(t *template, b *lightBasis, pix []byte, reasons []byte) *lightField {
	f := &lightField{}
	if b.places.NX == 0 || b.places.NY == 0 {
		return f
	}
	n := b.places.NX * b.places.NY
	use, rest := d.scratch.get(n), d.scratch.get(n)
	defer d.scratch.put(use, rest)
	b.each(d.w, func(k, i int) {
		use[k] = 1
		if reasons[i] != 0 {
			use[k] = 0
		}
	})
	light := lightTable()
	for c := range 3 {
		v, cons := b.v[c], b.light[c]
		b.each(d.w, func(k, i int) { rest[k] = v[k] * (light[pix[3*i+c]] - cons[k]) })
		d.fitLightChannel(t, b, pix, rest, use, c, f)
	}
	return f
}

// newLightTiles sums what does not change while the fit is iterated.
func (b *lightBasis) newLightTiles(use []float32, c int) []lightTile {
	tiles := make([]lightTile, b.tw*b.th)
	for j := range b.places.NY {
		row := (b.places.Y0 + j*b.places.Stride) / b.tile * b.tw
		for i := range b.places.NX {
			k := j*b.places.NX + i
			if use[k] == 0 {
				continue
			}
			s, v := b.s[c][k], b.v[c][k]
			q := &tiles[row+(b.places.X0+i*b.places.Stride)/b.tile]
			q.n++
			q.ss += float64(s * s)
			q.sw += float64(s * v)
			q.ww += float64(v * v)
		}
	}
	return tiles
}

func (d *deck) fitLightChannel(t *template, b *lightBasis, pix []byte, rest, use []float32, c int, f *lightField) {
	slope, light := codeSlope(), lightTable()
	var s [256]float32
	for i := range s {
		s[i] = light[i] * slope[i]
	}
	const m = 2 * lightTerms
	tiles := b.newLightTiles(use, c)
	sd, wd := make([]float64, len(tiles)), make([]float64, len(tiles))
	a := make([]float64, m*m)
	x := make([]float64, m)
	scale := 0.0
	weight := make([]float64, len(tiles))
	ga, of := make([]float32, len(tiles)), make([]float32, len(tiles))
	for iteration := range 4 {
		// Residuals beyond the limit are clipped: marks, dust, misfit edges.
		limit := float32(40)
		if iteration > 0 {
			limit = float32(math.Max(3*scale, 3))
		}
		clear(sd)
		clear(wd)
		cv.LightSums(rest, b.s[c], b.v[c], use, b.places, ga, of, limit, sd, wd)
		for i := range tiles {
			tiles[i].sd, tiles[i].wd = sd[i], wd[i]
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
		var ss, sw, ww, rs, rw lightMoments
		for ty := range b.th {
			var row [5][2*lightOrderX - 1]float64
			for tx := range b.tw {
				i := ty*b.tw + tx
				q := &tiles[i]
				if q.n == 0 || weight[i] == 0 {
					continue
				}
				// Tile means, not pixels, are the independent pieces of
				// information: a misfit of half a code each.
				w := weight[i] / (q.n * (noise*noise/math.Max(q.n/16, 1) + 0.25))
				for e, v := range [5]float64{q.ss, q.sw, q.ww, q.sd, q.wd} {
					v *= w
					for p, u := range b.across[tx] {
						row[e][p] += v * u
					}
				}
			}
			for e, mom := range [5]*lightMoments{&ss, &sw, &ww, &rs, &rw} {
				mom.add(&row[e], &b.down[ty])
			}
		}
		for j := range lightTerms {
			for k := range lightTerms {
				a[(j+lightTerms)*m+k] += sw.product(j, k)
				if k <= j {
					a[j*m+k] += ss.product(j, k)
					a[(j+lightTerms)*m+k+lightTerms] += ww.product(j, k)
				}
			}
			x[j] = rs[j/lightOrderX][j%lightOrderX]
			x[j+lightTerms] = rw[j/lightOrderX][j%lightOrderX]
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
