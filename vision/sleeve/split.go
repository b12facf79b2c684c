package sleeve

import (
	"math"
	"slices"
)

// Are there two populations? Of a feature vector per sleeve (colour, print
// offset, size ...) the deck asks for the two-way split with the widest gap:
// 2-means in robustly scaled space, Fisher's direction between the two, then
// the best cut along it. The statistic is the distance of the two means in
// within-group standard deviations. One population, normal, uniform or with
// heavy tails, reaches splitLimit in fewer than one deck of a thousand, which
// the test simulates.

// split is a division of sleeves in two.
type split struct {
	second     []bool  // true for the smaller (or farther) part
	count      int     // how many are in it
	separation float64 // distance of the means over the pooled within-group sigma
}

// splitLimit is the separation that counts as two populations, for n sleeves
// of which k are in the smaller part and features of dim dimensions. A single
// sleeve far out is a weaker sign of another population than several together.
func splitLimit(n, k, dim int) float64 {
	base := 5.0
	switch {
	case k == 1:
		base = 11
	case k == 2:
		base = 9
	case k == 3:
		base = 7.5
	case k <= 5:
		base = 6
	}
	// Directions to choose from and few degrees of freedom widen chance gaps.
	return base + 0.6*float64(dim-1) + 30/float64(n)
}

// minSplit is the least number of sleeves that can show two populations.
const minSplit = 10

// bestSplit finds the split of x (n vectors of equal length) with the largest
// separation relative to its limit. floor is the measurement uncertainty of
// each component: differences below it are never called populations. Nor is
// what differs by less than least (nil: no such bound) in every component.
func bestSplit(x [][]float64, floor, least []float64) (split, bool) {
	n := len(x)
	if n < minSplit {
		return split{}, false
	}
	dim := len(floor)
	// Robust scaling, so that distances mean something before groups are known.
	z := make([][]float64, n)
	for i := range z {
		z[i] = make([]float64, dim)
	}
	col := make([]float64, n)
	unit := make([]float64, dim) // measurement uncertainty in scaled units
	for j := range dim {
		for i := range x {
			col[i] = x[i][j]
		}
		c := medianOf(col)
		s := math.Max(robustSigma(col, c), floor[j])
		unit[j] = floor[j] / s
		for i := range x {
			z[i][j] = (x[i][j] - c) / s
		}
	}
	var best split
	bestRatio := 0.0
	try := func(proj []float64, noise float64) {
		s := cutLine(proj, noise)
		if s.count == 0 || !differs(x, s.second, least) {
			return
		}
		if r := s.separation / splitLimit(n, s.count, dim); r > bestRatio {
			bestRatio, best = r, s
		}
	}
	for j := range dim {
		for i := range z {
			col[i] = z[i][j]
		}
		try(col, unit[j])
	}
	// Fewer sleeves than that always leave some direction with a gap.
	if dim > 1 && n >= 16 {
		for _, start := range extremes(z) {
			lab := twoMeans(z, start[0], start[1])
			if dir := fisher(z, lab); dir != nil {
				noise := 0.0
				for j, v := range dir {
					noise += sq(v * unit[j])
				}
				for i := range z {
					col[i] = 0
					for j, v := range z[i] {
						col[i] += dir[j] * v
					}
				}
				try(col, math.Sqrt(noise))
			}
		}
	}
	return best, bestRatio >= 1
}

// differs reports whether the parts' means differ by at least so much in any
// component.
func differs(x [][]float64, second []bool, least []float64) bool {
	for j, far := range least {
		var sum, n [2]float64
		for i := range x {
			g := one(second[i])
			sum[g] += x[i][j]
			n[g]++
		}
		if math.Abs(sum[1]/n[1]-sum[0]/n[0]) >= far {
			return true
		}
	}
	return least == nil
}

// cutLine is the cut of one-dimensional values with the largest separation
// relative to what its size allows by chance; noise is the values' standard
// uncertainty.
func cutLine(v []float64, noise float64) split {
	n := len(v)
	idx := make([]int, n)
	for i := range idx {
		idx[i] = i
	}
	slices.SortStableFunc(idx, func(a, b int) int {
		switch {
		case v[a] < v[b]:
			return -1
		case v[a] > v[b]:
			return 1
		}
		return a - b
	})
	// Prefix sums give each cut's within-group scatter.
	s1, s2 := make([]float64, n+1), make([]float64, n+1)
	for i, k := range idx {
		s1[i+1] = s1[i] + v[k]
		s2[i+1] = s2[i] + v[k]*v[k]
	}
	spread := math.Sqrt(math.Max(0, s2[n]/float64(n)-sq(s1[n]/float64(n))))
	bestRatio, bestCut := 0.0, 0
	var out split
	for cut := 1; cut < n; cut++ {
		a, b := float64(cut), float64(n-cut)
		ma, mb := s1[cut]/a, (s1[n]-s1[cut])/b
		ss := s2[cut] - a*ma*ma + s2[n] - s2[cut] - b*mb*mb
		// A thousandth of the whole spread keeps rounded data finite.
		sd := math.Sqrt(math.Max(0, ss)/math.Max(1, float64(n-2))+noise*noise) + 1e-3*spread + 1e-12
		sep := (mb - ma) / sd
		k := min(cut, n-cut)
		if r := sep / splitLimit(n, k, 1); r > bestRatio {
			bestRatio, bestCut = r, cut
			out.separation = sep
		}
	}
	if bestCut == 0 {
		return split{}
	}
	out.second = make([]bool, n)
	for i, k := range idx {
		high := i >= bestCut
		out.second[k] = high == (bestCut >= n-bestCut)
		if out.second[k] {
			out.count++
		}
	}
	return out
}

// extremes returns pairs of starting points for 2-means: the vector farthest
// from the middle with the one farthest from it, and each with the middle's
// nearest.
func extremes(z [][]float64) [][2]int {
	norm := func(a []float64) float64 {
		s := 0.0
		for _, v := range a {
			s += v * v
		}
		return s
	}
	far, near := 0, 0
	for i := range z {
		if norm(z[i]) > norm(z[far]) {
			far = i
		}
		if norm(z[i]) < norm(z[near]) {
			near = i
		}
	}
	opp := 0
	for i := range z {
		if dist2(z[i], z[far]) > dist2(z[opp], z[far]) {
			opp = i
		}
	}
	return [][2]int{{far, opp}, {far, near}, {opp, near}}
}

func dist2(a, b []float64) float64 {
	s := 0.0
	for i, v := range a {
		s += sq(v - b[i])
	}
	return s
}

// twoMeans is Lloyd's algorithm from two given vectors.
func twoMeans(z [][]float64, a, b int) []bool {
	ca, cb := slices.Clone(z[a]), slices.Clone(z[b])
	lab := make([]bool, len(z))
	for range 20 {
		changed := false
		for i := range z {
			l := dist2(z[i], cb) < dist2(z[i], ca)
			changed = changed || l != lab[i]
			lab[i] = l
		}
		if !changed {
			break
		}
		clear(ca)
		clear(cb)
		na, nb := 0.0, 0.0
		for i := range z {
			c, n := ca, &na
			if lab[i] {
				c, n = cb, &nb
			}
			*n++
			for j, v := range z[i] {
				c[j] += v
			}
		}
		for j := range ca {
			ca[j] /= math.Max(na, 1)
			cb[j] /= math.Max(nb, 1)
		}
	}
	return lab
}

// fisher is the direction W^-1 (mb - ma) of Fisher's linear discriminant
// (1936), W the within-group covariance plus a tenth of the unit matrix, which
// keeps few sleeves from inventing a direction.
func fisher(z [][]float64, lab []bool) []float64 {
	dim := len(z[0])
	ma, mb := make([]float64, dim), make([]float64, dim)
	na, nb := 0.0, 0.0
	for i := range z {
		m, n := ma, &na
		if lab[i] {
			m, n = mb, &nb
		}
		*n++
		for j, v := range z[i] {
			m[j] += v
		}
	}
	if na == 0 || nb == 0 {
		return nil
	}
	for j := range ma {
		ma[j] /= na
		mb[j] /= nb
	}
	w := make([]float64, dim*dim)
	for i := range z {
		m := ma
		if lab[i] {
			m = mb
		}
		for j := range dim {
			for k := 0; k <= j; k++ {
				w[j*dim+k] += (z[i][j] - m[j]) * (z[i][k] - m[k])
			}
		}
	}
	dof := math.Max(1, na+nb-2)
	for j := range dim {
		for k := 0; k <= j; k++ {
			w[j*dim+k] /= dof
		}
		w[j*dim+j] += 0.1
	}
	dir := make([]float64, dim)
	for j := range dir {
		dir[j] = mb[j] - ma[j]
	}
	if !solveSPD(w, dir) {
		return nil
	}
	return dir
}
