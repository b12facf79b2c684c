package visiontest

import (
	"math"

	"fairdeck/vision/plane"
)

// Camera is the fixed camera over the table. The zero value is a 1280 x 720
// webcam looking straight down from 400 mm with one card filling most of the
// height (5.8 px/mm), without distortion.
type Camera struct {
	// WidthPx and HeightPx: 640 x 480 to 4000 x 3000; 0 means 1280 x 720.
	WidthPx, HeightPx int
	// DistanceMM is from the lens to the middle of the table; 0 means 400, for
	// grids 700.
	DistanceMM float64
	// PxPerMM is the scale in the middle of the picture; 0 means that the
	// layout fills the frame (one card: 5.8 px/mm for 720 rows).
	PxPerMM float64
	// TiltDeg leans the camera from the vertical (0 to 15 is what a station
	// allows) towards the world direction TiltTowardsDeg (0 = right, 90 =
	// up); RollDeg turns the picture.
	TiltDeg, TiltTowardsDeg, RollDeg float64
	// K1, K2, P1, P2 are the coefficients of plane.Lens.
	K1, K2, P1, P2 float64
	// CentreXPx and CentreYPx shift the principal point from the middle.
	CentreXPx, CentreYPx float64
}

type vec [3]float64

func (a vec) add(b vec) vec     { return vec{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }
func (a vec) sub(b vec) vec     { return vec{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }
func (a vec) mul(s float64) vec { return vec{a[0] * s, a[1] * s, a[2] * s} }
func (a vec) dot(b vec) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
func (a vec) unit() vec         { return a.mul(1 / math.Sqrt(a.dot(a))) }
func (a vec) cross(b vec) vec {
	return vec{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

// viewer is a Camera made ready: the maps between table and picture.
type viewer struct {
	width, height int
	lens          plane.Lens
	right, down   vec // camera axes in the world
	forward       vec
	position      vec
	scale         float64 // px per mm at the middle of the table

	// grid holds undistorted normal coordinates every gridStep pixels.
	grid       []plane.Point
	gridStride int
}

// gridStep: between grid points the lens is linear to 0.002 px for the
// strongest distortion of RandomSpec.
const gridStep = 8

func newViewer(c Camera) *viewer {
	v := &viewer{width: c.WidthPx, height: c.HeightPx, scale: c.PxPerMM}
	t, phi := c.TiltDeg*math.Pi/180, c.TiltTowardsDeg*math.Pi/180
	v.position = vec{math.Sin(t) * math.Cos(phi), math.Sin(t) * math.Sin(phi), math.Cos(t)}.mul(c.DistanceMM)
	v.forward = v.position.mul(-1).unit()
	x := v.forward.cross(vec{0, 1, 0}).unit()
	y := v.forward.cross(x)
	s, co := math.Sincos(c.RollDeg * math.Pi / 180)
	v.right = x.mul(co).add(y.mul(s))
	v.down = y.mul(co).sub(x.mul(s))
	f := c.PxPerMM * c.DistanceMM
	v.lens = plane.Lens{FocalXPx: f, FocalYPx: f,
		CentreXPx: float64(c.WidthPx-1)/2 + c.CentreXPx, CentreYPx: float64(c.HeightPx-1)/2 + c.CentreYPx,
		K1: c.K1, K2: c.K2, P1: c.P1, P2: c.P2}
	// One cell of margin on every side, for neighbours beyond the border.
	cols, rows := v.width/gridStep+4, v.height/gridStep+4
	v.gridStride = cols
	v.grid = make([]plane.Point, cols*rows)
	for j := range rows {
		for i := range cols {
			p := v.lens.Undistort(plane.Point{X: float64((i - 1) * gridStep), Y: float64((j - 1) * gridStep)})
			v.grid[j*cols+i] = plane.Point{X: (p.X - v.lens.CentreXPx) / f, Y: (p.Y - v.lens.CentreYPx) / f}
		}
	}
	return v
}

// project returns the pixel where the camera sees a point of the world.
func (v *viewer) project(p vec) plane.Point {
	d := p.sub(v.position)
	z := d.dot(v.forward)
	return v.lens.Distort(plane.Point{
		X: v.lens.FocalXPx*d.dot(v.right)/z + v.lens.CentreXPx,
		Y: v.lens.FocalYPx*d.dot(v.down)/z + v.lens.CentreYPx,
	})
}

// ray returns the direction seen by pixel (x, y), not of unit length. The
// pixel may lie up to gridStep outside the picture.
func (v *viewer) ray(x, y float64) vec {
	gx, gy := x/gridStep+1, y/gridStep+1
	i, j := int(gx), int(gy)
	tx, ty := gx-float64(i), gy-float64(j)
	k := j*v.gridStride + i
	a, b := v.grid[k], v.grid[k+1]
	c, d := v.grid[k+v.gridStride], v.grid[k+v.gridStride+1]
	top, bottom := a.X+(b.X-a.X)*tx, c.X+(d.X-c.X)*tx
	nx := top + (bottom-top)*ty
	top, bottom = a.Y+(b.Y-a.Y)*tx, c.Y+(d.Y-c.Y)*tx
	ny := top + (bottom-top)*ty
	return vec{
		v.forward[0] + nx*v.right[0] + ny*v.down[0],
		v.forward[1] + nx*v.right[1] + ny*v.down[1],
		v.forward[2] + nx*v.right[2] + ny*v.down[2],
	}
}

// onPlane returns where a ray meets the height z.
func (v *viewer) onPlane(d vec, z float64) (x, y float64) {
	s := (z - v.position[2]) / d[2]
	return v.position[0] + s*d[0], v.position[1] + s*d[1]
}

func (v *viewer) truth() TruthCamera {
	row := func(a vec) [3]float64 { return [3]float64(a) }
	t := vec{v.right.dot(v.position), v.down.dot(v.position), v.forward.dot(v.position)}.mul(-1)
	d := -t[2]
	_ = d
	return TruthCamera{
		WidthPx: v.width, HeightPx: v.height, FocalPx: v.lens.FocalXPx,
		K:          [][3]float64{{v.lens.FocalXPx, 0, v.lens.CentreXPx}, {0, v.lens.FocalYPx, v.lens.CentreYPx}, {0, 0, 1}},
		Distortion: []float64{v.lens.K1, v.lens.K2, v.lens.P1, v.lens.P2},
		Rotation:   [][3]float64{row(v.right), row(v.down), row(v.forward)},
		Shift:      t[:],
		Position:   v.position[:],
		DistanceMM: math.Sqrt(v.position.dot(v.position)),
		MMPerPx:    1 / v.scale,
	}
}
