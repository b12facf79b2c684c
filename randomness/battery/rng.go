package battery

import (
	"math"
	"math/bits"
)

func float32bits(v float32) uint32 { return math.Float32bits(v) }

// rng is Wang Yi's wyrand: one addition and one 128-bit product per 64 bits. It passes the usual
// test batteries and takes about a nanosecond; a null table draws some hundred million bits.
type rng struct{ s uint64 }

// newRNG mixes a seed and a stream number (splitmix64's finaliser) so that neighbouring streams do
// not resemble each other.
func newRNG(seed, stream uint64) rng {
	z := seed + 0x9e3779b97f4a7c15*(stream+1)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return rng{z ^ z>>31}
}

func (r *rng) next() uint64 {
	r.s += 0xa0761d6478bd642f
	hi, lo := bits.Mul64(r.s, r.s^0xe7037ed1a0b428db)
	return hi ^ lo
}

// shuffle is Fisher and Yates' shuffle, two places per 64 random bits. The place is the high half
// of a 32-bit product, whose bias is below n/2^32, six hundred-millionths for the largest deck: far
// under what 100,000 draws can show.
func (r *rng) shuffle(x []uint8) {
	i := len(x) - 1
	for ; i >= 2; i -= 2 {
		v := r.next()
		j := uint32((v & 0xffffffff) * uint64(i+1) >> 32)
		x[i], x[j] = x[j], x[i]
		j = uint32((v >> 32) * uint64(i) >> 32)
		x[i-1], x[j] = x[j], x[i-1]
	}
	if i == 1 {
		j := uint32((r.next() & 0xffffffff) * 2 >> 32)
		x[1], x[j] = x[j], x[1]
	}
}
