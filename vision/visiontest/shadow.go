package visiontest

import "math"

// shadowReachMM is how far from the outline a lying card darkens the table.
const shadowReachMM = 4.5

// shadow is the darkening of the table round one card.
type shadow struct {
	s     *shader
	lamps []lampShadow
	room  float64
}

type lampShadow struct {
	dx, dy float64 // mm of shift per mm of height, towards the lamp
	soft   float64 // penumbra, mm
	share  float64
}

func (s *shader) newShadow() *shadow {
	sh := &shadow{s: s}
	p := vec{s.centre.X, s.centre.Y, 0}
	e, _, _, _ := s.light.irradiance(p)
	for i := range s.light.lamps {
		l := &s.light.lamps[i]
		d := l.at.sub(p)
		f := l.light[1] * l.fall / sq(d.dot(d)) * sq(d[2]) / sq(l.at[2])
		size := l.half[0] + l.half[1]
		sh.lamps = append(sh.lamps, lampShadow{dx: d[0] / d[2], dy: d[1] / d[2],
			soft: 0.08 + s.thickness*size/d[2], share: f / e[1]})
	}
	sh.room = s.light.ambient / e[1]
	return sh
}

// at is the factor on the table's light at world (x, y).
func (sh *shadow) at(x, y float64) float64 {
	s := sh.s
	u, v := s.toSleeve(x, y)
	d := s.distance(u, v)
	if d > shadowReachMM {
		return 1
	}
	// The surface height beside the card: a raised edge throws a longer shadow.
	h, _, _ := s.surface(clamp(u, 0, s.width), clamp(v, 0, s.height))
	dark := 0.0
	for i := range sh.lamps {
		l := &sh.lamps[i]
		hidden := 0.0
		for _, z := range [...]float64{h, h - s.thickness/2} {
			pu, pv := s.toSleeve(x+l.dx*z, y+l.dy*z)
			hidden = max(hidden, clamp(0.5-s.distance(pu, pv)/l.soft, 0, 1))
		}
		dark += l.share * hidden
	}
	// The room's light is hidden by the low wall: half of it at its foot.
	dark += sh.room * 0.5 * math.Exp(-max(0, d)/(1.5*h+0.1))
	return 1 - min(dark, 0.97)
}
