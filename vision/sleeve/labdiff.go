package sleeve

import (
	"fairdeck/internal/cv"
	"fairdeck/vision/colour"
)

// labPlanes holds a picture in CIELAB.
type labPlanes [3][]float32

// labOf converts BGR codes with fractions (256ths).
func labOfMid(mid []uint16) labPlanes {
	n := len(mid) / 3
	var p labPlanes
	for c := range p {
		p[c] = make([]float32, n)
	}
	for i := range n {
		l := colour.ToLab(linearFraction(mid[3*i+2]), linearFraction(mid[3*i+1]), linearFraction(mid[3*i]))
		p[0][i], p[1][i], p[2][i] = float32(l.L), float32(l.A), float32(l.B)
	}
	return p
}

// difference is sleeve minus consensus in CIELAB, lightly smoothed (binomial,
// 0.7 px: about what demosaicking did already), zero off the mask.
func (d *deck) labDifference(b *filterBank, k int) labPlanes {
	lab := b.labs[d.plates[k].batch]
	n := d.w * d.h
	var sharp, p labPlanes
	for c := range p {
		sharp[c], p[c] = d.scratch.get(n), make([]float32, n)
	}
	defer d.scratch.put(sharp[:]...)
	cv.LabDifference(d.view(k), lab, b.mask, d.reason(k), lightTable()[:], sharp)
	for c := range p {
		cv.Binomial(sharp[c], p[c], d.w, d.h)
	}
	return p
}

// deltaE is CIEDE2000 between the consensus and the consensus plus diff.
func deltaE(cons, diff *labPlanes, i int) float64 {
	c := colour.Lab{L: float64(cons[0][i]), A: float64(cons[1][i]), B: float64(cons[2][i])}
	s := colour.Lab{L: c.L + float64(diff[0][i]), A: c.A + float64(diff[1][i]), B: c.B + float64(diff[2][i])}
	return colour.DeltaE2000(c, s)
}

// deltaE76Plane is the Euclidean difference of every pixel.
func deltaE76Plane(p *labPlanes) []float32 {
	out := make([]float32, len(p[0]))
	cv.Lengths(*p, out)
	return out
}
