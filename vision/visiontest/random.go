package visiontest

import (
	"math"
	"math/rand/v2"
)

// Streams of random numbers: each purpose has its own, so that asking for one
// mark more does not move the dust of another card.
const (
	streamPlan uint64 = iota + 1
	streamTable
	streamDesign
	streamBenign
	streamMark
	streamNoise
	streamSpec
)

// stream returns the random numbers of one purpose and number (card, frame).
func stream(seed, purpose uint64, number int) *rand.Rand {
	return rand.New(rand.NewPCG(mix(seed), mix(purpose<<40^uint64(number))))
}

// mix is the finaliser of SplitMix64 (Steele, Lea & Flood 2014): neighbouring
// seeds give unrelated streams.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func between(r *rand.Rand, lo, hi float64) float64 { return lo + (hi-lo)*r.Float64() }

// lattice is a random number in -1..1 of a lattice point.
func lattice(x, y int32, seed uint32) float32 {
	h := uint32(x)*0x9e3779b1 ^ uint32(y)*0x85ebca6b ^ seed*0xc2b2ae35
	h = (h ^ h>>15) * 0x2c1b3c6d
	h = (h ^ h>>12) * 0x297a2d39
	h ^= h >> 15
	return float32(int32(h)) * (1.0 / (1 << 31))
}

// noise is value noise: random numbers on the integer lattice joined by
// quintic blends, range -1..1, feature size 1.
func noise(x, y float64, seed uint32) float64 {
	fx, fy := math.Floor(x), math.Floor(y)
	ix, iy := int32(fx), int32(fy)
	tx, ty := float32(x-fx), float32(y-fy)
	tx = tx * tx * tx * (tx*(tx*6-15) + 10)
	ty = ty * ty * ty * (ty*(ty*6-15) + 10)
	a, b := lattice(ix, iy, seed), lattice(ix+1, iy, seed)
	c, d := lattice(ix, iy+1, seed), lattice(ix+1, iy+1, seed)
	a += (b - a) * tx
	c += (d - c) * tx
	return float64(a + (c-a)*ty)
}

// fractal sums octaves of noise, each of half the size and gain times the
// height, down to the footprint (in the units of x and y): finer octaves
// would alias. Range about -1..1.
func fractal(x, y, footprint float64, octaves int, gain float64, seed uint32) float64 {
	sum, height, size := 0.0, 1.0, 1.0
	for o := 0; o < octaves && size > footprint; o++ {
		sum += height * noise(x/size, y/size, seed+uint32(o)*7919)
		height *= gain
		size /= 2
	}
	return sum
}

func smoothstep(lo, hi, x float64) float64 {
	t := min(1, max(0, (x-lo)/(hi-lo)))
	return t * t * (3 - 2*t)
}

func clamp(x, lo, hi float64) float64 { return min(hi, max(lo, x)) }
