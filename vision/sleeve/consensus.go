package sleeve

import (
	"fairdeck/internal/cv"
)

// order holds the order statistics down the deck at every byte of a view.
type order struct {
	mid    []uint16 // 256 x the typical code (see cv.DeckOrder)
	spread []uint16 // length of the shortest half, codes
}

// consensusOf sorts the deck at every pixel; which are the plates that take
// part.
func (d *deck) consensusOf(which []int) (*order, error) {
	views := make([][]byte, len(which))
	for i, k := range which {
		views[i] = d.view(k)
	}
	return d.orderOf(views)
}

// orderOf sorts views at every pixel.
func (d *deck) orderOf(views [][]byte) (*order, error) {
	s, n := d.stride(), len(views)
	o := &order{mid: make([]uint16, s), spread: make([]uint16, s)}
	// The middle tenth averages a little noise away and stays clear of a mark
	// that up to 45% of the deck share.
	trim := n / 20
	// A block of all views lies in the second-level cache.
	const block = 1 << 13
	planes := make([]int32, n)
	for i := range planes {
		planes[i] = int32(i)
	}
	err := d.parallel((s+block-1)/block, func(b int) error {
		from, to := b*block, min(s, (b+1)*block)
		rows := d.views.get(n * block)
		defer d.views.put(rows)
		for i, v := range views {
			copy(rows[i*block:], v[from:to])
		}
		return cv.DeckOrder(rows, block, planes, 0, to-from, trim, o.mid[from:to], o.spread[from:to])
	})
	return o, err
}
