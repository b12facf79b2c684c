package sleeve

import "math"

// tableRing returns the table's colour around the sleeve: the median of each
// channel (linear light, R G B) over the margin, away from the sleeve's own
// shadow at the outline. ok is false without a margin to look at.
func tableRing(t *thumb, wMM, hMM float64) (rgb [3]float64, ok bool) {
	// A contact shadow and the blur of the outline reach about a millimetre.
	const shadowMM = 1.0
	var v [3][]float64
	for y := range t.h {
		for x := range t.w {
			if t.inset(x, y, wMM, hMM) < -shadowMM {
				for c := range v {
					v[c] = append(v[c], float64(t.rgb[c][y*t.w+x]))
				}
			}
		}
	}
	if len(v[0]) < 50 {
		return rgb, false
	}
	for c := range v {
		rgb[c] = median(v[c])
		if !(rgb[c] > 1e-3) {
			return rgb, false // black table: nothing to measure light by
		}
	}
	return rgb, true
}

// sleeveTone is the median linear light of the sleeve's inner part, R G B.
func sleeveTone(t *thumb, wMM, hMM float64) (rgb [3]float64) {
	const insetMM = 4
	var v [3][]float64
	for y := range t.h {
		for x := range t.w {
			if t.inset(x, y, wMM, hMM) > insetMM {
				for c := range v {
					v[c] = append(v[c], float64(t.rgb[c][y*t.w+x]))
				}
			}
		}
	}
	for c := range v {
		rgb[c] = math.Max(median(v[c]), 1e-4)
	}
	return rgb
}

// exposures sets each plate's gain from the table around it, so that drift of
// exposure and white balance goes while a batch of another colour stays. The
// table is used only where it makes the deck more alike than it was: a
// patterned playmat or a neighbour in the margin makes it less alike, and
// then no gain is better than a wrong one. It reports whether it was used.
//
// The comparison is by the median absolute deviation, which a minority batch
// does not move.
func (d *deck) exposures() bool {
	n := len(d.plates)
	ring := make([][3]float64, n)
	usable := 0
	for k, p := range d.plates {
		p.gain = [3]float64{1, 1, 1}
		var ok bool
		if ring[k], ok = tableRing(p.thumb, d.wMM, d.hMM); ok {
			usable++
		} else {
			ring[k] = [3]float64{}
		}
	}
	if usable < n || n < 3 {
		return false
	}
	var raw, corrected float64
	var centre [3]float64
	for c := range 3 {
		a, b, r := make([]float64, n), make([]float64, n), make([]float64, n)
		for k, p := range d.plates {
			tone := math.Log(p.tone[c])
			r[k] = math.Log(ring[k][c])
			a[k], b[k] = tone, tone-r[k]
		}
		centre[c] = medianOf(r)
		raw += robustSigma(a, medianOf(a))
		corrected += robustSigma(b, medianOf(b))
	}
	if corrected > 1.15*raw {
		return false
	}
	for k, p := range d.plates {
		for c := range 3 {
			p.gain[c] = math.Exp(clamp(centre[c]-math.Log(ring[k][c]), -math.Ln2, math.Ln2))
		}
	}
	return true
}
