package sleeve

import "testing"

// A smudge that takes light in equal parts is like a shadow, also where one
// channel is at its stop and cannot show it; ink is not.
func TestLightLikeAtTheStop(t *testing.T) {
	const side = 12
	slope, light := codeSlope(), lightTable()
	for _, c := range []struct {
		name  string
		mid   [3]uint8
		share [3]float64 // of the linear light that is taken
		want  byte
	}{
		{"grey smudge", [3]uint8{200, 150, 230}, [3]float64{0.1, 0.1, 0.1}, reasonShadow},
		{"at the stop", [3]uint8{200, 150, 255}, [3]float64{0.1, 0.1, 0}, reasonShadow},
		{"ink", [3]uint8{200, 150, 230}, [3]float64{0.1, 0, 0}, reasonNone},
		{"two at the stop", [3]uint8{200, 255, 255}, [3]float64{0.1, 0, 0}, reasonNone},
		{"ink at the stop", [3]uint8{200, 150, 255}, [3]float64{0, 0.2, 0}, reasonNone},
	} {
		d := &deck{w: side, h: side, px: 4}
		b := &filterBank{mids: [][]uint16{make([]uint16, 3*side*side)}}
		p := &plate{pix: make([]byte, 3*side*side)}
		d.plates = []*plate{p}
		var r region
		for i := range side * side {
			r.pixels = append(r.pixels, i)
			for ch := range 3 {
				v := c.mid[ch]
				b.mids[0][3*i+ch] = uint16(v) << 8
				p.pix[3*i+ch] = uint8(float64(v) - c.share[ch]*float64(light[v]*slope[v]) + 0.5)
			}
		}
		if got := d.lightLike(b, 0, &r, true); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, reasonNames[got], reasonNames[c.want])
		}
	}
}
