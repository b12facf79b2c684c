// Package cameratest makes picture files for tests: whole ones of every
// format, and the set of malformed ones that a station must survive.
package cameratest

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
)

// Picture is a small colour picture that looks different in all eight
// orientations: red, green, blue and white quarters and a black corner.
func Picture(width, height int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			c := color.NRGBA{A: 255}
			switch left, top := x < width/2, y < height/2; {
			case x < width/4 && y < height/4:
			case left && top:
				c.R = 200
			case top:
				c.G = 200
			case left:
				c.B = 200
			default:
				c.R, c.G, c.B = 220, 220, 220
			}
			m.SetNRGBA(x, y, c)
		}
	}
	return m
}

// JPEG encodes a picture.
func JPEG(m image.Image) []byte {
	var b bytes.Buffer
	must(jpeg.Encode(&b, m, &jpeg.Options{Quality: 92}))
	return b.Bytes()
}

// PNG encodes a picture with the channels and depth of its own type.
func PNG(m image.Image) []byte {
	var b bytes.Buffer
	must(png.Encode(&b, m))
	return b.Bytes()
}

// GIF encodes an animation of n frames.
func GIF(n int) []byte {
	var b bytes.Buffer
	g := &gif.GIF{}
	for range n {
		g.Image = append(g.Image, image.NewPaletted(image.Rect(0, 0, 8, 8), color.Palette{color.Black, color.White}))
		g.Delay = append(g.Delay, 10)
	}
	must(gif.EncodeAll(&b, g))
	return b.Bytes()
}

// must is for encoders that write to memory and cannot fail on these inputs.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// Exif is an EXIF block (a TIFF directory) that states an orientation and,
// when thumbnail is not empty, carries it behind the directory.
func Exif(orientation int, thumbnail []byte) []byte {
	b := []byte("MM\x00*\x00\x00\x00\x08\x00\x01")
	b = append(b, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, byte(orientation), 0, 0)
	b = append(b, 0, 0, 0, 0)
	return append(b, thumbnail...)
}

// WithExif puts an EXIF block into a JPEG, behind its start marker.
func WithExif(jpg, exif []byte) []byte {
	out := append([]byte{}, jpg[:2]...)
	out = append(out, 0xff, 0xe1)
	out = binary.BigEndian.AppendUint16(out, uint16(2+6+len(exif)))
	out = append(out, "Exif\x00\x00"...)
	out = append(out, exif...)
	return append(out, jpg[2:]...)
}

// PNGChunk is one chunk with its sum.
func PNGChunk(name string, body []byte) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	out = append(append(out, name...), body...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
}

// PNGBomb is a whole PNG of a few hundred bytes whose header asks for width x
// height pixels.
func PNGBomb(width, height uint32) []byte {
	small := PNG(Picture(4, 4))
	head := binary.BigEndian.AppendUint32(nil, width)
	head = binary.BigEndian.AppendUint32(head, height)
	head = append(head, 8, 2, 0, 0, 0)
	out := append([]byte{}, small[:8]...)
	out = append(out, PNGChunk("IHDR", head)...)
	return append(out, small[8+12+13:]...)
}

// CMYKJPEG is a baseline JPEG of four channels (ink, inverted as Adobe's
// programs store it), of one colour; adobe says whether it carries Adobe's
// marker. Go's encoder knows no CMYK, so the file is written here by hand:
// each 8 x 8 block is its mean alone (ITU-T T.81 annex F).
func CMYKJPEG(width, height int, c, m, y, k uint8, adobe bool) []byte {
	out := []byte{0xff, 0xd8}
	segment := func(marker byte, body ...byte) {
		out = append(out, 0xff, marker)
		out = binary.BigEndian.AppendUint16(out, uint16(2+len(body)))
		out = append(out, body...)
	}
	if adobe {
		segment(0xee, append([]byte("Adobe"), 0, 100, 0, 0, 0, 0, 0)...)
	}
	// With every quantum 8, the mean's coefficient is the value less 128.
	segment(0xdb, append([]byte{0}, bytes.Repeat([]byte{8}, 64)...)...)
	frame := binary.BigEndian.AppendUint16([]byte{8}, uint16(height))
	frame = append(binary.BigEndian.AppendUint16(frame, uint16(width)), 4)
	scan := []byte{4}
	for id := byte(1); id <= 4; id++ {
		frame = append(frame, id, 0x11, 0)
		scan = append(scan, id, 0)
	}
	segment(0xc0, frame...)
	// Means: twelve sizes, 4 bits each. Rest: one code, 1 bit, "no more".
	segment(0xc4, 0x00, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
	segment(0xc4, 0x10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	segment(0xda, append(scan, 0, 63, 0)...)

	var acc, bits uint
	put := func(v, n uint) {
		for ; n > 0; n-- {
			acc = acc<<1 | v>>(n-1)&1
			if bits++; bits == 8 {
				out = append(out, byte(acc))
				if byte(acc) == 0xff {
					out = append(out, 0)
				}
				acc, bits = 0, 0
			}
		}
	}
	last := [4]int{}
	for range ((width + 7) / 8) * ((height + 7) / 8) {
		for i, v := range [4]uint8{c, m, y, k} {
			mean := 255 - int(v) - 128
			d := mean - last[i]
			last[i] = mean
			size, mag := uint(0), d
			if mag < 0 {
				mag = -mag
			}
			for ; mag > 0; mag >>= 1 {
				size++
			}
			put(size, 4)
			if d < 0 {
				d += 1<<size - 1
			}
			put(uint(d), size)
			put(0, 1)
		}
	}
	put(0x7f, 7) // fill the last byte with ones
	return append(out, 0xff, 0xd9)
}

// TIFF is an uncompressed RGB TIFF of one strip that states an orientation.
func TIFF(m *image.NRGBA, orientation int) []byte {
	w, h := m.Rect.Dx(), m.Rect.Dy()
	le := binary.LittleEndian
	const entries, dataAt = 10, 8 + 2 + 12*10 + 4 + 6
	out := []byte("II*\x00\x08\x00\x00\x00")
	out = le.AppendUint16(out, entries)
	field := func(tag, kind uint16, count, value uint32) {
		out = le.AppendUint16(out, tag)
		out = le.AppendUint16(out, kind)
		out = le.AppendUint32(out, count)
		out = le.AppendUint32(out, value)
	}
	field(256, 4, 1, uint32(w))
	field(257, 4, 1, uint32(h))
	field(258, 3, 3, dataAt-6) // bits: three numbers, behind the directory
	field(259, 3, 1, 1)        // no compression
	field(262, 3, 1, 2)        // RGB
	field(273, 4, 1, dataAt)
	field(274, 3, 1, uint32(orientation))
	field(277, 3, 1, 3)
	field(278, 4, 1, uint32(h))
	field(279, 4, 1, uint32(3*w*h))
	out = le.AppendUint32(out, 0)
	for range 3 {
		out = le.AppendUint16(out, 8)
	}
	for i := 0; i < len(m.Pix); i += 4 {
		out = append(out, m.Pix[i:i+3]...)
	}
	return out
}

// BMP is an uncompressed 24-bit bitmap, its rows from the bottom.
func BMP(m *image.NRGBA) []byte {
	w, h := m.Rect.Dx(), m.Rect.Dy()
	row := (3*w + 3) / 4 * 4
	le := binary.LittleEndian
	out := le.AppendUint32([]byte("BM"), uint32(54+row*h))
	out = le.AppendUint32(out, 0)
	out = le.AppendUint32(out, 54)
	out = le.AppendUint32(out, 40)
	out = le.AppendUint32(out, uint32(w))
	out = le.AppendUint32(out, uint32(h))
	out = le.AppendUint16(out, 1)
	out = le.AppendUint16(out, 24)
	out = append(out, make([]byte, 24)...)
	for y := h - 1; y >= 0; y-- {
		line := make([]byte, row)
		for x := range w {
			c := m.NRGBAAt(x, y)
			line[3*x], line[3*x+1], line[3*x+2] = c.B, c.G, c.R
		}
		out = append(out, line...)
	}
	return out
}

// WebP is the smallest useful lossless WebP: one pixel.
func WebP() []byte {
	return []byte("RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00")
}
