package edge

import (
	"sync"

	"fairdeck/vision/frame"
)

// strips are the picture's light, averaged over narrow columns. Across a
// column of a few pixels a layer's line is level enough, and the average
// takes the sensor's noise and the paper's grain out.
type strips struct {
	n, rows int       // columns of the grid, picture rows
	width   float64   // px per strip
	light   []float32 // n x rows, strip after strip: mean sRGB code of the channels
}

// at returns the profile of strip k.
func (s *strips) at(k int) []float32 { return s.light[k*s.rows : (k+1)*s.rows] }

// centre returns the picture column of the middle of strip k.
func (s *strips) centre(k int) float64 { return (float64(k)+0.5)*s.width - 0.5 }

// stripCount is the number of strips across a picture. 240 strips make a
// layer's line level within a pixel across one strip up to slopes of 1 in 8 on
// a picture of 2000 px.
const stripCount = 240

// cutStrips averages columns. Equal weights for the channels keep saturated
// sleeves (blue on black) as bright as grey ones; brightness as an eye sees
// it plays no part in finding lines.
func cutStrips(img *frame.Image, workers int) *strips {
	w := max(2, float64(img.Width)/stripCount)
	s := &strips{n: int(float64(img.Width) / w), rows: img.Height, width: w}
	s.light = make([]float32, s.n*s.rows)
	edges := make([]int, s.n+1)
	for k := range edges {
		edges[k] = int(float64(k) * w)
	}
	inRows(img.Height, workers, func(y0, y1 int) {
		for y := y0; y < y1; y++ {
			row := img.Row(y)
			for k := range s.n {
				sum := 0
				part := row[3*edges[k] : 3*edges[k+1]]
				for _, v := range part {
					sum += int(v)
				}
				s.light[k*s.rows+y] = float32(sum) / float32(len(part))
			}
		}
	})
	return s
}

// inRows splits 0..n among workers.
func inRows(n, workers int, f func(from, to int)) {
	workers = max(1, min(workers, n))
	if workers == 1 {
		f(0, n)
		return
	}
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() { f(i*n/workers, (i+1)*n/workers) })
	}
	wg.Wait()
}

// turned returns the picture with rows and columns exchanged, so that a
// standing deck lies: its left becomes the top.
func turned(img *frame.Image) *frame.Image {
	out := frame.New(img.Height, img.Width)
	const tile = 32 // both pictures' cache lines stay in reach
	for ty := 0; ty < img.Height; ty += tile {
		for tx := 0; tx < img.Width; tx += tile {
			for y := ty; y < min(ty+tile, img.Height); y++ {
				for x := tx; x < min(tx+tile, img.Width); x++ {
					i, j := 3*(y*img.Width+x), 3*(x*img.Height+y)
					out.Pix[j], out.Pix[j+1], out.Pix[j+2] = img.Pix[i], img.Pix[i+1], img.Pix[i+2]
				}
			}
		}
	}
	return out
}

// slope is the vertical derivative of a profile, per pixel.
func slope(p []float32) []float32 {
	d := make([]float32, len(p))
	for y := 1; y+1 < len(p); y++ {
		d[y] = (p[y+1] - p[y-1]) / 2
	}
	return d
}
