package battery

import "math"

// A pile deal puts cards next to each other that lay a fixed number of places apart. For each
// distance d the evidence is a sum over neighbouring cards x, y of log((1 - rho + rho c/e)/(1 -
// rho)), where c counts the pairs x, y that lay d apart before (cyclically) and e what a random
// order would give. The statistic is the largest sum over all d.
//
// Two layouts of the same table: packed rows of four 16-bit lanes per word where there are few
// faces, lists of the non-zero entries where there are many.
type strideTables struct {
	words int         // words per row
	dense [3][]uint64 // per lag: [(x*(faces+1)+y)*words + d/4]
	from  []int32     // sparse: entries of the pair x, y are from[x*w+y] .. from[x*w+y+1]
	dist  []uint8
	gain  [3][]uint16
}

// Lags 1 to 3 after: a riffle on top of the deal moves dealt neighbours up to a few places apart,
// with less of the evidence each.
var (
	strideWeight = [3]float64{1, .8, .6}
	strideChance = [3]float64{.30, .25, .20}
)

// rowBlock is the number of words that are added at a time: with five of them the sums stay in
// registers, and the rows of 40 and 60 cards need no padding.
const rowBlock = 5

// denseLimit bounds the packed rows, in words over all lags: they should stay in the second-level cache.
const denseLimit = 60_000

func (b *Battery) buildStride() {
	n, w, f := b.n, b.faces+1, b.faces
	t := &b.stride
	t.words = (n + 4*rowBlock - 1) / (4 * rowBlock) * rowBlock
	nb := make([]int, w)
	for _, c := range b.before {
		nb[c]++
	}
	apart := make([]uint8, f*f*n)
	for p, x := range b.before {
		for q, y := range b.before {
			if p != q && int(x) < f && int(y) < f {
				apart[(int(x)*f+int(y))*n+(q-p+n)%n]++
			}
		}
	}
	value := func(lag, x, y int, c uint8) uint16 {
		e := float64(b.order.count[x]) * b.chanceNext(x, y)
		if c == 0 || e <= 0 {
			return 0
		}
		rho := strideChance[lag]
		return uint16(.5 * b.scale * strideWeight[lag] * math.Log((1-rho+rho*float64(c)/e)/(1-rho)))
	}
	dense := 3*w*w*t.words <= denseLimit && !b.distinct
	if dense {
		for lag := range t.dense {
			t.dense[lag] = make([]uint64, w*w*t.words)
		}
	} else {
		t.from = make([]int32, w*w+1)
	}
	for x := range w {
		for y := range w {
			if x < f && y < f {
				row := apart[(x*f+y)*n : (x*f+y+1)*n]
				for d, c := range row {
					if c == 0 {
						continue
					}
					if !dense {
						t.dist = append(t.dist, uint8(d))
					}
					for lag := range 3 {
						v := value(lag, x, y, c)
						if dense {
							t.dense[lag][(x*w+y)*t.words+d/4] += uint64(v) << (16 * (d % 4))
						} else {
							t.gain[lag] = append(t.gain[lag], v)
						}
					}
				}
			}
			if !dense {
				t.from[x*w+y+1] = int32(len(t.dist))
			}
		}
	}
}

// strides evaluates Stride and StrideWide.
func (b *Battery) strides(e []uint8, s *Scratch, out *Codes) {
	if b.stride.from == nil {
		b.stridesDense(e, s, out)
		return
	}
	t, w, n := &b.stride, b.faces+1, b.n
	acc := s.lanes[:n]
	clear(acc)
	for lag := 1; lag <= 3 && lag < n; lag++ {
		gain := t.gain[lag-1]
		for i := lag; i < n; i++ {
			k := int(e[i-lag])*w + int(e[i])
			for j := t.from[k]; j < t.from[k+1]; j++ {
				acc[t.dist[j]] += gain[j]
			}
		}
		if lag == 1 {
			out[Stride] = highest(acc)
		}
	}
	out[StrideWide] = highest(acc)
}

func highest(acc []uint16) uint16 {
	var m uint16
	for _, v := range acc {
		m = max(m, v)
	}
	return m
}

// stridesDense adds packed rows, a block of words at a time.
func (b *Battery) stridesDense(e []uint8, s *Scratch, out *Codes) {
	t, w, n := &b.stride, b.faces+1, b.n
	words := t.words
	for lag := range s.rows {
		idx := s.rows[lag][:max(n-lag-1, 0)]
		for i := range idx {
			idx[i] = int32((int(e[i])*w + int(e[i+lag+1])) * words)
		}
	}
	var narrow, wide uint16
	for c := 0; c < words; c += rowBlock {
		var a0, a1, a2, a3, a4 uint64
		for lag := range s.rows {
			rows := t.dense[lag][c:]
			for _, r := range s.rows[lag][:max(n-lag-1, 0)] {
				v := (*[rowBlock]uint64)(rows[r:])
				a0 += v[0]
				a1 += v[1]
				a2 += v[2]
				a3 += v[3]
				a4 += v[4]
			}
			if lag == 0 {
				narrow = max(narrow, lanesMax(a0), lanesMax(a1), lanesMax(a2), lanesMax(a3), lanesMax(a4))
			}
		}
		wide = max(wide, lanesMax(a0), lanesMax(a1), lanesMax(a2), lanesMax(a3), lanesMax(a4))
	}
	out[Stride], out[StrideWide] = narrow, wide
}

func lanesMax(v uint64) uint16 {
	return max(uint16(v), uint16(v>>16), uint16(v>>32), uint16(v>>48))
}
