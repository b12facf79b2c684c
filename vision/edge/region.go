package edge

import (
	"math"
	"sort"
)

// region is where the picture is layered: strips [from, to) and rows
// [top, bottom), roughly.
type region struct {
	from, to, top, bottom int
	strength              float64 // coherent light and dark inside, sRGB codes x strips x rows
}

// coherent maps how strongly light changes down the picture in the same way in
// two neighbouring strips: lines that run across do, grain and noise do not.
// The map has a cell per strip and block of rows; a cell is the root of the
// mean product of the two slopes, codes per px, 0 where they do not agree.
func coherent(s *strips, block, workers int) (amp []float64, blocks int) {
	blocks = s.rows / block
	amp = make([]float64, s.n*blocks)
	inRows(s.n-1, workers, func(from, to int) {
		a := slope(s.at(from))
		for k := from; k < to; k++ {
			b := slope(s.at(k + 1))
			for j := range blocks {
				y0, y1 := j*block, (j+1)*block
				best := 0.0
				// Lines that fall or rise by up to 2 px per strip.
				for d := -2; d <= 2; d++ {
					var ab, aa, bb float64
					for y := max(y0, -d); y < min(y1, s.rows-d); y++ {
						p, q := float64(a[y]), float64(b[y+d])
						ab, aa, bb = ab+p*q, aa+p*p, bb+q*q
					}
					// Half of the variance in common is far above what two
					// strips of noise share in a block of 16 rows or more.
					if ab > 0.5*math.Sqrt(aa*bb) && ab > best {
						best = ab
					}
				}
				amp[k*blocks+j] = math.Sqrt(best / float64(block))
			}
			a = b
		}
	})
	return amp, blocks
}

// findRegion returns the largest layered part, and false where there is none.
func findRegion(s *strips, workers int) (region, bool) {
	block := max(16, s.rows/64)
	if s.n < 8 || s.rows < 4*block {
		return region{}, false
	}
	amp, blocks := coherent(s, block, workers)
	sorted := append([]float64(nil), amp...)
	sort.Float64s(sorted)
	// A stack fills at least a twentieth of a usable picture. Lines at a fifth
	// of its strength still count: its shaded part. Below 0.5 codes per px
	// there is nothing but compression.
	strong := max(0.5, 0.2*sorted[len(sorted)*95/100])

	// In each strip the strongest run of blocks; a hole of up to four blocks
	// is a gap between warped layers.
	type run struct {
		top, bottom int
		sum         float64
	}
	runs := make([]run, s.n)
	for k := range s.n {
		var cur run
		hole := 0
		open := false
		for j := 0; j <= blocks; j++ {
			if j < blocks && amp[k*blocks+j] >= strong {
				if !open {
					cur, open = run{top: j}, true
				}
				cur.sum += amp[k*blocks+j]
				cur.bottom, hole = j+1, 0
				continue
			}
			if hole++; open && (hole > 4 || j == blocks) {
				if cur.sum > runs[k].sum {
					runs[k] = cur
				}
				open = false
			}
		}
	}
	sums := make([]float64, s.n)
	for k := range runs {
		sums[k] = runs[k].sum
	}
	sort.Float64s(sums)
	need := 0.4 * sums[s.n*9/10]
	if need == 0 {
		return region{}, false
	}
	// The longest series of such strips; a twentieth of the picture may be
	// missing between (a finger, a label).
	var best, cur region
	miss := 0
	open := false
	for k := 0; k <= s.n; k++ {
		if k < s.n && runs[k].sum >= need {
			if !open {
				cur, open = region{from: k}, true
			}
			cur.to, miss = k+1, 0
			cur.strength += runs[k].sum
			continue
		}
		if miss++; open && (miss > s.n/20 || k == s.n) {
			if cur.strength > best.strength {
				best = cur
			}
			open = false
		}
	}
	if best.to-best.from < max(6, s.n/12) {
		return region{}, false
	}
	var tops, bottoms []int
	for k := best.from; k < best.to; k++ {
		if runs[k].sum >= need {
			tops, bottoms = append(tops, runs[k].top*block), append(bottoms, min(s.rows, runs[k].bottom*block))
		}
	}
	sort.Ints(tops)
	sort.Ints(bottoms)
	best.top, best.bottom = tops[len(tops)/2], bottoms[len(bottoms)/2]
	best.strength *= float64(block)
	return best, best.bottom-best.top >= 3*block
}
