package calibratetest

import "math"

// Sheet is an even surface.
func Sheet(red, green, blue float64) Scene {
	return func(float64, float64) [3]float64 { return [3]float64{red, green, blue} }
}

// Board is a printed chessboard with columns x rows inner corners, its first
// inner corner at (0, 0), on white paper that reaches a square beyond it, on
// a grey table.
func Board(columns, rows int, squareMM float64) Scene {
	w, h := float64(columns), float64(rows)
	return func(x, y float64) [3]float64 {
		u, v := x/squareMM, y/squareMM
		switch {
		case u < -2 || v < -2 || u > w+1 || v > h+1:
			return [3]float64{0.22, 0.2, 0.18}
		case u < -1 || v < -1 || u >= w || v >= h, (int(math.Floor(u))+int(math.Floor(v)))&1 != 0:
			return [3]float64{0.86, 0.86, 0.85}
		}
		return [3]float64{0.04, 0.04, 0.04}
	}
}

// Card is a blank card of the given size and colour on an even table, its
// top-left at (0, 0), with corners of 3 mm radius.
func Card(widthMM, heightMM float64, card, table [3]float64) Scene {
	const r = 3.0
	return func(x, y float64) [3]float64 {
		if x < 0 || y < 0 || x > widthMM || y > heightMM {
			return table
		}
		dx := math.Max(r-x, x-(widthMM-r))
		dy := math.Max(r-y, y-(heightMM-r))
		if dx > 0 && dy > 0 && dx*dx+dy*dy > r*r {
			return table
		}
		return card
	}
}

// Chart is a colour chart of 6 x 4 patches, 40 mm each with black gaps of 8
// mm, the top-left corner of the first patch at (0, 0), on an even table.
// colours are in linear light, row by row.
func Chart(colours [24][3]float64, table [3]float64) Scene {
	const patch, step = 40.0, 48.0
	return func(x, y float64) [3]float64 {
		i, j := math.Floor(x/step), math.Floor(y/step)
		switch {
		case x < -20 || y < -20 || x > 6*step+12 || y > 4*step+12:
			return table
		case i < 0 || j < 0 || i > 5 || j > 3 || x-i*step > patch || y-j*step > patch:
			return [3]float64{0.03, 0.03, 0.03}
		}
		return colours[int(j)*6+int(i)]
	}
}
