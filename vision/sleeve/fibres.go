package sleeve

import "math"

// Pieces that lie near each other are one mark: a dashed crease, the flanks
// of a dent. But fluff sheds more than one fibre, and two of them side by side
// are longer than any and as dark as both. So a mark that falls into few
// pieces is asked again, piece by piece. What a dashed line's pieces have and
// fibres have not is one direction, along which they also follow each other.

const (
	// fibresMost: more pieces than that are a pattern, not chance.
	fibresMost = 3
	// pieceGapPx joins pixels of a piece over the grain between them.
	pieceGapPx = 2
	// inLine is the cosine of the 20 degrees within which pieces follow each
	// other: a fibre bends by that much along itself.
	inLine = 0.94
	// pieceLongPx: what is shorter has no direction.
	pieceLongPx = 4.0
)

// piece is a connected part of a region with its place and direction, px.
type piece struct {
	region
	x, y     float64
	cos, sin float64
}

// piecesOf divides a region into what hangs together.
func (d *deck) piecesOf(r *region) []piece {
	const unvisited = -1 // of the region; other pixels read 0, a piece's number
	at := make(map[int]int, len(r.pixels))
	for _, i := range r.pixels {
		at[i] = unvisited
	}
	var out []piece
	var stack []int
	for _, i := range r.pixels {
		if at[i] != unvisited {
			continue
		}
		var p piece
		var m moments
		at[i] = len(out)
		stack = append(stack[:0], i)
		for len(stack) > 0 {
			j := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			p.pixels = append(p.pixels, j)
			x, y := j%d.w, j/d.w
			m.add(float64(x), float64(y), 1)
			for yy := y - pieceGapPx; yy <= y+pieceGapPx; yy++ {
				for xx := max(0, x-pieceGapPx); xx <= min(d.w-1, x+pieceGapPx); xx++ {
					if q := yy*d.w + xx; at[q] == unvisited {
						at[q] = len(out)
						stack = append(stack, q)
					}
				}
			}
		}
		p.bound(d.w)
		p.x, p.y = m.x/m.w, m.y/m.w
		p.cos, p.sin = m.axis()
		out = append(out, p)
	}
	return out
}

// mayBeFibres reports whether a mark of several pieces could as well be
// several pieces of debris that lie near each other by chance.
func (d *deck) mayBeFibres(b *filterBank, k int, r *region) bool {
	pieces := d.piecesOf(r)
	if len(pieces) < 2 || len(pieces) > fibresMost {
		return false
	}
	for i := range pieces {
		p := &pieces[i]
		q := d.debrisOf(b, k, &p.region)
		alone := Mark{Kind: Unclear, LengthMM: q.longMM, WidthMM: q.longMM, debris: q}
		if !d.mayBeDebris(&alone) {
			return false
		}
	}
	for i := range pieces {
		for j := range i {
			if follows(&pieces[i], &pieces[j]) {
				return false
			}
		}
	}
	return true
}

// follows reports whether two pieces lie on one line; a piece without a
// direction lies on any.
func follows(p, q *piece) bool {
	dx, dy := q.x-p.x, q.y-p.y
	n := math.Hypot(dx, dy)
	if n == 0 {
		return true
	}
	along := func(a *piece) bool {
		short := math.Hypot(float64(a.x1-a.x0+1), float64(a.y1-a.y0+1)) < pieceLongPx
		return short || math.Abs(a.cos*dx+a.sin*dy) >= inLine*n
	}
	return along(p) && along(q)
}
