package sleeve

import (
	"math"

	"fairdeck/internal/cv"
)

// template is what views are registered to: a consensus and its gradients.
type template struct {
	w, h   int
	mid    []uint16     // the consensus, interleaved, 256ths of a code
	code   [3][]float32 // the same by channel: gamma-encoded B, G, R, 0 to 255 with fractions
	tile   int          // px, even: side of the registration tiles
	tw     int          // tiles across
	th     int
	patch  cv.Patch      // what the registration looks at, at half the view's resolution
	levels []*alignLevel // coarse to fine; see prepare
	sides  [4]*profiles  // the outline's; see prepare
}

// alignLevel is the template's print at one smoothness: the coarse one
// catches a print that lies pixels away, the fine one places it. Planes have
// half the view's resolution: what the camera draws of a print is smooth
// enough for every second pixel to carry nearly all that its neighbours do.
type alignLevel struct {
	blur   int       // half-resolution px: radius of the box smoothing
	band   []float32 // band-passed luma, codes
	gx, gy []float32 // its gradient, codes per px of the view
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

func (d *deck) newTemplate(mid []uint16) *template {
	n := d.w * d.h
	t := &template{w: d.w, h: d.h, mid: mid}
	for c := range t.code {
		t.code[c] = make([]float32, n)
		for i := range n {
			t.code[c][i] = float32(mid[3*i+c]) * (1.0 / 256)
		}
	}
	t.tile = 2 * max(4, int(math.Round(alignTileMM*d.px/2)))
	t.tw, t.th = (d.w+t.tile-1)/t.tile, (d.h+t.tile-1)/t.tile
	return t
}

// prepare makes what views are registered by.
func (d *deck) prepare(t *template) {
	for s := range t.sides {
		t.sides[s] = d.profilesOf(s, consensusImage(d, t.mid).Pix)
	}
	if !d.printed {
		return
	}
	x0, x1, y0, y1 := d.alignBounds()
	w, h := d.w/2, d.h/2
	t.patch = cv.Patch{
		Width: w, Height: h, X0: (x0 + 1) / 2, X1: min(w-1, x1/2), Y0: (y0 + 1) / 2, Y1: min(h-1, y1/2),
		Tile: t.tile / 2, TW: t.tw, TH: t.th,
	}
	luma := make([]float32, w*h)
	cv.HalfLuma(consensusImage(d, t.mid).Pix, d.w, d.h, luma)
	// The coarse smoothing widens a printed line to about 1 mm, and with it
	// the range in which a step of Lucas & Kanade points the right way.
	coarse := max(1, int(math.Round(0.45*d.px/2)))
	for _, l := range []*alignLevel{{blur: coarse}, {}} {
		l.band = d.alignBand(nil, luma, l.blur)
		l.gx = make([]float32, w*h)
		l.gy = make([]float32, w*h)
		l.info = make([]tileInfo, t.tw*t.th)
		for y := max(1, t.patch.Y0); y < t.patch.Y1; y++ {
			for x := max(1, t.patch.X0); x < t.patch.X1; x++ {
				i := y*w + x
				l.gx[i] = (l.band[i+1] - l.band[i-1]) / 4
				l.gy[i] = (l.band[i+w] - l.band[i-w]) / 4
				gx, gy := float64(l.gx[i]), float64(l.gy[i])
				f := &l.info[(y/t.patch.Tile)*t.tw+x/t.patch.Tile]
				f.xx += gx * gx
				f.xy += gx * gy
				f.yy += gy * gy
			}
		}
		t.levels = append(t.levels, l)
	}
}

// alignBand smooths half-resolution luma by a box of the given radius and
// takes off what is larger than alignBandMM.
func (d *deck) alignBand(sc *scratch, luma []float32, blur int) []float32 {
	w, h := d.w/2, d.h/2
	reach := max(2, int(math.Round(alignBandMM*d.px/2)))
	if blur == 0 {
		return bandPass(sc, luma, w, h, reach)
	}
	soft := boxBlur(sc, luma, w, h, blur)
	band := bandPass(sc, soft, w, h, reach)
	sc.put(soft)
	return band
}

// alignInsetMM keeps the outline out of the print's registration.
const alignInsetMM = 1.0

// alignBounds is the part of a view that the print's registration looks at.
func (d *deck) alignBounds() (x0, x1, y0, y1 int) {
	in := max(1, int((d.margin+alignInsetMM)*d.px))
	return in, min(d.w-1, int((d.margin+d.wMM-alignInsetMM)*d.px)), in, min(d.h-1, int((d.margin+d.hMM-alignInsetMM)*d.px))
}
