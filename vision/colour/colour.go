// Package colour turns camera numbers into what an eye tells apart.
//
//	8-bit sRGB ──Linear──▶ linear light ──ToLab──▶ CIELAB (D65) ──DeltaE2000──▶ ΔE
//
// Light adds up in linear light only: averages, flat fields and edges are
// computed there. Differences are judged in CIELAB with the CIEDE2000
// formula. Sources: IEC 61966-2-1 (sRGB), CIE 15:2004 (CIELAB), CIE 142-2001
// and Sharma, Wu & Dalal 2005, "The CIEDE2000 color-difference formula:
// implementation notes" (Color Res. Appl. 30, 21-30), whose test pairs are
// the test here.
package colour

import (
	"math"
	"sync"
)

// Lab is a colour in CIELAB, white point D65: L 0 (black) to 100 (white), A
// green to red, B blue to yellow.
type Lab struct {
	L float64 `json:"l"`
	A float64 `json:"a"`
	B float64 `json:"b"`
}

// Linear undoes the sRGB tone curve: code 0 to 255 gives light 0 to 1.
func Linear(code uint8) float64 { return linearTable()[code] }

// LinearTable returns the light of every code; hot loops fetch it once. The
// table is shared and must not be changed.
func LinearTable() *[256]float64 { return linearTable() }

// Encode applies the sRGB tone curve: light 0 to 1 (clamped) gives a code 0
// to 255, not rounded.
func Encode(light float64) float64 {
	switch {
	case !(light > 0):
		return 0
	case light >= 1:
		return 255
	case light <= 0.0031308:
		return 255 * 12.92 * light
	}
	return 255 * (1.055*math.Pow(light, 1/2.4) - 0.055)
}

var linearTable = sync.OnceValue(func() *[256]float64 {
	t := new([256]float64)
	for i := range t {
		v := float64(i) / 255
		if v <= 0.04045 {
			t[i] = v / 12.92
		} else {
			t[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return t
})

// ToLab converts linear light (sRGB primaries, each 0 to 1) to CIELAB.
func ToLab(r, g, b float64) Lab {
	// IEC 61966-2-1 primaries to XYZ, divided by the D65 white point
	// (0.95047, 1, 1.08883), so that white is exactly (1, 1, 1).
	x := (0.4124564*r + 0.3575761*g + 0.1804375*b) / 0.95047
	y := 0.2126729*r + 0.7151522*g + 0.0721750*b
	z := (0.0193339*r + 0.1191920*g + 0.9503041*b) / 1.08883
	fx, fy, fz := labF(x), labF(y), labF(z)
	return Lab{L: 116*fy - 16, A: 500 * (fx - fy), B: 200 * (fy - fz)}
}

// FromBGR converts an 8-bit sRGB pixel to CIELAB.
func FromBGR(b, g, r uint8) Lab {
	t := linearTable()
	return ToLab(t[r], t[g], t[b])
}

func labF(t float64) float64 {
	// CIE 15:2004, 8.2.1.1: a cube root with a straight foot below (6/29)^3.
	const d = 6.0 / 29
	if t > d*d*d {
		return math.Cbrt(t)
	}
	return t/(3*d*d) + 4.0/29
}

// ToLinear converts CIELAB back to linear light. Values outside 0 to 1 are
// colours that sRGB cannot show; they are not clamped.
func (c Lab) ToLinear() (r, g, b float64) {
	fy := (c.L + 16) / 116
	x, y, z := labInv(fy+c.A/500)*0.95047, labInv(fy), labInv(fy-c.B/200)*1.08883
	return 3.2404542*x - 1.5371385*y - 0.4985314*z,
		-0.9692660*x + 1.8760108*y + 0.0415560*z,
		0.0556434*x - 0.2040259*y + 1.0572252*z
}

func labInv(f float64) float64 {
	const d = 6.0 / 29
	if f > d {
		return f * f * f
	}
	return 3 * d * d * (f - 4.0/29)
}

// DeltaE76 is the Euclidean distance in CIELAB (CIE 1976): quick, and larger
// than DeltaE2000 for strong colours.
func DeltaE76(p, q Lab) float64 {
	return math.Sqrt((p.L-q.L)*(p.L-q.L) + (p.A-q.A)*(p.A-q.A) + (p.B-q.B)*(p.B-q.B))
}
