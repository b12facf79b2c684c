package visiontest

import (
	"image"
	"math"

	"fairdeck/vision/plane"
)

// limb is a capsule whose radius changes along it: a finger, a palm, a
// sleeve of a coat. Pixels.
type limb struct {
	a, b   plane.Point
	ra, rb float64
	cloth  bool
}

// distance is the signed distance to the outline, negative inside, and how
// deep inside the limb the point is, 0 to 1.
func (l *limb) distance(x, y float64) (d, deep float64) {
	px, py := x-l.a.X, y-l.a.Y
	bx, by := l.b.X-l.a.X, l.b.Y-l.a.Y
	t := clamp((px*bx+py*by)/math.Max(1e-9, bx*bx+by*by), 0, 1)
	r := l.ra + (l.rb-l.ra)*t
	px, py = px-t*bx, py-t*by
	d = math.Sqrt(px*px+py*py) - r
	return d, clamp(-d/r, 0, 1)
}

func (l *limb) bounds(grow float64) image.Rectangle {
	m := max(l.ra, l.rb) + grow
	return image.Rect(int(min(l.a.X, l.b.X)-m), int(min(l.a.Y, l.b.Y)-m), int(max(l.a.X, l.b.X)+m)+1, int(max(l.a.Y, l.b.Y)+m)+1)
}

// arm is a right hand seen from above, in millimetres: tip is where its
// fingers are, the forearm goes to the anchor. Spread opens the fingers.
func arm(tip pose, anchor plane.Point, spread, bend float64) []limb {
	t := plane.Point{X: tip.x, Y: tip.y}
	d := anchor.Sub(t)
	long := d.Norm()
	d = d.Mul(1 / math.Max(1, long))
	n := plane.Point{X: -d.Y, Y: d.X}
	at := func(along, across float64) plane.Point { return t.Add(d.Mul(along)).Add(n.Mul(across)) }
	ls := []limb{
		{a: at(150, 0), b: at(max(long, 260), 0), ra: 29, rb: 40},                 // forearm
		{a: at(205, 0), b: at(max(long, 260)+80, 0), ra: 41, rb: 52, cloth: true}, // its sleeve
		{a: at(82, -14), b: at(140, -5), ra: 29, rb: 26},
		{a: at(80, 14), b: at(140, 5), ra: 28, rb: 26},
	}
	for k := range 4 {
		f := float64(k) - 1.5
		knuckle, joint := at(72, f*19), at(38+3*math.Abs(f), f*(14+5*spread)+3*bend)
		end := at(6*math.Abs(f)-4*bend, f*(10+9*spread))
		ls = append(ls, limb{a: knuckle, b: joint, ra: 10, rb: 9}, limb{a: joint, b: end, ra: 9, rb: 7})
	}
	ls = append(ls, limb{a: at(100, 34), b: at(55, 42+6*spread), ra: 14, rb: 11}, limb{a: at(55, 42+6*spread), b: at(18, 26+10*spread), ra: 11, rb: 9})
	return ls
}

// seen turns limbs at height z into pixels.
func seen(ls []limb, z float64, v *viewer) []limb {
	out := make([]limb, len(ls))
	k := v.scale * v.position[2] / (v.position[2] - z)
	for i, l := range ls {
		out[i] = limb{a: v.project(vec{l.a.X, l.a.Y, z}), b: v.project(vec{l.b.X, l.b.Y, z}), ra: l.ra * k, rb: l.rb * k, cloth: l.cloth}
	}
	return out
}

// touches reports whether any limb, grown by mm, covers a point (mm).
func touches(ls []limb, p plane.Point, mm float64) bool {
	for i := range ls {
		if d, _ := ls[i].distance(p.X, p.Y); d < mm {
			return true
		}
	}
	return false
}

// paintHand draws the limbs (pixels) with outlines as soft as given.
func paintHand(dst *canvas, ls []limb, skin, cuff [3]float64, soft float64) image.Rectangle {
	var all image.Rectangle
	for i := range ls {
		all = all.Union(ls[i].bounds(soft))
	}
	all = all.Intersect(dst.bounds())
	const cell = 16
	near := make([]*limb, 0, len(ls))
	for cy := all.Min.Y; cy < all.Max.Y; cy += cell {
		for cx := all.Min.X; cx < all.Max.X; cx += cell {
			near = near[:0]
			for i := range ls {
				if d, _ := ls[i].distance(float64(cx)+cell/2, float64(cy)+cell/2); d < cell*0.75+soft {
					near = append(near, &ls[i])
				}
			}
			if len(near) == 0 {
				continue
			}
			for y := cy; y < min(cy+cell, all.Max.Y); y++ {
				row := dst.row(y)
				for x := cx; x < min(cx+cell, all.Max.X); x++ {
					best, depth, cloth := math.Inf(1), 0.0, false
					for _, l := range near {
						d, deep := l.distance(float64(x), float64(y))
						if l.cloth && d < 0 {
							best, depth, cloth = d, deep, true
						} else if d < best && !cloth {
							best, depth = d, deep
						}
					}
					alpha := clamp(0.5-best/soft, 0, 1)
					if alpha == 0 {
						continue
					}
					c := &skin
					if cloth {
						c = &cuff
					}
					f := (0.62 + 0.4*math.Sqrt(depth)) * (1 + 0.05*noise(float64(x)/5, float64(y)/5, 77)) * lightOne
					for k := range 3 {
						d := float64(row[3*x+k])
						row[3*x+k] = uint16(clamp(d+(c[k]*f-d)*alpha, 0, 65535))
					}
				}
			}
		}
	}
	return all
}
