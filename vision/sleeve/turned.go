package sleeve

import "math"

// Which way up: the design's structure, band-passed so that light does not
// count, is correlated with a reference as it lies and turned by half a turn.
// The difference of the two correlations has two separate values when the
// design tells them apart and values about zero when it does not.

// leastStructure is the least contrast (standard deviation of L* over the
// inner part, 1.5 to 8 mm structures) that counts as a design.
const leastStructure = 0.8

// structure is a thumbnail's band-passed, clipped lightness over the inner
// part of the sleeve, unit length, zero mean; all zero where it is weaker
// than leastStructure, which is the light's own unevenness and grain.
func structure(t *thumb, wMM, hMM float64) []float32 {
	// A card of 63 mm presses its edge through a sleeve of 66 mm up to 4 mm
	// from the outline: that, like the outline, is no design.
	const insetMM = 4.5
	// Smoothed to about 1.5 mm: a print that lies half a millimetre off, as a
	// second printing may, is still the same design.
	soft := boxBlur(nil, t.lab[0], t.w, t.h, max(1, int(math.Round(0.75*t.px))))
	band := bandPass(nil, soft, t.w, t.h, int(math.Round(4*t.px)))
	var sum, n float64
	abs := make([]float64, 0, len(band))
	for y := range t.h {
		for x := range t.w {
			i := y*t.w + x
			if t.inset(x, y, wMM, hMM) < insetMM {
				band[i] = 0
				continue
			}
			abs = append(abs, math.Abs(float64(band[i])))
			sum += float64(band[i])
			n++
		}
	}
	if n == 0 {
		return band
	}
	// Glare and stains are clipped to what the design itself reaches.
	limit := float32(6 * median(abs))
	mean := float32(sum / n)
	norm := 0.0
	for y := range t.h {
		for x := range t.w {
			i := y*t.w + x
			if t.inset(x, y, wMM, hMM) < insetMM {
				continue
			}
			band[i] = max(-limit, min(limit, band[i]-mean))
			norm += float64(band[i]) * float64(band[i])
		}
	}
	if count := math.Max(n, 1); math.Sqrt(norm/count) < leastStructure {
		clear(band)
		return band
	}
	if norm > 0 {
		s := float32(1 / math.Sqrt(norm))
		for i := range band {
			band[i] *= s
		}
	}
	return band
}

// printAlike is how far the sleeves' structures must agree to be one print.
const printAlike = 0.8

// oddPart is what a structure has and its turned self has not, less what a
// small shift, turn or stretch of it would look like: a symmetric print that
// lies a tenth of a millimetre off is odd, too, and is not turned.
func oddPart(ref []float32, w, h int) []float32 {
	n := len(ref)
	odd := make([]float32, n)
	for i := range ref {
		odd[i] = ref[i] - ref[n-1-i]
	}
	var moves [6][]float32
	for j := range moves {
		moves[j] = make([]float32, n)
	}
	for y := 1; y < h-1; y++ {
		for x := 1; x < w-1; x++ {
			i := y*w + x
			gx, gy := ref[i+1]-ref[i-1], ref[i+w]-ref[i-w]
			u, v := 2*float32(x)/float32(w)-1, 2*float32(y)/float32(h)-1
			for j, m := range [6]float32{gx, gy, u * gx, v * gx, u * gy, v * gy} {
				moves[j][i] = m
			}
		}
	}
	var a [36]float64
	var b [6]float64
	for j := range moves {
		b[j] = correlation(moves[j], odd)
		for k := 0; k <= j; k++ {
			a[6*j+k] = correlation(moves[j], moves[k])
		}
		a[7*j] += 1e-9
	}
	if solveSPD(a[:], b[:]) {
		for j, m := range moves {
			f := float32(b[j])
			for i := range odd {
				odd[i] -= f * m[i]
			}
		}
	}
	return odd
}

func correlation(a, b []float32) float64 {
	s := 0.0
	for i, x := range a {
		s += float64(x) * float64(b[i])
	}
	return s
}

func correlationTurned(a, b []float32) float64 {
	s := 0.0
	n := len(a) - 1
	for i, x := range a {
		s += float64(x) * float64(b[n-i])
	}
	return s
}

// orient decides which plates are turned against the majority and reports
// whether the design tells the two ways apart. score is, for each plate, how
// clearly it lies as decided, in standard deviations of the deck.
func (d *deck) orient() (known bool, asymmetry float64) {
	n := len(d.plates)
	s := make([][]float32, n)
	for k, p := range d.plates {
		s[k] = structure(p.thumb, d.wMM, d.hMM)
	}
	if n < 2 {
		return false, 0
	}
	ref := append([]float32(nil), s[0]...)
	diff := make([]float64, n)
	turned := make([]bool, n)
	t := d.plates[0].thumb
	for range 4 {
		odd := oddPart(ref, t.w, t.h)
		for k := range s {
			diff[k] = correlation(s[k], odd)
			turned[k] = diff[k] < 0
		}
		clear(ref)
		for k := range s {
			if turned[k] {
				for i, x := range s[k] {
					ref[len(ref)-1-i] += x
				}
			} else {
				for i, x := range s[k] {
					ref[i] += x
				}
			}
		}
		norm := math.Sqrt(correlation(ref, ref))
		if norm == 0 {
			return false, 0
		}
		for i := range ref {
			ref[i] /= float32(norm)
		}
	}
	mags := make([]float64, n)
	count := 0
	for k := range s {
		mags[k] = math.Abs(diff[k])
		if turned[k] {
			count++
		}
	}
	typical := medianOf(mags)
	low := robustSigma(mags, typical)
	// The two ways are told apart when the typical difference is far from
	// zero against its own spread (5 sigma: one wrong in millions) and is a
	// real part of the structure (an eighth of the correlation's range; grain
	// and the weld of a plain sleeve stay well below). A print that all sleeves
	// share may be told by less: what differs between its ends is then the
	// print's, too.
	least := 0.125
	alike := make([]float64, n)
	for k := range s {
		alike[k] = math.Max(correlation(s[k], ref), correlationTurned(s[k], ref))
	}
	if median(alike) >= printAlike {
		least = 0.03
	}
	if typical < least || typical < 5*low {
		return false, typical
	}
	if 2*count > n || (2*count == n && turned[0]) {
		for k := range turned {
			turned[k] = !turned[k]
		}
	}
	for k, p := range d.plates {
		if p.turned = turned[k]; p.turned {
			p.thumb.turn()
		}
	}
	return true, typical
}
