package sleeve

import "math"

// solveSPD solves a x = b for a symmetric positive definite a (n x n,
// row-major; the lower triangle is read and overwritten) by Cholesky's
// method. b becomes x. It reports whether a was positive definite.
func solveSPD(a, b []float64) bool {
	n := len(b)
	for j := range n {
		s := a[j*n+j]
		for k := range j {
			s -= a[j*n+k] * a[j*n+k]
		}
		if !(s > 0) || math.IsInf(s, 0) {
			return false
		}
		l := math.Sqrt(s)
		a[j*n+j] = l
		for i := j + 1; i < n; i++ {
			s := a[i*n+j]
			ri, rj := a[i*n:i*n+j], a[j*n:j*n+j]
			for k := range rj {
				s -= ri[k] * rj[k]
			}
			a[i*n+j] = s / l
		}
	}
	for i := range n {
		s := b[i]
		for k := range i {
			s -= a[i*n+k] * b[k]
		}
		b[i] = s / a[i*n+i]
	}
	for i := n - 1; i >= 0; i-- {
		s := b[i]
		for k := i + 1; k < n; k++ {
			s -= a[k*n+i] * b[k]
		}
		b[i] = s / a[i*n+i]
	}
	return true
}
