package colour

import "math"

// DeltaE2000 is the CIEDE2000 colour difference with kL = kC = kH = 1, in the
// steps and equation numbers of Sharma, Wu & Dalal 2005. The angles of (7) to
// (16) are kept as directions in the (a', b) plane, of which products and sums
// take the place of most trigonometry: pictures ask for millions of these.
func DeltaE2000(p, q Lab) float64 {
	g := 0.5 * (1 - ratio7((norm(p.A, p.B)+norm(q.A, q.B))/2)) // (4)
	a1, a2 := (1+g)*p.A, (1+g)*q.A                             // (5)
	c1, c2 := norm(a1, p.B), norm(a2, q.B)
	dL, dC := q.L-p.L, c2-c1 // (8), (9)
	dH, u, v := hueBetween(a1, p.B, c1, a2, q.B, c2)

	l, c := (p.L+q.L)/2, (c1+c2)/2
	// Cosines and sines of h, 2h, 3h and 4h.
	u2, v2 := u*u-v*v, 2*u*v
	u3, v3 := u*u2-v*v2, u*v2+v*u2
	u4, v4 := u2*u2-v2*v2, 2*u2*v2
	t := 1 - 0.17*(u*cos30+v*sin30) + 0.24*u2 + 0.32*(u3*cos6-v3*sin6) - 0.20*(u4*cos63+v4*sin63) // (15)
	rT := 0.0                                                                                     // (17), (21)
	// Beyond 100 degrees from 275 the rotation is less than 1e-5 degrees.
	if near := u*cos275 + v*sin275; near > -0.17 {
		from := math.Atan2(v*cos275-u*sin275, near) * 180 / math.Pi
		rT = -2 * ratio7(c) * math.Sin(rad(60*math.Exp(-sq(from/25)))) // (16)
	}
	l50 := sq(l - 50)
	sL := 1 + 0.015*l50/math.Sqrt(20+l50) // (18)
	sC, sH := 1+0.045*c, 1+0.015*c*t      // (19), (20)
	x, y, z := dL/sL, dC/sC, dH/sH
	return math.Sqrt(math.Max(0, x*x+y*y+z*z+rT*y*z)) // (22)
}

// Cosines and sines of the constant angles of (15) and (16), in degrees.
const (
	cos30, sin30   = 0.8660254037844386, 0.5
	cos6, sin6     = 0.9945218953682733, 0.10452846326765347
	cos63, sin63   = 0.45399049973954675, 0.8910065241883679
	cos275, sin275 = 0.08715574274765817, -0.9961946980917455
)

// hueBetween returns the hue difference of (11) and the direction of the mean
// hue of (14) for two colours (a, b) with chroma c.
func hueBetween(a1, b1, c1, a2, b2, c2 float64) (dH, u, v float64) {
	both := c1 * c2
	if both == 0 {
		// A grey has no hue; the other's counts.
		if c := c1 + c2; c != 0 {
			return 0, (a1 + a2) / c, (b1 + b2) / c
		}
		return 0, 1, 0
	}
	dot := a1*a2 + b1*b2
	if dot > -0.99*both {
		// 2 sqrt(c1 c2) sin(dh/2) by the half-angle formula.
		dH = (a1*b2 - b1*a2) / math.Sqrt((both+dot)/2)
		u, v = a1/c1+a2/c2, b1/c1+b2/c2
		n := norm(u, v)
		return dH, u / n, v / n
	}
	// Nearly opposite hues: which way round is shorter hangs on the last bits,
	// as the formula has it.
	h1, h2 := hue(b1, a1), hue(b2, a2) // (7)
	dh, h := h2-h1, (h1+h2)/2          // (10), (14)
	switch {
	case dh > 180:
		dh -= 360
		h += 180
	case dh < -180:
		dh += 360
		h += 180
	}
	return 2 * math.Sqrt(both) * math.Sin(rad(dh/2)), math.Cos(rad(h)), math.Sin(rad(h))
}

func norm(x, y float64) float64 { return math.Sqrt(x*x + y*y) }

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
