package sleeve

import (
	"math"

	"fairdeck/vision/colour"
)

// load copies the views into the deck's pixels: turned to the majority and
// with the exposure gain applied.
func (d *deck) load() error {
	d.pixels = make([]byte, len(d.plates)*d.stride())
	return d.parallel(len(d.plates), func(k int) error {
		p := d.plates[k]
		var lut [3][256]uint8 // B G R
		for c := range lut {
			g := p.gain[2-c]
			for i := range lut[c] {
				lut[c][i] = uint8(math.Round(colour.Encode(g * colour.Linear(uint8(i)))))
			}
		}
		src, dst := p.view.Image.Pix, d.view(k)
		if d.opt.TakeViews {
			p.view.Image = nil
		}
		if !p.turned {
			for i := 0; i+2 < len(src); i += 3 {
				dst[i], dst[i+1], dst[i+2] = lut[0][src[i]], lut[1][src[i+1]], lut[2][src[i+2]]
			}
			return nil
		}
		for i, j := 0, len(src)-3; j >= 0; i, j = i+3, j-3 {
			dst[j], dst[j+1], dst[j+2] = lut[0][src[i]], lut[1][src[i+1]], lut[2][src[i+2]]
		}
		return nil
	})
}

// settle registers every view to the deck's consensus, takes slow light out
// and matches what misfit remains. The first consensus is blurred by the
// views' own misfit, so a rough registration comes first.
func (d *deck) settle() (*order, *template, error) {
	planes := make([]int32, len(d.plates))
	for i := range planes {
		planes[i] = int32(i)
	}
	raw := d.pixels
	s := d.stride()
	registered := make([]byte, len(raw))
	o, err := d.consensusOf(planes)
	if err != nil {
		return nil, nil, err
	}
	t := d.newTemplate(o.mid)
	for round := range 2 {
		d.pixels = registered
		var basis *lightBasis
		if round > 0 {
			basis = d.newLightBasis(t)
		}
		err := d.parallel(len(d.plates), func(k int) error {
			p := d.plates[k]
			view := raw[k*s : (k+1)*s]
			p.warp = d.register(t, view, p.warp)
			dst := d.view(k)
			if err := d.resample(t, p.warp, view, dst); err != nil {
				return err
			}
			if round > 0 {
				d.maskSaturated(t, dst, d.reason(k))
				p.light = d.fitLight(t, basis, dst, d.reason(k))
				d.relight(t, p.light, dst)
			}
			return nil
		})
		if err != nil {
			return nil, nil, err
		}
		if o, err = d.consensusOf(planes); err != nil {
			return nil, nil, err
		}
		t = d.newTemplate(o.mid)
	}
	m := d.newMatcher(t, o)
	if err := d.parallel(len(d.plates), func(k int) error {
		d.match(m, d.view(k), d.reason(k))
		d.straighten(t, d.view(k))
		return nil
	}); err != nil {
		return nil, nil, err
	}
	if o, err = d.consensusOf(planes); err != nil {
		return nil, nil, err
	}
	return o, d.newTemplate(o.mid), nil
}
