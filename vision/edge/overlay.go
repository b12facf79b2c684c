package edge

import (
	"image"
	"image/color"

	"fairdeck/vision/frame"
	"fairdeck/vision/sleeve"
)

// Overlay draws what was read onto a copy of the picture: each layer's line
// as a tick series (every tenth layer longer), outliers along their whole
// length, red where a person sees them and amber where only a camera does.
func Overlay(img *frame.Image, s *Side) *frame.Image {
	out := img.Clone()
	for i, l := range s.Layers {
		c, every := color.RGBA{60, 255, 60, 255}, 6
		if (i+1)%10 == 0 {
			c, every = color.RGBA{0, 255, 255, 255}, 2
		}
		for _, o := range s.Outliers {
			if o.Layer != l.Number {
				continue
			}
			every = 1
			if c = (color.RGBA{255, 40, 40, 255}); o.Visibility == sleeve.CameraOnly {
				c = color.RGBA{255, 190, 0, 255}
			}
		}
		for k := 0; k+1 < len(l.LinePx); k += every {
			line(out, l.LinePx[k].X, l.LinePx[k].Y, l.LinePx[k+1].X, l.LinePx[k+1].Y, c)
		}
	}
	return out
}

// line draws a line a pixel wide.
func line(img *frame.Image, x0, y0, x1, y1 float64, c color.Color) {
	n := int(max(abs(x1-x0), abs(y1-y0))) + 1
	for i := range n + 1 {
		t := float64(i) / float64(n)
		p := image.Pt(int(x0+t*(x1-x0)+0.5), int(y0+t*(y1-y0)+0.5))
		img.Set(p.X, p.Y, c)
	}
}

func abs(x float64) float64 {
	if x < 0 {
		return -x
	}
	return x
}
