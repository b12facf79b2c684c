package calibratetest

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync"

	"fairdeck/vision/colour"
	"fairdeck/vision/frame"
	"fairdeck/vision/plane"
)

// Camera is the virtual camera. The zero value but for the lens is a 1280 x
// 720 camera without blur, noise or vignetting.
type Camera struct {
	WidthPx, HeightPx int // 0: 1280 x 720
	Lens              plane.Lens

	// BlurPx is the standard deviation of the optics' blur; MotionPx smears
	// along the x and y of the picture.
	BlurPx   float64
	MotionPx plane.Point

	Exposure   float64    // light of a white surface, 1 = saturated; 0: 0.8
	Gain       [3]float64 // of red, green and blue; all 0: 1
	Vignetting float64    // loss of light in the corners, 1 - v r^2

	// Noise: variance = ReadNoise^2 + light / FullWell, light 1 = saturated;
	// 0 means none.
	ReadNoise, FullWell float64

	// Row, when set, is a factor on the light of each row.
	Row func(y int) float64

	// Light, when set, is a factor on the light at a pixel: a lamp's falloff,
	// a shadow, glare.
	Light func(x, y float64) float64

	// Matrix, when set, mixes the camera's red, green and blue out of those of
	// the scene.
	Matrix *[3][3]float64
}

// DefaultLens is a moderate webcam of 1280 x 720 pixels.
func DefaultLens() plane.Lens {
	return plane.Lens{FocalXPx: 1110, FocalYPx: 1106, CentreXPx: 651.3, CentreYPx: 352.7, K1: -0.21, K2: 0.09, P1: 0.0007, P2: -0.0005, K3: -0.02}
}

// Scene gives the albedo (red, green, blue in linear light, 0 to 1) of a
// plane at a place in mm.
type Scene func(x, y float64) [3]float64

// Pose is where the plane lies: camera = R plane + T, in mm, x right, y down,
// z away from the camera.
type Pose struct {
	R [3][3]float64
	T [3]float64
}

// Look is a pose in words: the plane's point At is seen DistanceMM away in
// the direction of the ideal pixel offset (OffX, OffY, as parts of the focal
// length), turned about the camera's x by TiltXDeg, about its y by TiltYDeg,
// and about the plane's normal by RollDeg.
type Look struct {
	At                          plane.Point
	DistanceMM                  float64
	OffX, OffY                  float64
	TiltXDeg, TiltYDeg, RollDeg float64
}

// Pose works out the matrix.
func (l Look) Pose() Pose {
	sx, cx := math.Sincos(l.TiltXDeg * math.Pi / 180)
	sy, cy := math.Sincos(l.TiltYDeg * math.Pi / 180)
	sz, cz := math.Sincos(l.RollDeg * math.Pi / 180)
	rx := [3][3]float64{{1, 0, 0}, {0, cx, -sx}, {0, sx, cx}}
	ry := [3][3]float64{{cy, 0, sy}, {0, 1, 0}, {-sy, 0, cy}}
	rz := [3][3]float64{{cz, -sz, 0}, {sz, cz, 0}, {0, 0, 1}}
	r := mul(mul(ry, rx), rz)
	var p Pose
	p.R = r
	target := [3]float64{l.OffX * l.DistanceMM, l.OffY * l.DistanceMM, l.DistanceMM}
	for i := range 3 {
		p.T[i] = target[i] - r[i][0]*l.At.X - r[i][1]*l.At.Y
	}
	return p
}

func mul(a, b [3][3]float64) (m [3][3]float64) {
	for i := range 3 {
		for j := range 3 {
			for k := range 3 {
				m[i][j] += a[i][k] * b[k][j]
			}
		}
	}
	return m
}

func (c Camera) withDefaults() Camera {
	if c.WidthPx == 0 || c.HeightPx == 0 {
		c.WidthPx, c.HeightPx = 1280, 720
	}
	if c.Exposure == 0 {
		c.Exposure = 0.8
	}
	if c.Gain == ([3]float64{}) {
		c.Gain = [3]float64{1, 1, 1}
	}
	return c
}

// Project returns the pixel at which the camera sees a place of the plane.
func (c Camera) Project(p Pose, at plane.Point) plane.Point {
	var q [3]float64
	for i := range 3 {
		q[i] = p.R[i][0]*at.X + p.R[i][1]*at.Y + p.T[i]
	}
	l := c.Lens
	return l.Distort(plane.Point{X: l.FocalXPx*q[0]/q[2] + l.CentreXPx, Y: l.FocalYPx*q[1]/q[2] + l.CentreYPx})
}

// Homography maps the plane's mm to ideal (undistorted) pixels.
func (c Camera) Homography(p Pose) plane.Homography {
	l := c.Lens
	k := plane.Homography{l.FocalXPx, 0, l.CentreXPx, 0, l.FocalYPx, l.CentreYPx, 0, 0, 1}
	h := plane.Homography{p.R[0][0], p.R[0][1], p.T[0], p.R[1][0], p.R[1][1], p.T[1], p.R[2][0], p.R[2][1], p.T[2]}
	return k.Mul(h)
}

const (
	// samples in each pixel, on a lattice with that many different places along
	// each side: edges that run along rows or columns move by 1/13 px, not by
	// the 1/3 px of nine samples on a square.
	samples, lattice = 13, 5

	gridStep = 8 // px between exact evaluations of the lens
)

// Render takes the picture of a scene.
func (c Camera) Render(p Pose, scene Scene, seed uint64) *frame.Image {
	c = c.withDefaults()
	w, h := c.WidthPx, c.HeightPx
	toPlane, err := c.Homography(p).Inverse()
	if err != nil {
		return frame.New(w, h) // the plane is seen edge-on
	}
	ideal, stride := c.grid()
	light := make([]float32, 3*w*h)
	parallel(h, func(y int) {
		for x := range w {
			at := func(u, v float64) [3]float64 {
				m := toPlane.Apply(bilinear(ideal, stride, float64(x)+u-0.5, float64(y)+v-0.5))
				return scene(m.X, m.Y)
			}
			// Where the pixel's corners agree, so does what lies between: most
			// of a board is black or white.
			first := at(0, 0)
			if first == at(1, 0) && first == at(0, 1) && first == at(1, 1) {
				for k := range first {
					light[3*(y*w+x)+k] = float32(first[k])
				}
				continue
			}
			var sum [3]float64
			for i := range samples {
				a := at((float64(i)+0.5)/samples, (float64(i*lattice%samples)+0.5)/samples)
				for k := range sum {
					sum[k] += a[k]
				}
			}
			for k := range sum {
				light[3*(y*w+x)+k] = float32(sum[k] / samples)
			}
		}
	})
	light = smear(light, w, h, c.MotionPx)
	light = blur(light, w, h, c.BlurPx)
	return c.develop(light, seed)
}

// grid holds ideal pixels every gridStep pixels, with a cell of margin.
func (c Camera) grid() ([]plane.Point, int) {
	cols, rows := c.WidthPx/gridStep+4, c.HeightPx/gridStep+4
	g := make([]plane.Point, cols*rows)
	for j := range rows {
		for i := range cols {
			g[j*cols+i] = c.Lens.Undistort(plane.Point{X: float64((i - 1) * gridStep), Y: float64((j - 1) * gridStep)})
		}
	}
	return g, cols
}

func bilinear(g []plane.Point, stride int, x, y float64) plane.Point {
	gx, gy := x/gridStep+1, y/gridStep+1
	i, j := int(gx), int(gy)
	tx, ty := gx-float64(i), gy-float64(j)
	k := j*stride + i
	top := g[k].Mul(1 - tx).Add(g[k+1].Mul(tx))
	bottom := g[k+stride].Mul(1 - tx).Add(g[k+stride+1].Mul(tx))
	return top.Mul(1 - ty).Add(bottom.Mul(ty))
}

// develop turns the scene's light into a picture.
func (c Camera) develop(light []float32, seed uint64) *frame.Image {
	w, h := c.WidthPx, c.HeightPx
	img := frame.New(w, h)
	cx, cy := float64(w-1)/2, float64(h-1)/2
	r2 := cx*cx + cy*cy
	parallel(h, func(y int) {
		r := rand.New(rand.NewPCG(seed, uint64(y)))
		row := 1.0
		if c.Row != nil {
			row = c.Row(y)
		}
		for x := range w {
			f := c.Exposure * row * (1 - c.Vignetting*((float64(x)-cx)*(float64(x)-cx)+(float64(y)-cy)*(float64(y)-cy))/r2)
			if c.Light != nil {
				f *= c.Light(float64(x), float64(y))
			}
			var v, in [3]float64
			for k := range in {
				in[k] = float64(light[3*(y*w+x)+k])
			}
			v = in
			if c.Matrix != nil {
				for i := range 3 {
					v[i] = c.Matrix[i][0]*in[0] + c.Matrix[i][1]*in[1] + c.Matrix[i][2]*in[2]
				}
			}
			for k := range 3 {
				u := v[k] * f * c.Gain[k]
				s := c.ReadNoise * c.ReadNoise
				if c.FullWell > 0 {
					s += math.Max(0, u) / c.FullWell
				}
				if s > 0 {
					u += math.Sqrt(s) * r.NormFloat64()
				}
				img.Pix[3*(y*w+x)+2-k] = uint8(colour.Encode(u) + 0.5)
			}
		}
	})
	return img
}

func parallel(n int, do func(i int)) {
	var wg sync.WaitGroup
	for k := range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := k; i < n; i += runtime.GOMAXPROCS(0) {
				do(i)
			}
		})
	}
	wg.Wait()
}

// blur convolves with a Gaussian; pixels beyond the rim repeat it.
func blur(src []float32, w, h int, sigma float64) []float32 {
	if sigma <= 0 {
		return src
	}
	n := int(math.Ceil(4 * sigma))
	kernel := make([]float32, 2*n+1)
	sum := 0.0
	for i := range kernel {
		sum += math.Exp(-float64((i-n)*(i-n)) / (2 * sigma * sigma))
	}
	for i := range kernel {
		kernel[i] = float32(math.Exp(-float64((i-n)*(i-n))/(2*sigma*sigma)) / sum)
	}
	pass := func(src []float32, along bool) []float32 {
		dst := make([]float32, len(src))
		parallel(h, func(y int) {
			out := dst[3*y*w:][:3*w]
			for k, g := range kernel {
				if !along {
					in := src[3*min(max(y+k-n, 0), h-1)*w:][:3*w]
					for i, v := range in {
						out[i] += g * v
					}
					continue
				}
				in := src[3*y*w:][:3*w]
				for x := range w {
					i := 3 * min(max(x+k-n, 0), w-1)
					out[3*x] += g * in[i]
					out[3*x+1] += g * in[i+1]
					out[3*x+2] += g * in[i+2]
				}
			}
		})
		return dst
	}
	return pass(pass(src, true), false)
}

// smear averages the picture along a straight way.
func smear(src []float32, w, h int, d plane.Point) []float32 {
	if d.Norm() == 0 {
		return src
	}
	steps := int(math.Ceil(3*d.Norm())) + 1
	dst := make([]float32, len(src))
	parallel(h, func(y int) {
		for x := range w {
			for k := range steps {
				t := (float64(k)+0.5)/float64(steps) - 0.5
				ox, oy := float64(x)+t*d.X, float64(y)+t*d.Y
				ix, iy := int(math.Floor(ox)), int(math.Floor(oy))
				fx, fy := float32(ox-float64(ix)), float32(oy-float64(iy))
				for c := range 3 {
					at := func(x, y int) float32 { return src[3*(min(max(y, 0), h-1)*w+min(max(x, 0), w-1))+c] }
					v := (at(ix, iy)*(1-fx)+at(ix+1, iy)*fx)*(1-fy) + (at(ix, iy+1)*(1-fx)+at(ix+1, iy+1)*fx)*fy
					dst[3*(y*w+x)+c] += v / float32(steps)
				}
			}
		}
	})
	return dst
}
