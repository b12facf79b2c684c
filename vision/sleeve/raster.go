package sleeve

import "fairdeck/internal/cv"

// Small operations on one-channel planes, row-major float32.

// boxBlur averages over a (2r+1)-square; beyond the rim the rim's pixels
// repeat. The result is lent by sc.
func boxBlur(sc *scratch, src []float32, w, h, r int) []float32 {
	dst := sc.get(len(src))
	cv.Box(src, dst, w, h, r)
	return dst
}

// bandPass is a plane less its own mean over a (2r+1)-square.
func bandPass(sc *scratch, src []float32, w, h, r int) []float32 {
	b := boxBlur(sc, src, w, h, r)
	for i, v := range src {
		b[i] = v - b[i]
	}
	return b
}
