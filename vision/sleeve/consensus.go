package sleeve

import (
	"fairdeck/internal/cv"
)

// order holds the order statistics down the deck at every byte of a view.
type order struct {
	mid    []uint16 // 256 x the typical code (see cv.DeckOrder)
	spread []uint16 // length of the shortest half, codes
}

// consensusOf sorts the deck at every pixel. planes are the plates that take
// part.
func (d *deck) consensusOf(planes []int32) (*order, error) { return d.orderOf(d.pixels, planes) }

// orderOf sorts views that lie one behind the other.
func (d *deck) orderOf(pixels []byte, planes []int32) (*order, error) {
	s := d.stride()
	o := &order{mid: make([]uint16, s), spread: make([]uint16, s)}
	// The middle tenth averages a little noise away and stays clear of a mark
	// that up to 45% of the deck share.
	trim := len(planes) / 20
	// Blocks, so that all cores take part.
	const block = 1 << 16
	err := d.parallel((s+block-1)/block, func(b int) error {
		return cv.DeckOrder(pixels, s, planes, b*block, min(s, (b+1)*block), trim, o.mid, o.spread)
	})
	return o, err
}
