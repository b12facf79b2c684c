package sleeve

import (
	"math"
	"slices"

	"fairdeck/vision/colour"
)

// load takes the views' pixels, or copies of them: turned to the majority and
// with the exposure gain applied.
func (d *deck) load() error {
	return d.parallel(len(d.plates), func(k int) error {
		p := d.plates[k]
		if p.pix = p.view.Image.Pix; d.opt.TakeViews {
			p.view.Image = nil
		} else {
			p.pix = slices.Clone(p.pix)
		}
		var lut [3][256]uint8 // B G R
		for c := range lut {
			g := p.gain[2-c]
			for i := range lut[c] {
				lut[c][i] = uint8(math.Round(colour.Encode(g * colour.Linear(uint8(i)))))
			}
		}
		v := p.pix
		if p.turned {
			for i, j := 0, len(v)-3; i < j; i, j = i+3, j-3 {
				v[i], v[i+1], v[i+2], v[j], v[j+1], v[j+2] = v[j], v[j+1], v[j+2], v[i], v[i+1], v[i+2]
			}
		}
		for i := 0; i+2 < len(v); i += 3 {
			v[i], v[i+1], v[i+2] = lut[0][v[i]], lut[1][v[i+1]], lut[2][v[i+2]]
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
	t, err := d.rough()
	if err != nil {
		return nil, nil, err
	}
	d.prepare(t)
	basis := d.newLightBasis(t)
	if err := d.parallel(len(d.plates), func(k int) error {
		p := d.plates[k]
		moved := d.views.get(d.stride())
		p.warp = d.register(t, p.pix, p.warp, true)
		if err := d.resample(t, p.warp, p.pix, moved); err != nil {
			return err
		}
		d.views.put(p.pix)
		p.pix = moved
		d.maskSaturated(t, moved, d.reason(k))
		p.light = d.fitLight(t, basis, moved, d.reason(k))
		d.relight(t, p.light, moved)
		return nil
	}); err != nil {
		return nil, nil, err
	}
	d.views = lender[byte]{}
	all := allOf(len(d.plates))
	o, err := d.consensusOf(all)
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
	if o, err = d.consensusOf(all); err != nil {
		return nil, nil, err
	}
	return o, d.newTemplate(o.mid), nil
}

// rough is the consensus of some of the sleeves, registered to what they have
// in common as they lie. Their warps are a first guess.
func (d *deck) rough() (*template, error) {
	n := len(d.plates)
	picks := make([]int, min(n, roughMost))
	for i := range picks {
		picks[i] = i * n / len(picks)
	}
	o, err := d.consensusOf(picks)
	if err != nil {
		return nil, err
	}
	t := d.newTemplate(o.mid)
	d.prepare(t)
	moved := make([][]byte, len(picks))
	if err := d.parallel(len(picks), func(i int) error {
		p := d.plates[picks[i]]
		p.warp = d.register(t, p.pix, nil, false)
		moved[i] = d.views.get(d.stride())
		return d.resample(t, p.warp, p.pix, moved[i])
	}); err != nil {
		return nil, err
	}
	o, err = d.orderOf(moved)
	d.views.put(moved...)
	if err != nil {
		return nil, err
	}
	return d.newTemplate(o.mid), nil
}

func allOf(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
