package report

import (
	"encoding/base64"
	"html/template"
	"image"
	"math"

	"fairdeck/internal/cv"
	"fairdeck/vision/frame"
)

// dataURI is a picture as an address that holds it.
func dataURI(img *frame.Image, quality int) (template.URL, error) {
	b, err := cv.EncodeJPEG(img, quality)
	if err != nil {
		return "", err
	}
	// The address is built of base64 alone; nothing in it comes from outside.
	return template.URL("data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(b)), nil
}

// fit returns the picture at no more than the given width, averaging pixels
// by the area that each covers.
func fit(img *frame.Image, width int) *frame.Image {
	if img.Width <= width {
		return img
	}
	height := max(1, int(math.Round(float64(img.Height)*float64(width)/float64(img.Width))))
	out := frame.New(width, height)
	cols, rows := spans(img.Width, width), spans(img.Height, height)
	// Rows first: acc holds one line of the result at full width.
	acc := make([]float64, 3*img.Width)
	for y, r := range rows {
		clear(acc)
		for k, w := range r.weights {
			for i, v := range img.Row(r.from + k) {
				acc[i] += w * float64(v)
			}
		}
		dst := out.Row(y)
		for x, c := range cols {
			var b, g, rd float64
			for k, w := range c.weights {
				i := 3 * (c.from + k)
				b, g, rd = b+w*acc[i], g+w*acc[i+1], rd+w*acc[i+2]
			}
			dst[3*x], dst[3*x+1], dst[3*x+2] = uint8(b+0.5), uint8(g+0.5), uint8(rd+0.5)
		}
	}
	return out
}

// span is the source pixels that one target pixel covers; weights add to 1.
type span struct {
	from    int
	weights []float64
}

func spans(src, dst int) []span {
	scale := float64(src) / float64(dst)
	out := make([]span, dst)
	for i := range out {
		a, b := float64(i)*scale, float64(i+1)*scale
		from, to := int(a), min(src, int(math.Ceil(b-1e-9)))
		s := span{from: from}
		for k := from; k < to; k++ {
			s.weights = append(s.weights, (min(b, float64(k+1))-max(a, float64(k)))/scale)
		}
		out[i] = s
	}
	return out
}

// heatTop is the difference at which the heat map's scale ends: at ΔE 12
// even a small mark is obvious.
const heatTop = 12.0

// heatStops are the colours of the heat map from no difference to heatTop,
// evenly spaced: dark to light, so that it reads in grey print as well.
var heatStops = [...][3]float64{{22, 18, 38}, {66, 24, 102}, {150, 38, 103}, {221, 81, 58}, {252, 165, 10}, {252, 255, 190}}

// heat draws differences (tenths of ΔE, width x height) no wider than limit.
// Each pixel shows the largest difference that it covers: a mark of one pixel
// stays visible.
func heat(deltaE []uint8, width, height, limit int) *frame.Image {
	n := max(1, (width+limit-1)/limit)
	out := frame.New((width+n-1)/n, (height+n-1)/n)
	for y := range out.Height {
		for x := range out.Width {
			top := uint8(0)
			for dy := y * n; dy < min((y+1)*n, height); dy++ {
				for dx := x * n; dx < min((x+1)*n, width); dx++ {
					top = max(top, deltaE[dy*width+dx])
				}
			}
			t := min(1, float64(top)/10/heatTop) * float64(len(heatStops)-1)
			i := min(int(t), len(heatStops)-2)
			f := t - float64(i)
			mix := func(k int) uint8 { return uint8(heatStops[i][k]*(1-f) + heatStops[i+1][k]*f + 0.5) }
			out.SetBGR(x, y, mix(2), mix(1), mix(0))
		}
	}
	return out
}

// window is a part of a view: pixels, and the same in mm of the sleeve.
type window struct {
	px                      image.Rectangle
	XMM, YMM, WidthMM, HtMM float64
}

// cut returns the part of a view of the given size around a place in mm,
// moved inside where it would reach beyond the rim.
func cut(img *frame.Image, pxPerMM, marginMM, x, y, sideMM float64) window {
	side := min(int(math.Ceil(sideMM*pxPerMM)), img.Width, img.Height)
	left := int(math.Round((x+marginMM)*pxPerMM)) - side/2
	top := int(math.Round((y+marginMM)*pxPerMM)) - side/2
	left = max(0, min(left, img.Width-side))
	top = max(0, min(top, img.Height-side))
	return window{
		px:  image.Rect(left, top, left+side, top+side),
		XMM: float64(left)/pxPerMM - marginMM, YMM: float64(top)/pxPerMM - marginMM,
		WidthMM: float64(side) / pxPerMM, HtMM: float64(side) / pxPerMM,
	}
}
