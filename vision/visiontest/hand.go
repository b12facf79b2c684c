package visiontest

import (
	"math"
	"math/rand/v2"
)

// handShadow is the soft shadow of a hand that reaches into the picture: a
// palm beyond the border and fingers that end inside.
type handShadow struct {
	palm    blot
	fingers [4]blot
	depth   float64
	soft    float64
}

func newHandShadow(r *rand.Rand, v *viewer) *handShadow {
	w, h := float64(v.width)/v.scale, float64(v.height)/v.scale
	// From any side, along the border, reaching in by 25 to 65 mm.
	angle := float64(r.IntN(4))*math.Pi/2 + between(r, -0.4, 0.4)
	sin, cos := math.Sincos(angle)
	edge := math.Abs(cos)*w/2 + math.Abs(sin)*h/2
	shift := between(r, -0.4, 0.4) * min(w, h)
	tip := edge - between(r, 25, 65)
	at := func(along, across float64) (x, y float64) { return along*cos - across*sin, along*sin + across*cos }
	s := &handShadow{depth: between(r, 0.2, 0.55), soft: between(r, 4, 14)}
	x, y := at(tip+85, shift)
	s.palm = newBlot(x, y, angle, 90, 85, 30, 0, [3]float64{}, 1)
	s.palm.reach += 20
	for i := range s.fingers {
		out := tip + math.Abs(float64(i)-1.4)*7
		x, y := at(out+40, shift+float64(i)*21-31)
		s.fingers[i] = newBlot(x, y, angle, 80, 17, 8, 0, [3]float64{}, 1)
		s.fingers[i].reach += 20
	}
	return s
}

// dim darkens the layer.
func (s *handShadow) dim(l *layer, v *viewer) {
	const step = 8 // the shadow is far softer than 8 px
	value := func(x, y int) float64 {
		px, py := v.onPlane(v.ray(float64(min(x, v.width)), float64(min(y, v.height))), 0)
		c := s.palm.cover(px, py, 2*s.soft)
		for i := range s.fingers {
			c = max(c, s.fingers[i].cover(px, py, s.soft))
		}
		return 1 - s.depth*smoothstep(0, 1, c)
	}
	n := l.Dx()/step + 2
	above, below := make([]float64, n), make([]float64, n)
	for y := l.Min.Y; y < l.Max.Y; y++ {
		k := (y - l.Min.Y) % step
		if k == 0 {
			for i := range n {
				above[i], below[i] = value(l.Min.X+i*step, y), value(l.Min.X+i*step, y+step)
			}
		}
		row, fy := l.row(y), float64(k)/step
		for x := range l.Dx() {
			i, fx := x/step, float64(x%step)/step
			f := float32((above[i]*(1-fx)+above[i+1]*fx)*(1-fy) + (below[i]*(1-fx)+below[i+1]*fx)*fy)
			row[3*x] *= f
			row[3*x+1] *= f
			row[3*x+2] *= f
		}
	}
}
