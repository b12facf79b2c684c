package settle

import (
	"math"

	"fairdeck/vision/plane"
)

// A camera that a hand holds moves with all that it sees. When most of the
// picture changed at once, the motion is looked at again with the frame before
// moved along, and a card that moves with the table lies still. This is only
// done where no zones are known, or the zone is the whole picture: those of a
// profile belong to a camera that is fixed.

const (
	// driftShare is the share of the structured cells that change when the
	// camera moves; a hand with a card covers less.
	driftShare = 0.35

	// driftLeft is the share that may still change once moved along.
	driftLeft = 0.12

	// driftLeast is the least movement in cells: what moves while the camera
	// stands still is not the camera.
	driftLeast = 0.3

	// driftReach is how far the picture may move in a second, as a share of
	// its width: what moves faster is blurred.
	driftReach = 0.5

	// driftLimit raises the threshold of motion for the errors of moving a
	// picture of so few cells.
	driftLimit = 4
)

// share is how much of the structure of the picture moves.
func (m *motion) share(s *sketch) float64 {
	limit := m.limit()
	fine := s.relief()
	n, all := 0, 0
	for i, v := range m.value {
		if abs(fine[i]) < 2*minMotion*limit {
			continue
		}
		all++
		if v > limit {
			n++
		}
	}
	if all < 50 {
		return 0
	}
	return float64(n) / float64(all)
}

// steadied is the motion less that of the camera, or m where the camera stood
// still or moved too fast; seconds passed between the sketches.
func (m *motion) steadied(before, s *sketch, noise grain, seconds float64) *motion {
	if m.share(s) < driftShare {
		return m
	}
	a, b := &grey{w: before.w, h: before.h, pix: before.luma}, &grey{w: s.w, h: s.h, pix: s.luma}
	all := region(plane.Rect(3, 3, float64(a.w-7), float64(a.h-7)))
	r := register(a, b, all)
	reach := driftReach * clamp64(seconds, 0.03, 0.25) * float64(a.w)
	if far := r.moved(plane.Quad(all)); !r.ok || far > reach || far < driftLeast {
		return m
	}
	back := r.inverse()
	moved := &sketch{step: before.step, w: before.w, h: before.h, luma: make([]float32, len(before.luma))}
	for y := range s.h {
		for x := range s.w {
			i := y*s.w + x
			// Where the frame before shows nothing, nothing moves.
			moved.luma[i] = s.luma[i] / float32(math.Max(0.05, r.gain))
			if v, ok := a.at(back.at(plane.Point{X: float64(x), Y: float64(y)})); ok {
				moved.luma[i] = float32(v)
			}
		}
	}
	k := newMotion(moved, s, &noise)
	k.factor = driftLimit
	as := *m
	as.factor = driftLimit
	if left := k.share(s); left > driftLeft || left > as.share(s)/2 {
		return m
	}
	return k
}

// inverse is the similarity that undoes s, to the first order.
func (s similar) inverse() similar {
	k := s
	k.cx, k.cy = s.cx+s.tx, s.cy+s.ty
	k.tx, k.ty, k.grow, k.turn = -s.tx, -s.ty, -s.grow, -s.turn
	return k
}
