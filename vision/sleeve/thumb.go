package sleeve

import (
	"math"

	"fairdeck/vision/colour"
	"fairdeck/vision/frame"
)

// thumbPxPerMM is the scale of thumbnails: half a millimetre a pixel is finer
// than any design that tells one way up from the other, and ten times fewer
// pixels than the view.
const thumbPxPerMM = 2

// thumb is a view in linear light at about [thumbPxPerMM], made by averaging
// whole blocks of pixels, where light adds up.
type thumb struct {
	w, h   int
	px     float64 // per mm
	margin float64 // mm
	rgb    [3][]float32
	lab    [3][]float32 // after gain; filled by toLab
}

func newThumb(img *frame.Image, px, margin float64) *thumb {
	f := max(1, int(math.Round(px/thumbPxPerMM)))
	t := &thumb{w: img.Width / f, h: img.Height / f, px: px / float64(f), margin: margin}
	lin := colour.LinearTable()
	var lut [256]float32
	for i := range lut {
		lut[i] = float32(lin[i])
	}
	n := t.w * t.h
	for c := range t.rgb {
		t.rgb[c] = make([]float32, n)
	}
	scale := float32(1) / float32(f*f)
	sums := make([]float32, 3*t.w)
	for y := range t.h {
		clear(sums)
		for k := range f {
			row := img.Row(y*f + k)
			i := 0
			for x := range t.w {
				var r, g, b float32
				for range f {
					b += lut[row[i]]
					g += lut[row[i+1]]
					r += lut[row[i+2]]
					i += 3
				}
				sums[3*x] += b
				sums[3*x+1] += g
				sums[3*x+2] += r
			}
		}
		for x := range t.w {
			t.rgb[2][y*t.w+x] = sums[3*x] * scale
			t.rgb[1][y*t.w+x] = sums[3*x+1] * scale
			t.rgb[0][y*t.w+x] = sums[3*x+2] * scale
		}
	}
	return t
}

// inset is the distance in mm of a thumbnail pixel from the sleeve's outline,
// negative outside.
func (t *thumb) inset(x, y int, wMM, hMM float64) float64 {
	mx := (float64(x)+0.5)/t.px - t.margin
	my := (float64(y)+0.5)/t.px - t.margin
	return min(mx, my, wMM-mx, hMM-my)
}

// toLab fills lab with the colours after the gain (R, G, B).
func (t *thumb) toLab(gain [3]float64) {
	for c := range t.lab {
		if t.lab[c] == nil {
			t.lab[c] = make([]float32, t.w*t.h)
		}
	}
	for i := range t.rgb[0] {
		l := colour.ToLab(gain[0]*float64(t.rgb[0][i]), gain[1]*float64(t.rgb[1][i]), gain[2]*float64(t.rgb[2][i]))
		t.lab[0][i], t.lab[1][i], t.lab[2][i] = float32(l.L), float32(l.A), float32(l.B)
	}
}

// turn rotates the thumbnail by half a turn in place.
func (t *thumb) turn() {
	for c := range t.rgb {
		reverse(t.rgb[c])
		if t.lab[c] != nil {
			reverse(t.lab[c])
		}
	}
}

func reverse[T any](v []T) {
	for i, j := 0, len(v)-1; i < j; i, j = i+1, j-1 {
		v[i], v[j] = v[j], v[i]
	}
}
