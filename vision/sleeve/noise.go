package sleeve

import "math"

// The noise of a clean sleeve about the consensus, per pixel and channel, in
// codes: what the deck itself scatters at the place, pooled over neighbours,
// plus what a misregistration of a fraction of a pixel does at print edges,
//
//	sigma^2(p) = pooled(spread^2 - k g^2)(p) + k g^2(p)
//
// with g the gradient of the consensus and k fitted to the deck. The spread
// is the shortest half's: a mark shared by 24 of 60 sleeves does not widen it
// and so does not hide itself.

const (
	// shortestHalfSigmas: the shortest half of a normal sample is 2 x 0.6745
	// standard deviations long.
	shortestHalfSigmas = 1.349
	// codeNoiseFloor is the noise of rounding to whole codes twice (camera
	// and registration), 2 x 1/12, rounded up: no pixel is quieter.
	codeNoiseFloor = 0.45
	// poolSamples is how many values one pooled sigma rests on at least.
	poolSamples = 1500
)

// noiseModel returns 1/sigma for each channel (B, G, R) and pixel.
func (d *deck) noiseModel(t *template, o *order, n int) [3][]float32 {
	var inv [3][]float32
	// The outline's own scatter is not the sleeve's and must not leak inwards.
	inside := d.sleeveMask(0)
	size := d.w * d.h
	// A small sample's shortest half is too short; the factor tends to 1.
	small := 1 + 2.5/float64(n)
	radius := max(2, int(math.Ceil((math.Sqrt(poolSamples/float64(n))-1)/2)))
	for c := range inv {
		code := t.code[c]
		v, g2 := make([]float32, size), make([]float32, size)
		for y := 1; y < d.h-1; y++ {
			for x := 1; x < d.w-1; x++ {
				i := y*d.w + x
				gx, gy := (code[i+1]-code[i-1])/2, (code[i+d.w]-code[i-d.w])/2
				g2[i] = gx*gx + gy*gy
				s := float64(o.spread[3*i+c]) / shortestHalfSigmas * small
				v[i] = float32(s*s + 1.0/12)
			}
		}
		k := d.gradientNoise(v, g2)
		for i := range v {
			v[i] = max(0, v[i]-k*g2[i]) * inside[i]
		}
		pooled := boxBlur(nil, v, d.w, d.h, radius)
		for i, share := range boxBlur(nil, inside, d.w, d.h, radius) {
			if share > 0 {
				pooled[i] /= share
			}
		}
		floor := float32(codeNoiseFloor * codeNoiseFloor)
		for i := range pooled {
			pooled[i] = float32(1 / math.Sqrt(float64(max(floor, pooled[i]+k*g2[i]))))
		}
		inv[c] = pooled
	}
	return inv
}

// gradientNoise fits k of sigma^2 = base + k g^2 by the slope between pixels
// without and with print edges (medians, so that few odd places do not count).
func (d *deck) gradientNoise(v, g2 []float32) float32 {
	const bins = 12 // of g in steps of half an octave from 2 codes/px
	var flat []float64
	var by [bins][]float64
	in := int((d.margin + alignInsetMM) * d.px)
	for y := in; y < d.h-in; y += 3 {
		for x := in; x < d.w-in; x += 3 {
			i := y*d.w + x
			g := float64(g2[i])
			if g < 1 {
				flat = append(flat, float64(v[i]))
				continue
			}
			if b := int(math.Log2(g / 4)); g >= 4 && b < bins {
				by[b] = append(by[b], float64(v[i]))
			}
		}
	}
	base := median(flat)
	var num, den float64
	for b := range by {
		if len(by[b]) < 30 {
			continue
		}
		g := 4 * math.Exp2(float64(b)+0.5)
		// Equal weight for each bin's own estimate of k, by its lever.
		w := float64(len(by[b]))
		num += w * (median(by[b]) - base) / g
		den += w
	}
	if den == 0 {
		return 0
	}
	// Half a pixel of misregistration would be 0.25: more is not registration.
	return float32(clamp(num/den, 0, 0.25))
}
