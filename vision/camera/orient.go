package camera

import "fairdeck/vision/frame"

// orient turns a picture as an EXIF orientation of 1 to 8 asks (EXIF 2.32,
// table of tag 0x0112); other values leave it as it is.
func orient(m *frame.Image, orientation int) *frame.Image {
	if orientation < 2 || orientation > 8 {
		return m
	}
	w, h := m.Width, m.Height
	if orientation >= 5 {
		w, h = h, w
	}
	out := frame.New(w, h)
	for y := range h {
		for x := range w {
			sx, sy := x, y
			switch orientation {
			case 2:
				sx = w - 1 - x
			case 3:
				sx, sy = w-1-x, h-1-y
			case 4:
				sy = h - 1 - y
			case 5:
				sx, sy = y, x
			case 6:
				sx, sy = y, w-1-x
			case 7:
				sx, sy = h-1-y, w-1-x
			case 8:
				sx, sy = h-1-y, x
			}
			b, g, r := m.BGR(sx, sy)
			out.SetBGR(x, y, b, g, r)
		}
	}
	return out
}
