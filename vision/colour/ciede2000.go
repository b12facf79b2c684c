package colour

import "math"

// DeltaE2000 is the CIEDE2000 colour difference with kL = kC = kH = 1, in the
// steps and equation numbers of Sharma, Wu & Dalal 2005.
func DeltaE2000(p, q Lab) float64 {
	c1, c2 := math.Hypot(p.A, p.B), math.Hypot(q.A, q.B)
	g := 0.5 * (1 - ratio7((c1+c2)/2)) // (4)
	a1, a2 := (1+g)*p.A, (1+g)*q.A     // (5)
	cp1, cp2 := math.Hypot(a1, p.B), math.Hypot(a2, q.B)
	h1, h2 := hue(p.B, a1), hue(q.B, a2) // (7)

	dL, dC := q.L-p.L, cp2-cp1 // (8), (9)
	dh := 0.0                  // (10)
	if cp1*cp2 != 0 {
		dh = h2 - h1
		if dh > 180 {
			dh -= 360
		} else if dh < -180 {
			dh += 360
		}
	}
	dH := 2 * math.Sqrt(cp1*cp2) * math.Sin(rad(dh/2)) // (11)

	l, c := (p.L+q.L)/2, (cp1+cp2)/2
	h := h1 + h2 // (14)
	if cp1*cp2 != 0 {
		switch {
		case math.Abs(h1-h2) <= 180:
			h /= 2
		case h < 360:
			h = (h + 360) / 2
		default:
			h = (h - 360) / 2
		}
	}
	t := 1 - 0.17*math.Cos(rad(h-30)) + 0.24*math.Cos(rad(2*h)) +
		0.32*math.Cos(rad(3*h+6)) - 0.20*math.Cos(rad(4*h-63)) // (15)
	rot := math.Sin(rad(60 * math.Exp(-sq((h-275)/25)))) // (16)
	rT := -2 * ratio7(c) * rot                           // (17), (21)
	l50 := sq(l - 50)
	sL := 1 + 0.015*l50/math.Sqrt(20+l50) // (18)
	sC, sH := 1+0.045*c, 1+0.015*c*t      // (19), (20)
	x, y, z := dL/sL, dC/sC, dH/sH
	return math.Sqrt(math.Max(0, x*x+y*y+z*z+rT*y*z)) // (22)
}

// ratio7 is sqrt(c^7 / (c^7 + 25^7)).
func ratio7(c float64) float64 {
	const k = 25.0 * 25 * 25 * 25 * 25 * 25 * 25
	c7 := c * c * c * c * c * c * c
	return math.Sqrt(c7 / (c7 + k))
}

func hue(b, a float64) float64 {
	if a == 0 && b == 0 {
		return 0
	}
	h := math.Atan2(b, a) * 180 / math.Pi
	if h < 0 {
		h += 360
	}
	return h
}

func rad(deg float64) float64 { return deg * math.Pi / 180 }
func sq(x float64) float64    { return x * x }
