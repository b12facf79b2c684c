package sleeve

import "math"

// template is what views are registered to: a consensus and its gradients.
type template struct {
	w, h int
	code [3][]float32 // gamma-encoded B, G, R, 0 to 255 with fractions
	band []float32    // band-passed luma, codes
	gx   []float32    // gradient of band, codes per px
	gy   []float32
	tile int // px: side of the registration tiles
	tw   int // tiles across
	th   int
	info []tileInfo
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
	t := &template{w: d.w, h: d.h}
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
	luma = boxBlur(luma, d.w, d.h, 1)
	t.band = bandPass(luma, d.w, d.h, max(2, int(math.Round(alignBandMM*d.px))))
	t.gx = make([]float32, n)
	t.gy = make([]float32, n)
	for y := 1; y < d.h-1; y++ {
		for x := 1; x < d.w-1; x++ {
			i := y*d.w + x
			t.gx[i] = (t.band[i+1] - t.band[i-1]) / 2
			t.gy[i] = (t.band[i+d.w] - t.band[i-d.w]) / 2
		}
	}
	t.tile = max(8, int(math.Round(alignTileMM*d.px)))
	t.tw, t.th = (d.w+t.tile-1)/t.tile, (d.h+t.tile-1)/t.tile
	t.info = make([]tileInfo, t.tw*t.th)
	d.eachAlignSample(t, func(tile, i, _, _ int) {
		gx, gy := float64(t.gx[i]), float64(t.gy[i])
		f := &t.info[tile]
		f.xx += gx * gx
		f.xy += gx * gy
		f.yy += gy * gy
	})
	return t
}

// alignInsetMM keeps the outline out of the print's registration.
const alignInsetMM = 1.0

// alignStride: every second pixel in each direction carries nearly all that
// neighbours do after the blur.
const alignStride = 2

func (d *deck) eachAlignSample(t *template, f func(tile, i, x, y int)) {
	in := (d.margin + alignInsetMM) * d.px
	x0, y0 := int(in), int(in)
	x1, y1 := int((d.margin+d.wMM-alignInsetMM)*d.px), int((d.margin+d.hMM-alignInsetMM)*d.px)
	for y := max(1, y0); y < min(d.h-1, y1); y += alignStride {
		for x := max(1, x0); x < min(d.w-1, x1); x += alignStride {
			f((y/t.tile)*t.tw+x/t.tile, y*d.w+x, x, y)
		}
	}
}
