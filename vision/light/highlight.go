package light

import (
	"slices"

	"fairdeck/vision/colour"
	"fairdeck/vision/frame"
)

// Glare is a mirrored lamp: a saturated patch whose light fades out around it.
type Glare struct {
	Region Region
	Where  string // in the frame, such as "top left"
	Pixels int    // saturated
}

// cell is the side in px of the cells in which highlights are gathered.
const cell = 8

// saturated codes: JPEG moves a few codes either way.
const saturated = 250

// Of all the cells around a saturated patch, glare has this share from which
// light fades out further on. A white thing ends in an edge.
const (
	haloShare  = 0.5
	haloLight  = 0.15 // of full light, two cells from saturation
	leastGlare = 3    // cells
)

// highlights reads level, saturation and glare of a frame.
func highlights(img *frame.Image) (level, share float64, where string, glare []Glare) {
	w, h := (img.Width+cell-1)/cell, (img.Height+cell-1)/cell
	over := make([]int, w*h)
	light := make([]float64, w*h)
	count := make([]float64, w*h)
	lin := colour.LinearTable()
	total := 0
	sum, n := 0.0, 0.0
	// Every other pixel of every other row.
	for y := 0; y < img.Height; y += 2 {
		row := img.Row(y)
		base := y / cell * w
		for x := 0; x < img.Width; x += 2 {
			b, g, r := row[3*x], row[3*x+1], row[3*x+2]
			k := base + x/cell
			if max(b, g, r) >= saturated {
				over[k]++
				total++
			}
			l := 0.2126*lin[r] + 0.7152*lin[g] + 0.0722*lin[b]
			light[k] += l
			count[k]++
			sum += l
			n++
		}
	}
	for k := range light {
		light[k] /= max(1, count[k])
	}
	level, share = sum/n, float64(total)/n
	if total == 0 {
		return level, share, "", nil
	}
	var cx, cy float64
	for k, o := range over {
		cx += float64(o) * (float64(k%w) + 0.5)
		cy += float64(o) * (float64(k/w) + 0.5)
	}
	where = placeName(cx/float64(total)/float64(w), cy/float64(total)/float64(h))
	return level, share, where, patches(over, light, count, w, h)
}

// patches are the connected groups of mostly saturated cells that fade out.
func patches(over []int, light, count []float64, w, h int) []Glare {
	core := func(k int) bool { return 2*float64(over[k]) >= count[k] }
	seen := make([]bool, len(over))
	var out []Glare
	for start := range over {
		if seen[start] || !core(start) {
			continue
		}
		x0, y0, x1, y1 := w, h, 0, 0
		pixels, cells := 0, 0
		rim, halo := 0, 0
		rimSeen := map[int]bool{}
		for stack := []int{start}; len(stack) > 0; {
			k := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if seen[k] {
				continue
			}
			seen[k] = true
			x, y := k%w, k/w
			x0, y0, x1, y1 = min(x0, x), min(y0, y), max(x1, x), max(y1, y)
			pixels += 4 * over[k]
			cells++
			for dy := -1; dy <= 1; dy++ {
				for dx := -1; dx <= 1; dx++ {
					u, v := x+dx, y+dy
					if u < 0 || v < 0 || u >= w || v >= h {
						continue
					}
					n := v*w + u
					if core(n) {
						if !seen[n] {
							stack = append(stack, n)
						}
						continue
					}
					if rimSeen[n] {
						continue
					}
					rimSeen[n] = true
					rim++
					// The next cell outwards is fainter, but still bright.
					if faded(light, w, h, x, y, dx, dy) {
						halo++
					}
				}
			}
		}
		if cells < leastGlare || rim == 0 || float64(halo) < haloShare*float64(rim) || float64(cells) > 0.25*float64(w*h) {
			continue
		}
		out = append(out, Glare{Pixels: pixels,
			Region: Region{X: x0 * cell, Y: y0 * cell, Width: (x1 - x0 + 1) * cell, Height: (y1 - y0 + 1) * cell},
			Where:  placeName((float64(x0+x1)/2+0.5)/float64(w), (float64(y0+y1)/2+0.5)/float64(h))})
	}
	slices.SortStableFunc(out, func(a, b Glare) int { return b.Pixels - a.Pixels })
	return out
}

// faded reports whether light falls off gently from a core cell outwards: the
// second cell is no brighter than the first, which may hold an edge, and the
// fifth clearly darker than the second.
func faded(light []float64, w, h, x, y, dx, dy int) bool {
	u, v := x+2*dx, y+2*dy
	if u < 0 || v < 0 || u >= w || v >= h {
		return false
	}
	first, second := light[(y+dy)*w+x+dx], light[v*w+u]
	if !(second > haloLight && second <= first) {
		return false
	}
	// Beyond, it goes on falling: past the edge of a white thing the table is
	// even, and so is a sheet that is bright all over.
	u, v = min(max(x+5*dx, 0), w-1), min(max(y+5*dy, 0), h-1)
	return light[v*w+u] < 0.8*second
}
