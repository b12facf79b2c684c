package cv

/*
#include "deckorder.h"
*/
import "C"

import "fmt"

// DeckOrder finds order statistics down a deck: at every byte position j of
// [from, to) it sorts the n bytes data[planes[i]*stride+j] and writes
//
//	mid[j]     256 times the mean of the middle values: the median and trim
//	           ranks to each side of it. Where the middle half is more than
//	           twice as wide as the shortest half, two populations lie apart,
//	           and the mean of the shortest half is given instead
//	spread[j]  the length of the shortest half: the narrowest interval that
//	           holds n/2+1 of the values; 1.349 sigma for normal noise, and
//	           unmoved by up to half the deck lying elsewhere (Rousseeuw &
//	           Leroy 1988, A robust scale estimator based on the shortest half)
//
// mid and spread have at least to elements. Calls on disjoint ranges may run
// at the same time.
func DeckOrder(data []byte, stride int, planes []int32, from, to, trim int, mid, spread []uint16) error {
	n := len(planes)
	if n == 0 || stride <= 0 {
		return ErrEmpty
	}
	if from < 0 || to > stride || from > to || len(mid) < to || len(spread) < to {
		return fmt.Errorf("deck order: range %d to %d of %d bytes, room for %d", from, to, stride, len(mid))
	}
	if trim < 0 {
		return fmt.Errorf("deck order: %d ranks to each side", trim)
	}
	for _, p := range planes {
		if p < 0 || int(p) >= len(data)/stride {
			return fmt.Errorf("deck order: plane %d of %d", p, len(data)/stride)
		}
	}
	if from == to {
		return nil
	}
	return toError("deckOrder", C.fd_deck_order((*C.uint8_t)(&data[0]), C.size_t(stride), (*C.int)(&planes[0]), C.int(n),
		C.size_t(from), C.size_t(to), C.int(trim), (*C.uint16_t)(&mid[0]), (*C.uint16_t)(&spread[0])))
}
