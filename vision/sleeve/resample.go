package sleeve

import (
	"math"

	"fairdeck/internal/cv"
)

// outlineBandMM: print further than this from the outline follows the print's
// registration, pixels nearer than half of it follow the outline.
const outlineBandMM = 0.8

// resample writes the registered view into dst (bicubic).
func (d *deck) resample(t *template, w *warp, pix, dst []byte) error {
	return cv.WarpField(pix, dst, d.fieldOf(t, w))
}

// fieldOf is a warp as a displacement of every pixel.
func (d *deck) fieldOf(t *template, w *warp) *cv.Field {
	f := &cv.Field{
		Width: d.w, Height: d.h, Tile: t.tile, TW: t.tw, TH: t.th,
		TileDX: make([]float32, len(w.dx)), TileDY: make([]float32, len(w.dy)),
		LeftDX: make([]float32, d.h), RightDX: make([]float32, d.h), Down: make([]float32, d.h), BlendY: make([]float32, d.h),
		TopDY: make([]float32, d.w), BottomDY: make([]float32, d.w), Across: make([]float32, d.w), BlendX: make([]float32, d.w),
	}
	for i := range w.dx {
		f.TileDX[i], f.TileDY[i] = float32(w.dx[i]), float32(w.dy[i])
	}
	blend := func(inset float64) float32 { return float32(inset*(2/outlineBandMM) - 1) }
	for x := range d.w {
		mm := (float64(x)+0.5)/d.px - d.margin
		u := clamp(mm/d.wMM, 0, 1)
		f.Across[x], f.BlendX[x] = float32(u), blend(math.Min(mm, d.wMM-mm))
		f.TopDY[x], f.BottomDY[x] = float32(w.outline[sideTop].at(2*u-1)), float32(w.outline[sideBottom].at(2*u-1))
	}
	for y := range d.h {
		mm := (float64(y)+0.5)/d.px - d.margin
		v := clamp(mm/d.hMM, 0, 1)
		f.Down[y], f.BlendY[y] = float32(v), blend(math.Min(mm, d.hMM-mm))
		f.LeftDX[y], f.RightDX[y] = float32(w.outline[sideLeft].at(2*v-1)), float32(w.outline[sideRight].at(2*v-1))
	}
	return f
}

// relight removes the light field from a registered view in place: what the
// consensus would look like in this light, less the consensus, is taken off,
// so that no noise is amplified and no print left over.
func (d *deck) relight(t *template, f *lightField, pix []byte) {
	// The fields are smooth: evaluated every 8 px and interpolated.
	const step = 8
	gw, gh := (d.w-1)/step+2, (d.h-1)/step+2
	grid := make([]float32, 6*gw*gh)
	across := make([][lightOrderX]float64, gw)
	for gx := range across {
		across[gx] = cosines[[lightOrderX]float64](d.lightX(float64(gx * step)))
	}
	for gy := range gh {
		down := cosines[[lightOrderY]float64](d.lightY(float64(gy * step)))
		for e := range 6 {
			terms := &f.gain[e%3]
			if e >= 3 {
				terms = &f.offset[e-3]
			}
			var row [lightOrderX]float64
			for j, v := range down {
				for i := range row {
					row[i] += terms[j*lightOrderX+i] * v
				}
			}
			for gx := range across {
				sum := 0.0
				for i, v := range row {
					sum += v * across[gx][i]
				}
				grid[6*(gy*gw+gx)+e] = float32(sum)
			}
		}
	}
	cv.Relight(pix, t.mid, d.w, d.h, grid, step, gw)
}

// amount is how much light the field takes off at a place of the sleeve, in
// codes of luma at the consensus's typical code there.
func (f *lightField) amount(d *deck, t *template, x, y float64) float64 {
	c := d.lightCosines(x, y)
	slope, light := codeSlope(), lightTable()
	i := int(clamp(y, 0, float64(d.h-1)))*d.w + int(clamp(x, 0, float64(d.w-1)))
	sum := 0.0
	for ch, w := range [3]float64{0.114, 0.587, 0.299} {
		var a, o float64
		for j := range c {
			a += f.gain[ch][j] * c[j]
			o += f.offset[ch][j] * c[j]
		}
		k := int(t.code[ch][i])
		sum += w * (a*float64(light[k]) + o) * float64(slope[k])
	}
	return sum
}
