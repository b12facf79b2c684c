package visiontest

import (
	"math"
	"math/rand/v2"

	"fairdeck/vision/plane"
)

// paintTraces lays the harmless traces of use on a sleeve.
func paintTraces(o *overlay, s *shape, t Traces, r *rand.Rand) {
	somewhere := func() plane.Point {
		return plane.Point{X: r.Float64() * s.width, Y: r.Float64() * s.height}
	}
	for range poisson(r, t.Smudges) {
		p, radius, gain := somewhere(), between(r, 3, 9), between(r, -0.04, 0.012)
		ridges, turn, seed := r.Float64() < 0.4, r.Float64()*math.Pi, uint32(r.Uint64())
		sin, cos := math.Sincos(turn)
		from, to := boxAround(radius*1.3, p)
		o.each(from, to, func(u, v float64, x *texel) {
			q := plane.Point{X: u, Y: v}.Sub(p)
			body := smoothstep(0, 0.6, 1.1+0.3*noise(q.X/4, q.Y/4, seed)-q.Norm()/radius)
			k := gain * body
			if ridges {
				// A fingerprint: ridges 0.5 mm apart, curved.
				w := (q.X*cos + q.Y*sin) + 0.06*sq(q.X*-sin+q.Y*cos) + 0.5*noise(q.X/3, q.Y/3, seed+1)
				k *= 0.7 + 0.5*math.Sin(w*2*math.Pi/0.5)
			}
			x.shine += float32(6 * k)
			x.dimming += float32(math.Max(0, -k) * 0.25)
		})
	}
	for range poisson(r, t.Hairlines) {
		a := somewhere()
		length, angle := between(r, 3, 25), r.Float64()*math.Pi
		b := a.Add(plane.Point{X: math.Cos(angle), Y: math.Sin(angle)}.Mul(length))
		width, strength := between(r, 0.02, 0.05), between(r, 0.05, 0.25)
		seed := uint32(r.Uint64())
		n := plane.Point{X: -math.Sin(angle), Y: math.Cos(angle)}
		bend := between(r, -1, 1) * length / 20
		strip(o, a, b, 1+math.Abs(bend), func(u, v float64, x *texel) {
			p := plane.Point{X: u, Y: v}
			_, where, _ := along(p, a, b)
			d, _, side := along(p.Sub(n.Mul(bend*math.Sin(math.Pi*where))), a, b)
			c := clamp((width/2-d)*o.pxPerMM+0.5, 0, math.Min(1, width*o.pxPerMM))
			if c > 0 {
				c *= clamp(0.7+0.6*noise(where*length, 0, seed), 0, 1)
				x.ink(strength*c*0.5, [3]float64{0.6, 0.6, 0.6})
				x.su += float32(0.3 * strength * c * side * n.X)
				x.sv += float32(0.3 * strength * c * side * n.Y)
			}
		})
	}
	for range poisson(r, t.Dust) {
		p, radius := somewhere(), between(r, 0.025, 0.075)
		g := between(r, 0.15, 0.7)
		strength := between(r, 0.2, 0.7)
		speck(o, p, radius, strength, [3]float64{g, g * 0.97, g * 0.92})
	}
	for range poisson(r, t.Fluff) {
		p, angle, length := somewhere(), r.Float64()*2*math.Pi, between(r, 1, 4)
		g := between(r, 0.1, 0.8)
		for step := 0.0; step < length; step += 0.04 {
			speck(o, p, 0.03, 0.5, [3]float64{g, g, g})
			angle += between(r, -0.12, 0.12)
			p = p.Add(plane.Point{X: math.Cos(angle), Y: math.Sin(angle)}.Mul(0.04))
		}
	}
}

func speck(o *overlay, p plane.Point, radius, strength float64, c [3]float64) {
	// Smaller than a texel, it still covers its area.
	cap := math.Min(1, math.Pi*sq(radius*o.pxPerMM))
	from, to := boxAround(radius, p)
	o.each(from, to, func(u, v float64, x *texel) {
		d := plane.Point{X: u, Y: v}.Sub(p).Norm() - radius
		x.ink(strength*math.Min(cap, o.inside(d)), c)
	})
}

// strip is overlay.each along a segment, in short boxes, so that a slanting
// line does not touch the tiles beside it.
func strip(o *overlay, a, b plane.Point, margin float64, paint func(u, v float64, t *texel)) {
	d := b.Sub(a)
	n := int(math.Ceil(d.Norm()/3)) + 1
	done := func(p plane.Point) int { // which box owns a point: by its place along the line
		return int(clamp(p.Sub(a).Dot(d)/math.Max(1e-9, d.Dot(d)), 0, 0.9999) * float64(n))
	}
	for k := range n {
		from, to := boxAround(margin, a.Add(d.Mul(float64(k)/float64(n))), a.Add(d.Mul(float64(k+1)/float64(n))))
		o.each(from, to, func(u, v float64, t *texel) {
			if done(plane.Point{X: u, Y: v}) == k {
				paint(u, v, t)
			}
		})
	}
}

// poisson draws a count by Knuth's product of uniforms; means are small.
func poisson(r *rand.Rand, mean float64) int {
	n, limit := 0, math.Exp(-math.Min(mean, 500))
	for p := r.Float64(); p > limit; p *= r.Float64() {
		n++
	}
	return n
}
