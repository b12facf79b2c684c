package camera

import "encoding/binary"

// bitReader takes bits from compressed JPEG data, which is read up to the
// next marker. The first fault is kept in bad and everything after it is 0.
type bitReader struct {
	data []byte
	at   int
	acc  uint64 // the next bit is the highest
	n    int    // bits in acc
	bad  string
}

func (b *bitReader) fill() {
	// Four bytes at once, when none is 0xff.
	if b.n <= 32 && b.at+4 <= len(b.data) {
		v := binary.BigEndian.Uint32(b.data[b.at:])
		if inv := ^v; (inv-0x01010101)&^inv&0x80808080 == 0 {
			b.acc |= uint64(v) << (32 - b.n)
			b.n += 32
			b.at += 4
			return
		}
	}
	for b.n <= 56 && b.at < len(b.data) {
		v := b.data[b.at]
		if v == 0xff {
			if b.at+1 >= len(b.data) || b.data[b.at+1] != 0 {
				return // a marker
			}
			b.at++ // a stuffed byte
		}
		b.at++
		b.acc |= uint64(v) << (56 - b.n)
		b.n += 8
	}
}

// take returns the next k bits, 0 to 16.
func (b *bitReader) take(k int) int {
	if b.n < k {
		if b.fill(); b.n < k {
			b.short()
			return 0
		}
	}
	// A shift by 64 is 0 in Go.
	v := int(b.acc >> (64 - k))
	b.acc <<= k
	b.n -= k
	return v
}

func (b *bitReader) short() {
	if b.bad == "" {
		b.bad = "the data ends"
	}
	b.acc, b.n = 0, 0
}

// code returns the value of the next code.
func (b *bitReader) code(h *huffman) int {
	if b.n < longestCode {
		b.fill()
	}
	e := h.quick[b.acc>>(64-quickBits)]
	length, value := int(e>>8), int(e&0xff)
	if length == 0 {
		if length, value = h.slow(uint32(b.acc >> (64 - longestCode))); length == 0 {
			if b.n < longestCode {
				b.short() // what is missing may have made it a code
			} else if b.bad == "" {
				b.bad = "a code has no meaning"
			}
			return 0
		}
	}
	if length > b.n {
		b.short()
		return 0
	}
	b.acc <<= length
	b.n -= length
	return value
}

// end demands that no more than the padding of the last byte is left before
// the next marker. Zero bytes there are harmless, and some cameras write them.
func (b *bitReader) end() error {
	b.acc <<= b.n % 8
	for b.n -= b.n % 8; b.n > 0; b.n -= 8 {
		if b.acc>>56 != 0 {
			return b.surplus()
		}
		b.acc <<= 8
	}
	for ; b.at < len(b.data) && b.data[b.at] != 0xff; b.at++ {
		if b.data[b.at] != 0 {
			return b.surplus()
		}
	}
	if b.at+1 < len(b.data) && b.data[b.at] == 0xff && b.data[b.at+1] == 0 {
		return b.surplus()
	}
	return nil
}

func (b *bitReader) surplus() error {
	return damagedf("the JPEG is damaged at byte %d: there is more data than picture", b.at)
}

// restart ends one interval of the data and begins the next, numbered 0 to 7.
func (b *bitReader) restart(number int) error {
	if err := b.end(); err != nil {
		return err
	}
	for b.at+1 < len(b.data) && b.data[b.at+1] == 0xff {
		b.at++ // markers may be filled up with 0xff
	}
	if b.at+1 >= len(b.data) || int(b.data[b.at+1]) != 0xd0+number {
		return damagedf("the JPEG is damaged at byte %d: a restart was expected", b.at)
	}
	b.at += 2
	b.acc, b.n = 0, 0
	return nil
}

const (
	longestCode = 16
	// Nearly all codes of a photo are this short; the table fits the cache.
	quickBits = 9
)

// huffman is a table of codes (T.81 annex C and F.2.2.3).
type huffman struct {
	quick  [1 << quickBits]uint16 // length << 8 | value, 0 where the code is longer
	limit  [longestCode + 1]int32 // the largest code of a length, -1 none
	offset [longestCode + 1]int32 // from a code of a length to its value
	values []byte
}

// newHuffman reads a table behind its class and returns its length in bytes.
func newHuffman(b []byte) (*huffman, int, error) {
	h := &huffman{}
	count := 0
	for _, n := range b[:longestCode] {
		count += int(n)
	}
	if count > 256 || len(b) < longestCode+count {
		return nil, 0, damagedf("the JPEG is damaged: a table of codes is cut off")
	}
	h.values = b[longestCode : longestCode+count]
	code, k := int32(0), int32(0)
	for length := 1; length <= longestCode; length++ {
		n := int32(b[length-1])
		h.offset[length], h.limit[length] = k-code, -1
		if n > 0 {
			if code+n > 1<<length {
				return nil, 0, damagedf("the JPEG is damaged: a table of codes is overfull")
			}
			if length <= quickBits {
				shift := quickBits - length
				for i := range n {
					for fill := range int32(1) << shift {
						h.quick[(code+i)<<shift|fill] = uint16(length)<<8 | uint16(h.values[k+i])
					}
				}
			}
			code, k = code+n, k+n
			h.limit[length] = code - 1
		}
		code <<= 1
	}
	return h, longestCode + count, nil
}

// slow finds the code that begins 16 bits; length 0 is none.
func (h *huffman) slow(next uint32) (length, value int) {
	for l := quickBits + 1; l <= longestCode; l++ {
		if code := int32(next >> (longestCode - l)); code <= h.limit[l] {
			return l, int(h.values[code+h.offset[l]])
		}
	}
	return 0, 0
}
