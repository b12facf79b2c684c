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

// roughMost is how many sleeves the first, rough consensus is made of, by which
// then all are registered: its noise is a fifth of a sleeve's own, and the same
// for all of them. Of fewer, which sleeves they are begins to matter where the
// deck has several kinds.
const roughMost = 40

// settle registers every view to the deck's consensus, takes slow light out
// and matches what misfit remains. The first consensus is blurred by the
// views' own misfit, so a rough registration comes first.
func (d *deck) settle() (*order, *template, error) {
	s := d.stride()
	t, err := d.rough()
	if err != nil {
		return nil, nil, err
	}
	d.prepare(t)
	basis := d.newLightBasis(t)
	if err := d.parallel(len(d.plates), func(k int) error {
		p := d.plates[k]
		view, moved := d.view(k), d.views.get(s)
		defer d.views.put(moved)
		p.warp = d.register(t, view, p.warp, true)
		if err := d.resample(t, p.warp, view, moved); err != nil {
			return err
		}
		d.maskSaturated(t, moved, d.reason(k))
		p.light = d.fitLight(t, basis, moved, d.reason(k))
		d.relight(t, p.light, moved)
		copy(view, moved)
		return nil
	}); err != nil {
		return nil, nil, err
	}
	planes := allOf(len(d.plates))
	o, err := d.consensusOf(planes)
	if err != nil {
		return nil, nil, err
	}
	t = d.newTemplate(o.mid)
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

// rough is the consensus of some of the sleeves, registered to what they have
// in common as they lie. Their warps are a first guess.
func (d *deck) rough() (*template, error) {
	n := len(d.plates)
	m, s := min(n, roughMost), d.stride()
	picks := make([]int32, m)
	for i := range picks {
		picks[i] = int32(i * n / m)
	}
	o, err := d.consensusOf(picks)
	if err != nil {
		return nil, err
	}
	t := d.newTemplate(o.mid)
	d.prepare(t)
	moved := make([]byte, m*s)
	if err := d.parallel(m, func(i int) error {
		k := int(picks[i])
		p := d.plates[k]
		p.warp = d.register(t, d.view(k), nil, false)
		return d.resample(t, p.warp, d.view(k), moved[i*s:(i+1)*s])
	}); err != nil {
		return nil, err
	}
	if o, err = d.orderOf(moved, allOf(m)); err != nil {
		return nil, err
	}
	return d.newTemplate(o.mid), nil
}

func allOf(n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(i)
	}
	return out
}
