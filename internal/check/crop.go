package check

import (
	"image"
	"math"

	"fairdeck/vision/frame"
	"fairdeck/vision/plane"
)

// cut keeps the card's surroundings and forgets the rest of the frame.
func (f *found) cut(img *frame.Image) {
	lo, hi := f.Corners[0], f.Corners[0]
	for _, p := range f.Corners {
		lo = plane.Point{X: min(lo.X, p.X), Y: min(lo.Y, p.Y)}
		hi = plane.Point{X: max(hi.X, p.X), Y: max(hi.Y, p.Y)}
	}
	m := cropMarginMM * f.PxPerMM
	r := image.Rect(int(math.Floor(lo.X-m)), int(math.Floor(lo.Y-m)), int(math.Ceil(hi.X+m))+1, int(math.Ceil(hi.Y+m))+1).Intersect(img.Bounds())
	f.crop = img.Crop(r)
	f.toCrop = plane.Homography{1, 0, -float64(r.Min.X), 0, 1, -float64(r.Min.Y), 0, 0, 1}
}

// shrink averages blocks of n x n pixels. (In code values, not in light: the
// blocks are far finer than anything that is looked for.)
func (f *found) shrink(n int) {
	if n <= 1 || f.crop == nil {
		return
	}
	src := f.crop
	dst := frame.New(src.Width/n, src.Height/n)
	area := n * n
	for y := range dst.Height {
		row := dst.Row(y)
		for x := range dst.Width {
			var b, g, r int
			for dy := range n {
				p := src.Row(y*n + dy)[3*x*n : 3*(x+1)*n]
				for k := 0; k < len(p); k += 3 {
					b, g, r = b+int(p[k]), g+int(p[k+1]), r+int(p[k+2])
				}
			}
			row[3*x], row[3*x+1], row[3*x+2] = uint8((b+area/2)/area), uint8((g+area/2)/area), uint8((r+area/2)/area)
		}
	}
	f.crop = dst
	// The centre of the first block lies (n-1)/2 pixels inside.
	s, t := 1/float64(n), -float64(n-1)/2/float64(n)
	f.toCrop = plane.Homography{s, 0, t, 0, s, t, 0, 0, 1}.Mul(f.toCrop)
}
