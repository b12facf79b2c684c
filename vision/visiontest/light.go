package visiontest

import "math"

// Light is what shines on the table. The light falling on the middle of the
// table is normalised to 1; how bright the picture becomes is the camera's
// exposure. The zero value is one soft panel behind the card's left shoulder,
// out of the camera's mirror direction, with a third of the light coming from
// the room.
type Light struct {
	// Lamps are horizontal rectangles that shine downwards; nil means one
	// panel of 500 x 500 mm at (-550, 500, 1100).
	Lamps []Lamp
	// Ambient is the share of shadowless light from everywhere, 0 to 1; 0
	// means 0.35, a negative number none.
	Ambient float64
}

// Lamp is one rectangular lamp.
type Lamp struct {
	AtMM   [3]float64 // centre, world coordinates
	SizeMM [2]float64 // along X and Y
	Power  float64    // share of the lamps' light, relative to the others; 0 means 1
	Tint   [3]float64 // red, green, blue; all 0 means white
}

func (l Light) withDefaults() Light {
	if len(l.Lamps) == 0 {
		l.Lamps = []Lamp{{AtMM: [3]float64{-550, 500, 1100}, SizeMM: [2]float64{500, 500}}}
	}
	if l.Ambient == 0 {
		l.Ambient = 0.35
	}
	l.Ambient = clamp(l.Ambient, 0, 1)
	return l
}

type lamp struct {
	at       vec
	half     [2]float64
	light    [3]float64 // irradiance at the table's middle
	radiance [3]float64 // seen in a perfect mirror; a white matte surface under irradiance 1 has 1
	fall     float64    // r^4 at the middle
}

type lighting struct {
	lamps   []lamp
	ambient float64
}

func newLighting(l Light) *lighting {
	g := &lighting{ambient: l.Ambient}
	total := 0.0
	for _, p := range l.Lamps {
		total += positive(p.Power, 1)
	}
	for _, p := range l.Lamps {
		q := lamp{at: p.AtMM, half: [2]float64{p.SizeMM[0] / 2, p.SizeMM[1] / 2}}
		q.fall = sq(q.at.dot(q.at))
		tint := p.Tint
		if tint == ([3]float64{}) {
			tint = [3]float64{1, 1, 1}
		}
		// E = L A cos^2 / r^2 gives the lamp's own radiance; pi turns it
		// into units of a white Lambertian surface.
		toRadiance := math.Pi * q.fall / (max(100, 4*q.half[0]*q.half[1]) * sq(q.at[2]))
		for c := range 3 {
			q.light[c] = (1 - g.ambient) * positive(p.Power, 1) / total * tint[c]
			q.radiance[c] = q.light[c] * toRadiance
		}
		g.lamps = append(g.lamps, q)
	}
	return g
}

// irradiance is the light on a level surface at p and the slope (horizontal
// over vertical) from which the lamps' part of it comes; share is that part.
func (g *lighting) irradiance(p vec) (e [3]float64, fromX, fromY, share float64) {
	sum := 0.0
	for i := range g.lamps {
		l := &g.lamps[i]
		d := l.at.sub(p)
		f := l.fall / sq(d.dot(d)) * sq(d[2]) / sq(l.at[2])
		for c := range 3 {
			e[c] += l.light[c] * f
		}
		w := l.light[1] * f
		fromX += w * d[0] / d[2]
		fromY += w * d[1] / d[2]
		sum += w
	}
	for c := range 3 {
		e[c] += g.ambient
	}
	if sum > 0 {
		fromX, fromY = fromX/sum, fromY/sum
	}
	return e, fromX, fromY, sum / (sum + g.ambient)
}

// fresnel is the mirror reflectance of clear plastic (refractive index 1.5)
// near the vertical.
const fresnel = 0.04

// mirror adds to out what a surface at p with slopes (sx, sy) reflects of the
// lamps and the room along the view direction d. Roughness is the spread of
// the reflected direction (tangent): 0.02 gloss to 0.6 matte.
func (g *lighting) mirror(p, d vec, sx, sy, roughness, strength float64, out *[3]float64) {
	// Reflection about n = (-sx, -sy, 1).
	k := 2 * (d[2] - sx*d[0] - sy*d[1]) / (1 + sx*sx + sy*sy)
	rx, ry, rz := d[0]+k*sx, d[1]+k*sy, d[2]-k
	if rz <= 0 {
		return
	}
	f := fresnel * strength
	for i := range g.lamps {
		l := &g.lamps[i]
		t := (l.at[2] - p[2]) / rz
		x, y := p[0]+t*rx-l.at[0], p[1]+t*ry-l.at[1]
		blur := roughness * t * -d[2]
		cover := softBox(x, l.half[0], blur)
		if cover == 0 {
			continue
		}
		cover *= softBox(y, l.half[1], blur) * f
		out[0] += l.radiance[0] * cover
		out[1] += l.radiance[1] * cover
		out[2] += l.radiance[2] * cover
	}
	room := f * g.ambient
	out[0] += room
	out[1] += room
	out[2] += room
}

// softBox is a box of the given half width blurred by about sigma.
func softBox(x, half, sigma float64) float64 {
	w := 2.2*sigma + 1e-9 // a cubic ramp of +-2.2 sigma resembles the normal integral
	a, b := (x+half)/w, (half-x)/w
	if a <= -1 || b <= -1 {
		return 0
	}
	return ramp(a) + ramp(b) - 1
}

func ramp(t float64) float64 {
	if t >= 1 {
		return 1
	}
	if t <= -1 {
		return 0
	}
	t = (t + 1) / 2
	return t * t * (3 - 2*t)
}

func positive(v, otherwise float64) float64 {
	if v > 0 {
		return v
	}
	return otherwise
}

func sq(x float64) float64 { return x * x }
