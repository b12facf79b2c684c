package sleeve

import (
	"math"

	"fairdeck/internal/cv"
	"fairdeck/vision/frame"

	"gocv.io/x/gocv"
)

// outlineBandMM: print further than this from the outline follows the print's
// registration, pixels nearer than half of it follow the outline.
const outlineBandMM = 0.8

// resample writes the registered view into dst (bicubic).
func (d *deck) resample(t *template, w *warp, pix, dst []byte) error {
	s := cv.NewScope()
	defer s.Close()
	src, err := s.Wrap(&frame.Image{Width: d.w, Height: d.h, Pix: pix})
	if err != nil {
		return err
	}
	mx := s.Own(gocv.NewMatWithSize(d.h, d.w, gocv.MatTypeCV32FC1))
	my := s.Own(gocv.NewMatWithSize(d.h, d.w, gocv.MatTypeCV32FC1))
	px, err := mx.DataPtrFloat32()
	if err != nil {
		return err
	}
	py, err := my.DataPtrFloat32()
	if err != nil {
		return err
	}
	d.fillMaps(t, w, px, py)
	out := s.Mat()
	if err := cv.Remap(src, out, mx, my, gocv.InterpolationCubic, cv.BorderReplicate, 0); err != nil {
		return err
	}
	data, err := out.DataPtrUint8()
	if err != nil {
		return err
	}
	copy(dst, data)
	return nil
}

func (d *deck) fillMaps(t *template, w *warp, mx, my []float32) {
	rx, ry := make([]float32, t.tw+1), make([]float32, t.tw+1)
	// What depends on the column only.
	us, insets := make([]float32, d.w), make([]float32, d.w)
	top, bottom := make([]float32, d.w), make([]float32, d.w)
	cols := t.fieldColumns()
	for x := range d.w {
		mm := (float64(x)+0.5)/d.px - d.margin
		u := clamp(mm/d.wMM, 0, 1)
		us[x], insets[x] = float32(u), float32(math.Min(mm, d.wMM-mm))
		top[x] = float32(w.outline[sideTop].at(2*u - 1))
		bottom[x] = float32(w.outline[sideBottom].at(2*u - 1))
	}
	for y := range d.h {
		mm := (float64(y)+0.5)/d.px - d.margin
		v := clamp(mm/d.hMM, 0, 1)
		left, right := float32(w.outline[sideLeft].at(2*v-1)), float32(w.outline[sideRight].at(2*v-1))
		insetY, vf := float32(math.Min(mm, d.hMM-mm)), float32(v)
		t.fieldRow(w.dx, w.dy, y, rx, ry)
		for x := range d.w {
			blend := max(0, min(1, min(insetY, insets[x])*(2/outlineBandMM)-1))
			var dx, dy float32
			if blend < 1 {
				dx = left + us[x]*(right-left)
				dy = top[x] + vf*(bottom[x]-top[x])
			}
			if blend > 0 {
				c := cols[x]
				px, py := rx[c.tile]+c.part*(rx[c.tile+1]-rx[c.tile]), ry[c.tile]+c.part*(ry[c.tile+1]-ry[c.tile])
				dx += blend * (px - dx)
				dy += blend * (py - dy)
			}
			mx[y*d.w+x] = float32(x) + dx
			my[y*d.w+x] = float32(y) + dy
		}
	}
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
	cv.Relight(pix, t.mid, d.w, d.h, grid, step, gw, lightTable()[:], codeTable()[:])
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
