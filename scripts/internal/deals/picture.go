package main

import (
	"math"
	"os"
	"path/filepath"

	"fairdeck/internal/cv"
	"fairdeck/vision/frame"
	"fairdeck/vision/settle"
	"fairdeck/vision/visiontest"
)

// drawn writes the picture of a sighting, its outline in red and that of the
// truth, where there is one, in green.
func drawn(path string, g *settle.Sighting, rest *visiontest.DealRest) error {
	m := g.Image.Clone()
	x, y := float64(g.Origin.X), float64(g.Origin.Y)
	for i, c := range g.Detection.Corners {
		d := g.Detection.Corners[(i+1)%4]
		line(m, c.X-x, c.Y-y, d.X-x, d.Y-y, [3]uint8{0, 0, 255})
	}
	if rest != nil {
		for i, c := range rest.Corners {
			d := rest.Corners[(i+1)%4]
			line(m, c[0]-x, c[1]-y, d[0]-x, d[1]-y, [3]uint8{0, 255, 0})
		}
	}
	data, err := cv.EncodeJPEG(m, 90)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o666)
}

func line(m *frame.Image, x0, y0, x1, y1 float64, bgr [3]uint8) {
	n := math.Max(1, math.Hypot(x1-x0, y1-y0))
	for k := 0.0; k <= n; k++ {
		x, y := int(x0+(x1-x0)*k/n+0.5), int(y0+(y1-y0)*k/n+0.5)
		if x >= 0 && y >= 0 && x < m.Width && y < m.Height {
			m.SetBGR(x, y, bgr[0], bgr[1], bgr[2])
		}
	}
}
