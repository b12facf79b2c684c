package sleeve

import "math"

// template is what views are registered to: a consensus and its gradients.
type template struct {
	w, h   int
	mid    []uint16     // the consensus, interleaved, 256ths of a code
	code   [3][]float32 // the same by channel: gamma-encoded B, G, R, 0 to 255 with fractions
	tile   int          // px: side of the registration tiles
	tw     int          // tiles across
	th     int
	levels []*alignLevel // coarse to fine
}

// alignLevel is the template's print at one smoothness: the coarse one
// catches a print that lies pixels away, the fine one places it.
type alignLevel struct {
	blur   int       // px: radius of the box smoothing
	stride int       // px: every stride-th pixel is used
	band   []float32 // band-passed luma, codes
	gx, gy []float32 // its gradient, codes per px
	info   []tileInfo
}

// tileInfo is the structure tensor of one tile.
type tileInfo struct{ xx, xy, yy float64 }

const (
	// alignTileMM is the size of the pieces that the print may move by on
	// their own: bow and lens act over centimetres.
	alignTileMM = 6
	// alignBandMM: structure larger than this is light, not print.
	alignBandMM = 1.5
)

// luma is Rec. 601 luma in codes: the weights matter little for registration.
func lumaOf(pix []byte, dst []float32) {
	for i := range dst {
		p := pix[3*i : 3*i+3 : 3*i+3]
		dst[i] = 0.114*float32(p[0]) + 0.587*float32(p[1]) + 0.299*float32(p[2])
	}
}

func (d *deck) newTemplate(mid []uint16) *template {
	n := d.w * d.h
	t := &template{w: d.w, h: d.h, mid: mid}
	for c := range t.code {
		t.code[c] = make([]float32, n)
		for i := range n {
			t.code[c][i] = float32(mid[3*i+c]) * (1.0 / 256)
		}
	}
	luma := make([]float32, n)
	for i := range luma {
		luma[i] = 0.114*t.code[0][i] + 0.587*t.code[1][i] + 0.299*t.code[2][i]
	}
	t.tile = max(8, int(math.Round(alignTileMM*d.px)))
	t.tw, t.th = (d.w+t.tile-1)/t.tile, (d.h+t.tile-1)/t.tile
	// The coarse smoothing widens a printed line to about 1 mm, and with it
	// the range in which a step of Lucas & Kanade points the right way.
	coarse := max(2, int(math.Round(0.45*d.px)))
	for _, l := range []*alignLevel{{blur: coarse, stride: 3}, {blur: 1, stride: alignStride}} {
		l.band = d.alignBand(nil, luma, l.blur)
		l.gx = make([]float32, n)
		l.gy = make([]float32, n)
		for y := 1; y < d.h-1; y++ {
			for x := 1; x < d.w-1; x++ {
				i := y*d.w + x
				l.gx[i] = (l.band[i+1] - l.band[i-1]) / 2
				l.gy[i] = (l.band[i+d.w] - l.band[i-d.w]) / 2
			}
		}
		l.info = make([]tileInfo, t.tw*t.th)
		x0, x1, y0, y1 := d.alignBounds()
		for y := y0; y < y1; y += l.stride {
			for x := x0; x < x1; x += l.stride {
				gx, gy := float64(l.gx[y*d.w+x]), float64(l.gy[y*d.w+x])
				f := &l.info[(y/t.tile)*t.tw+x/t.tile]
				f.xx += gx * gx
				f.xy += gx * gy
				f.yy += gy * gy
			}
		}
		t.levels = append(t.levels, l)
	}
	return t
}

// alignBand smooths luma by a box of the given radius and takes off what is
// larger than alignBandMM.
func (d *deck) alignBand(sc *scratch, luma []float32, blur int) []float32 {
	soft := boxBlur(sc, luma, d.w, d.h, blur)
	band := bandPass(sc, soft, d.w, d.h, max(2, int(math.Round(alignBandMM*d.px))))
	sc.put(soft)
	return band
}

// alignInsetMM keeps the outline out of the print's registration.
const alignInsetMM = 1.0

// alignStride: every second pixel in each direction carries nearly all that
// neighbours do after the blur.
const alignStride = 2

// alignBounds is the part of a view that the print's registration looks at.
func (d *deck) alignBounds() (x0, x1, y0, y1 int) {
	in := max(1, int((d.margin+alignInsetMM)*d.px))
	return in, min(d.w-1, int((d.margin+d.wMM-alignInsetMM)*d.px)), in, min(d.h-1, int((d.margin+d.hMM-alignInsetMM)*d.px))
}
