package camera

import "encoding/binary"

// A JPEG whose markers are all in place may still be damaged between them: a
// card reader that drops a sector leaves half a picture grey, and libjpeg
// passes that off as a picture, with a remark on standard error. A player
// must not be judged by it. So the compressed data is followed here code by
// code (T.81 annexes F.2 and G.2), without making pixels of it, and must come
// out even: every block there, nothing left over.
//
//	SOF ─▶ components ┐
//	DHT ─▶ codes      ├─▶ scan ─▶ every block of every component, once
//	DRI ─▶ restarts   ┘
//
// BenchmarkWalkJPEG compares its cost with that of decoding.

// maxScans is far above what encoders write (about ten) and bounds the time
// that a file of many nearly empty scans takes here and in libjpeg.
const maxScans = 100

// jpegComponent is one colour channel of the frame.
type jpegComponent struct {
	id           byte
	h, v         int // sampling factors, 1 to 4
	across, down int // blocks that hold picture
	stride       int // blocks in a row, filled up to whole MCUs
	seen         bool
	// nonzero has a bit for each coefficient that earlier scans of a
	// progressive JPEG have set, which is what later ones are read by.
	nonzero []uint64
}

// jpegFrame is what scans are read by.
type jpegFrame struct {
	progressive  bool
	comps        []jpegComponent
	mcuX, mcuY   int
	dc, ac       [4]*huffman
	restartEvery int // MCUs; 0 never
	scans        int
	tooLarge     bool // will be refused: its data is not looked at
}

// header reads a frame header of which the lengths have been checked.
func (f *jpegFrame) header(marker byte, body []byte) error {
	f.progressive = marker == 0xc2
	height, width := int(binary.BigEndian.Uint16(body[1:])), int(binary.BigEndian.Uint16(body[3:]))
	hMax, vMax := 1, 1
	for i := range int(body[5]) {
		c := jpegComponent{id: body[6+3*i], h: int(body[7+3*i] >> 4), v: int(body[7+3*i] & 15)}
		if c.h < 1 || c.h > 4 || c.v < 1 || c.v > 4 {
			return damagedf("the JPEG is damaged: a colour channel is sampled %d x %d", c.h, c.v)
		}
		hMax, vMax = max(hMax, c.h), max(vMax, c.v)
		f.comps = append(f.comps, c)
	}
	over := func(a, b int) int { return (a + b - 1) / b }
	f.mcuX, f.mcuY = over(width, 8*hMax), over(height, 8*vMax)
	for i := range f.comps {
		c := &f.comps[i]
		c.across, c.down = over(over(width*c.h, hMax), 8), over(over(height*c.v, vMax), 8)
		c.stride = f.mcuX * c.h
		// A frame of one channel has no MCUs to be filled up to.
		if len(f.comps) == 1 {
			c.stride = c.across
		}
	}
	f.tooLarge = width > MaxPixels/height
	return nil
}

// tables reads a DHT segment.
func (f *jpegFrame) tables(body []byte) error {
	for len(body) > 0 {
		if len(body) < 17 {
			return damagedf("the JPEG is damaged: a table of codes is cut off")
		}
		kind, slot := body[0]>>4, body[0]&15
		h, n, err := newHuffman(body[1:])
		if err != nil {
			return err
		}
		if kind > 1 || slot > 3 {
			return damagedf("the JPEG is damaged: a table of codes has no place")
		}
		if kind == 0 {
			f.dc[slot] = h
		} else {
			f.ac[slot] = h
		}
		body = body[1+n:]
	}
	return nil
}

// scan is one scan while it is read.
type scan struct {
	*jpegFrame
	bits   bitReader
	parts  []scanPart
	ss, se int
	ah, al int
	eobRun int
}

type scanPart struct {
	comp   *jpegComponent
	dc, ac *huffman
}

// check reads one scan: its header, and data from at to the next marker that
// is no restart. Where codes are missing (cameras leave them out of MJPG, and
// libjpeg puts in the usual ones) it is read by the usual ones.
func (f *jpegFrame) check(head, data []byte, at int) error {
	if f.scans++; f.scans > maxScans {
		return damagedf("the JPEG has more than %d scans", maxScans)
	}
	if f.tooLarge {
		return nil
	}
	s := &scan{jpegFrame: f, bits: bitReader{data: data, at: at}}
	if len(head) < 1 || len(head) < 4+2*int(head[0]) || head[0] < 1 || head[0] > 4 {
		return damagedf("the JPEG is damaged: a scan header is too short")
	}
	f.useUsual()
	n := int(head[0])
	for i := range n {
		p := scanPart{dc: f.dc[head[2+2*i]>>4&3], ac: f.ac[head[2+2*i]&3]}
		for k := range f.comps {
			if f.comps[k].id == head[1+2*i] {
				p.comp = &f.comps[k]
			}
		}
		if p.comp == nil {
			return damagedf("the JPEG is damaged: a scan of a colour channel that is not there")
		}
		s.parts = append(s.parts, p)
	}
	s.ss, s.se = int(head[1+2*n]), int(head[2+2*n])
	s.ah, s.al = int(head[3+2*n]>>4), int(head[3+2*n]&15)
	if !f.progressive {
		s.ss, s.se, s.ah, s.al = 0, 63, 0, 0
	}
	if s.ss > s.se || s.se > 63 || f.progressive && (s.ss == 0) != (s.se == 0) || s.ss > 0 && n != 1 {
		return damagedf("the JPEG is damaged: a scan of coefficients %d to %d", s.ss, s.se)
	}
	for _, p := range s.parts {
		needDC, needAC := s.ss == 0 && s.ah == 0, s.se > 0
		if needDC && p.dc == nil || needAC && p.ac == nil {
			for i := range s.parts {
				s.parts[i].comp.seen = true
			}
			return nil
		}
		if f.progressive && p.comp.nonzero == nil {
			p.comp.nonzero = make([]uint64, max(p.comp.stride*f.mcuY*p.comp.v, p.comp.across*p.comp.down))
		}
		p.comp.seen = p.comp.seen || s.ss == 0
	}
	return s.run()
}

// useUsual fills the places of tables that a baseline JPEG does not bring.
func (f *jpegFrame) useUsual() {
	if f.progressive || f.dc[0] != nil && f.dc[1] != nil && f.ac[0] != nil && f.ac[1] != nil {
		return
	}
	dc, ac := usualCodes()
	for i := range 2 {
		if f.dc[i] == nil {
			f.dc[i] = dc[i]
		}
		if f.ac[i] == nil {
			f.ac[i] = ac[i]
		}
	}
}

// complete says whether every channel has been in a scan.
func (f *jpegFrame) complete() error {
	for _, c := range f.comps {
		if !c.seen && !f.tooLarge {
			return damagedf("the JPEG is damaged: a colour channel is missing")
		}
	}
	return nil
}

// run reads the MCUs of a scan: single blocks when it has one channel,
// otherwise h x v blocks of each (A.2).
func (s *scan) run() error {
	x, y := s.mcuX, s.mcuY
	single := len(s.parts) == 1
	if single {
		x, y = s.parts[0].comp.across, s.parts[0].comp.down
	}
	restarts := 0
	for mcu := range x * y {
		if s.restartEvery > 0 && mcu > 0 && mcu%s.restartEvery == 0 {
			if err := s.bits.restart(restarts & 7); err != nil {
				return err
			}
			restarts++
			s.eobRun = 0
		}
		for i := range s.parts {
			p := &s.parts[i]
			if single {
				s.block(p, (mcu/x)*p.comp.stride+mcu%x)
				continue
			}
			for v := range p.comp.v {
				for h := range p.comp.h {
					s.block(p, ((mcu/x)*p.comp.v+v)*p.comp.stride+(mcu%x)*p.comp.h+h)
				}
			}
		}
		if s.bits.bad != "" {
			return damagedf("the JPEG is damaged at byte %d: %s after %d%% of the picture", s.bits.at, s.bits.bad, 100*mcu/(x*y))
		}
	}
	return s.bits.end()
}

// block reads one block; faults are kept in bits.bad.
func (s *scan) block(p *scanPart, at int) {
	b := &s.bits
	switch {
	case !s.progressive:
		s.mean(p.dc)
		s.coefficients(p.ac, 1, 63, nil)
	case s.ss == 0 && s.ah == 0:
		s.mean(p.dc)
	case s.ss == 0:
		b.take(1)
	case s.ah == 0:
		if s.eobRun > 0 {
			s.eobRun--
			return
		}
		s.coefficients(p.ac, s.ss, s.se, &p.comp.nonzero[at])
	default:
		s.refine(p.ac, &p.comp.nonzero[at])
	}
}

// mean reads a block's first coefficient (F.2.2.1).
func (s *scan) mean(h *huffman) {
	// 8 bits a sample make means of at most 11 bits; libjpeg allows 15.
	size := s.bits.code(h)
	if size > 15 {
		s.bits.bad = "a code has no meaning"
		return
	}
	s.bits.take(size)
}

// coefficients reads runs of zeros and values (F.2.2.2, G.1.2.2).
func (s *scan) coefficients(h *huffman, k, last int, nonzero *uint64) {
	b := &s.bits
	for k <= last && b.bad == "" {
		rs := b.code(h)
		run, size := rs>>4, rs&15
		switch {
		case size == 0 && run == 15:
			k += 16
		case size == 0:
			if nonzero != nil {
				s.eobRun = 1<<run - 1 + b.take(run)
			}
			return
		default:
			k += run
			if k > last {
				b.bad = "a block is overfull"
				return
			}
			b.take(size)
			if nonzero != nil {
				*nonzero |= 1 << k
			}
			k++
		}
	}
}

// refine reads one more bit of every coefficient that is not zero, and new
// ones between them (G.1.2.3).
func (s *scan) refine(h *huffman, nonzero *uint64) {
	b := &s.bits
	k := s.ss
	for s.eobRun == 0 && k <= s.se && b.bad == "" {
		rs := b.code(h)
		run, size := rs>>4, rs&15
		switch {
		case size == 0 && run < 15:
			s.eobRun = 1<<run + b.take(run)
		case size > 1:
			b.bad = "a code has no meaning"
			return
		default:
			b.take(size) // the sign of a new one
			for k <= s.se {
				if *nonzero>>k&1 == 1 {
					b.take(1)
				} else if run--; run < 0 {
					break
				}
				k++
			}
			if size == 1 {
				if k > s.se {
					b.bad = "a block is overfull"
					return
				}
				*nonzero |= 1 << k
			}
			k++
		}
	}
	if s.eobRun > 0 {
		for ; k <= s.se && b.bad == ""; k++ {
			if *nonzero>>k&1 == 1 {
				b.take(1)
			}
		}
		s.eobRun--
	}
}
