package sleeve

import "math"

// A spotWindow is the residual around a peak. Tens of thousands of spots and
// lines are tried in a deck's windows, so the templates are made of what
// they have in common: a round Gaussian is a product of one along x and one
// along y, whose scalar products with the rows serve all of its places in y;
// along a row an oblique one is a geometric series of second order.
type spotWindow struct {
	cx, cy float64 // the peak, view px
	reach  float64 // px
	x0, y0 int     // view px of the grid's first pixel
	w, h   int     // of the grid
	p      []float64
	runs   []spotRun // the pixels that count, in rows
	n      float64   // how many they are
}

// A spotRun is the pixels from..to-1 of a row of the grid.
type spotRun struct{ row, from, to int }

// newSpotWindow takes the residual in direction dir within reach of (x, y), as
// far as the mask lets it be seen, its mean taken off.
func newSpotWindow(z [3][]float32, dir [3]float32, mask []float32, w, h int, x, y, reach float64) *spotWindow {
	reach = math.Max(4, reach)
	r := int(math.Ceil(reach))
	x0, y0 := max(0, int(x+0.5)-r), max(0, int(y+0.5)-r)
	x1, y1 := min(w-1, int(x+0.5)+r), min(h-1, int(y+0.5)+r)
	q := newSpotGrid(x, y, reach, x0, y0, max(0, x1-x0+1), max(0, y1-y0+1))
	mean := 0.0
	for j := range q.h {
		left := reach*reach - sq(float64(y0+j)-y)
		from := -1
		for i := range q.w {
			k := (y0+j)*w + x0 + i
			if mask[k] == 0 || sq(float64(x0+i)-x) > left {
				q.run(j, from, i)
				from = -1
				continue
			}
			if from < 0 {
				from = i
			}
			t := float64(dir[0]*z[0][k] + dir[1]*z[1][k] + dir[2]*z[2][k])
			q.p[j*q.w+i] = t
			mean += t
		}
		q.run(j, from, q.w)
	}
	mean /= math.Max(1, q.n)
	for _, r := range q.runs {
		row := q.p[r.row*q.w : (r.row+1)*q.w]
		for i := r.from; i < r.to; i++ {
			row[i] -= mean
		}
	}
	return q
}

// newSpotGrid is a window of which no pixel counts yet.
func newSpotGrid(x, y, reach float64, x0, y0, w, h int) *spotWindow {
	return &spotWindow{cx: x, cy: y, reach: reach, x0: x0, y0: y0, w: w, h: h, p: make([]float64, w*h), runs: make([]spotRun, 0, h)}
}

func (q *spotWindow) run(row, from, to int) {
	if from >= 0 && to > from {
		q.runs = append(q.runs, spotRun{row, from, to})
		q.n += float64(to - from)
	}
}

// fillRuns makes every pixel count.
func (q *spotWindow) fillRuns() {
	for j := range q.h {
		q.run(j, 0, q.w)
	}
}

// explained is the sum of squares that a template takes away when a constant
// is fitted with it, by its sum, its sum of squares and its product with the
// window; nothing when the template has the wrong sign.
func (q *spotWindow) explained(g, gg, gp float64) float64 {
	gg -= g * g / q.n
	if gg <= 1e-9 || gp <= 0 {
		return 0
	}
	return gp * gp / gg
}

// fit searches place and width together, coarse to fine, from the given width.
func (q *spotWindow) fit(sigma float64) spotFit {
	const least = 12 // pixels, fewer tell no shape
	if q.n < least {
		return spotFit{}
	}
	f := spotFit{x: q.cx, y: q.cy, sigma: sigma}
	best := 0.0
	ex, ey := make([]float64, q.w), make([]float64, q.h)
	sums := make([][3]float64, len(q.runs))
	cum, cumSq := make([]float64, q.w+1), make([]float64, q.w+1)
	for step := 1.0; step > 0.1; step /= 2 {
		at := f
		for _, grow := range [...]float64{-1, 0, 1} {
			s := at.sigma * math.Exp(0.4*step*grow)
			if s < 0.45 || s > q.reach/2 {
				continue
			}
			c := 1 / (2 * s * s)
			for _, dx := range [...]float64{-1, 0, 1} {
				x := at.x + step*dx
				gaussianAlong(ex, float64(q.x0)-x, c)
				for i, v := range ex {
					cum[i+1], cumSq[i+1] = cum[i]+v, cumSq[i]+v*v
				}
				for k, r := range q.runs {
					row := q.p[r.row*q.w+r.from : r.row*q.w+r.to]
					e := ex[r.from:r.to]
					dot := 0.0
					for i, v := range row {
						dot += e[i] * v
					}
					sums[k] = [3]float64{cum[r.to] - cum[r.from], cumSq[r.to] - cumSq[r.from], dot}
				}
				for _, dy := range [...]float64{-1, 0, 1} {
					y := at.y + step*dy
					gaussianAlong(ey, float64(q.y0)-y, c)
					var g, gg, gp float64
					for k, r := range q.runs {
						v := ey[r.row]
						g += v * sums[k][0]
						gg += v * v * sums[k][1]
						gp += v * sums[k][2]
					}
					if e := q.explained(g, gg, gp); e > best {
						best, f = e, spotFit{x: x, y: y, sigma: s}
					}
				}
			}
		}
	}
	if best <= 0 {
		return spotFit{}
	}
	across := math.Min(f.sigma, 0.8) // px: a thin line as the camera sees it
	most := 0.0
	for a := range 8 {
		sn, cs := math.Sincos(float64(a) * math.Pi / 8)
		for _, along := range [...]float64{2.5 * f.sigma, 1.2 * q.reach} {
			ca, cc := 1/(2*along*along), 1/(2*across*across)
			most = math.Max(most, q.oblique(f.x, f.y, ca*cs*cs+cc*sn*sn, (ca-cc)*cs*sn, ca*sn*sn+cc*cs*cs))
		}
	}
	f.line = most / best
	return f
}

// gaussianAlong writes exp(-c (x+i)^2).
func gaussianAlong(dst []float64, x, c float64) {
	for i := range dst {
		dst[i] = math.Exp(-c * sq(x+float64(i)))
	}
}

// oblique is what exp(-(a u^2 + 2 b u v + c v^2)) about (x, y) explains.
func (q *spotWindow) oblique(x, y, a, b, c float64) float64 {
	// From a pixel to the next the value changes by a factor, and the factor
	// by another that is the same everywhere. The series start at the greatest
	// value of each row, so that they fall, and end where they have fallen off.
	const over = 1e-9
	bend := math.Exp(-2 * a)
	var g, gg, gp float64
	for _, r := range q.runs {
		v := float64(q.y0+r.row) - y
		top := int(math.Round(x - b*v/a - float64(q.x0)))
		top = max(r.from, min(r.to-1, top))
		u := float64(q.x0+top) - x
		t := math.Exp(-(a*u*u + 2*b*u*v + c*v*v))
		if t < over {
			continue
		}
		row := q.p[r.row*q.w : (r.row+1)*q.w]
		right := math.Exp(-(a*(2*u+1) + 2*b*v))
		left := bend / right
		g, gg, gp = g+t, gg+t*t, gp+t*row[top]
		for i, s, k := top+1, t*right, right; i < r.to && s >= over; i++ {
			g, gg, gp = g+s, gg+s*s, gp+s*row[i]
			k *= bend
			s *= k
		}
		for i, s, k := top-1, t*left, left; i >= r.from && s >= over; i-- {
			g, gg, gp = g+s, gg+s*s, gp+s*row[i]
			k *= bend
			s *= k
		}
	}
	return q.explained(g, gg, gp)
}
