package settle

import (
	"math"
	"slices"

	"fairdeck/vision/frame"
)

// sketch is a frame in small, for looking at motion: means over square cells.
type sketch struct {
	step int // side of a cell in frame pixels
	w, h int // cells
	luma []float32
	blue []float32 // blue and red less luma
	red  []float32
	fine []float32 // relief, when asked for

	// restless is by how much a cell may differ from its like in another
	// picture for the noise that this one shows by itself, in codes.
	restless float32
}

const (
	// sketchWidth: a card that fills half the frame's height is some 50 cells
	// wide then, and a finger three.
	sketchWidth = 240

	// sketchRows is how many rows of a cell are read: of a 1080p frame 12
	// pixels a cell, whose mean has 0.3 of a pixel's noise.
	sketchRows = 3
)

func sketchStep(width int) int { return max(1, (width+sketchWidth-1)/sketchWidth) }

// newSketch reads img. Cells cut by the right and lower border are left out.
func newSketch(img *frame.Image) *sketch {
	step := sketchStep(img.Width)
	s := &sketch{step: step, w: img.Width / step, h: img.Height / step}
	n := s.w * s.h
	s.luma, s.blue, s.red = make([]float32, n), make([]float32, n), make([]float32, n)
	rows := min(sketchRows, step)
	// Of a large cell every other pixel tells enough.
	skip := 1
	if step >= 8 {
		skip = 2
	}
	pixels := rows * ((step + skip - 1) / skip)
	inv := 1 / float32(pixels)
	// Six standard deviations of the difference of two cells' means.
	s.restless = 6 * math.Sqrt2 * pixelNoise(img) / float32(math.Sqrt(float64(pixels)))
	sums := make([]uint32, 3*s.w)
	for y := range s.h {
		clear(sums)
		for k := range rows {
			row := img.Row(y*step + (2*k+1)*step/(2*rows))
			for x := range s.w {
				var b, g, r uint32
				p := row[3*x*step:][:3*step]
				for i := 0; i+2 < len(p); i += 3 * skip {
					b += uint32(p[i])
					g += uint32(p[i+1])
					r += uint32(p[i+2])
				}
				q := sums[3*x:][:3]
				q[0] += b
				q[1] += g
				q[2] += r
			}
		}
		for x := range s.w {
			b, g, r := float32(sums[3*x])*inv, float32(sums[3*x+1])*inv, float32(sums[3*x+2])*inv
			// Rec. 601, as JPEG has it.
			l := 0.114*b + 0.587*g + 0.299*r
			i := y*s.w + x
			s.luma[i], s.blue[i], s.red[i] = l, b-l, r-l
		}
	}
	return s
}

// pixelNoise is the standard deviation of a pixel in codes, from one picture:
// the first quartile of the absolute second differences along its rows, which
// smooth things do not have and which a quarter of any table is free of. It
// knows nothing of motion.
func pixelNoise(img *frame.Image) float32 {
	const rows, apart = 40, 7
	var count [1021]int
	n := 0
	for k := range rows {
		row := img.Row((2*k + 1) * img.Height / (2 * rows))
		for i := 4; i+3 < len(row); i += 3 * apart { // of green
			count[max(int(row[i-3])+int(row[i+3])-2*int(row[i]), 2*int(row[i])-int(row[i-3])-int(row[i+3]))]++
			n++
		}
	}
	if n < 100 {
		return 0
	}
	below := 0
	for v, c := range count {
		if 4*(below+c) >= n {
			// Codes are whole: v stands for v-1/2 to v+1/2 (0 for the half).
			q := float64(v) - 0.5 + (float64(n)/4-float64(below))/float64(c)
			return float32(max(0, q) / (0.319 * math.Sqrt(6)))
		}
		below += c
	}
	return 0
}

// gain is the factor that takes the luma of the sketch before to this one:
// the median over the cells, so that a hand in a part of the frame does not
// count.
func (s *sketch) gain(before *sketch) float32 {
	var ratios []float32
	for i := 0; i < len(s.luma); i += 7 { // every seventh tells enough
		if a, b := s.luma[i], before.luma[i]; a > 8 && b > 8 && a < 250 && b < 250 {
			ratios = append(ratios, a/b)
		}
	}
	if len(ratios) == 0 {
		return 1
	}
	slices.Sort(ratios)
	return ratios[len(ratios)/2]
}

// motion is what changed between two sketches of neighbouring frames beyond a
// change of light: per cell the luma difference at the common gain, less its
// mean over the surroundings, since a shadow or a lamp changes those alike and
// the rim of a moving thing does not.
type motion struct {
	w, h   int
	value  []float32 // absolute, as a share of what still counts as rest
	factor float32   // raises the limit; 0: 1
}

// limit is what a cell's value must exceed to count as moving.
func (m *motion) limit() float32 { return max(1, m.factor) }

// grain is the noise of the cells of a stream by their brightness, which is
// what a sensor's noise goes by: the first quartile of the absolute changes, in
// codes. It follows the stream slowly, so that a hand does not count.
type grain [grainBins]float32

const (
	grainBins = 8

	// minMotion, in codes of a cell's mean, is above JPEG's own restlessness.
	minMotion = 1.5

	// maxMotion: where all the picture moves, as that of a camera in a hand,
	// changes beyond it are not noise, unless single pictures are as noisy
	// (pixelNoise).
	maxMotion = 4

	// motionQuartiles is six standard deviations of normal noise in terms of
	// the first quartile of its absolute values.
	motionQuartiles = 6 / 0.319

	// grainRise is how fast the noise may rise from frame to frame.
	grainRise = 1.03
)

func grainBin(luma float32) int { return min(grainBins-1, max(0, int(luma)*grainBins/256)) }

// follow takes the changes of one more frame.
func (g *grain) follow(value, luma []float32) {
	var of [grainBins][]float32
	for i := 0; i < len(value); i += 3 {
		k := grainBin(luma[i])
		of[k] = append(of[k], value[i])
	}
	for k, v := range of {
		if len(v) < 40 {
			continue
		}
		slices.Sort(v)
		q := max(0.01, v[len(v)/4])
		switch {
		case g[k] == 0:
			g[k] = q
		case q < g[k]:
			g[k] += 0.2 * (q - g[k])
		default:
			g[k] = min(q, g[k]*grainRise)
		}
	}
}

// limits are the changes in codes that still count as rest.
// most is what they cannot exceed.
func (g *grain) limits(most float32) (l [grainBins]float32) {
	for k, v := range g {
		if v == 0 { // seldom seen: as noisy as the noisiest
			for _, o := range g {
				v = max(v, o)
			}
		}
		l[k] = min(most, max(minMotion, motionQuartiles*v))
	}
	return l
}

// flicker is how much the light of one place may change from frame to frame
// beside that of the whole picture, by mains and a rolling shutter: contrast
// changes with it. The rim of a thing that moves by less than such a share of a
// cell is lost with it.
const flicker = 0.035

// surround is the radius in cells of the surroundings that a shadow changes
// alike.
const surround = 2

func newMotion(before, s *sketch, noise *grain) *motion {
	m := &motion{w: s.w, h: s.h, value: make([]float32, len(s.luma))}
	g := s.gain(before)
	d := make([]float32, len(s.luma))
	for i, v := range s.luma {
		d[i] = v - g*before.luma[i]
	}
	mean := boxMean(d, s.w, s.h, surround)
	for i := range d {
		m.value[i] = abs(d[i] - mean[i])
	}
	noise.follow(m.value, s.luma)
	fine := before.relief()
	for i, v := range m.value {
		m.value[i] = max(0, v-flicker*abs(fine[i]))
	}
	limits := noise.limits(max(maxMotion, s.restless))
	for i, v := range s.luma {
		m.value[i] /= limits[grainBin(v)]
	}
	return m
}

func abs(v float32) float32 { return float32(math.Abs(float64(v))) }

// boxMean is the mean over (2r+1) x (2r+1) cells, fewer at the border.
func boxMean(p []float32, w, h, r int) []float32 {
	across, out := make([]float32, len(p)), make([]float32, len(p))
	for y := range h {
		in, to := p[y*w:][:w], across[y*w:][:w]
		sum, n := float32(0), 0
		for x := 0; x < min(r, w); x++ {
			sum += in[x]
			n++
		}
		for x := range w {
			if x+r < w {
				sum += in[x+r]
				n++
			}
			if x-r-1 >= 0 {
				sum -= in[x-r-1]
				n--
			}
			to[x] = sum / float32(n)
		}
	}
	sums := make([]float32, w)
	n := 0
	add := func(y int, sign float32) {
		for x, v := range across[y*w:][:w] {
			sums[x] += sign * v
		}
	}
	for y := 0; y < min(r, h); y++ {
		add(y, 1)
		n++
	}
	for y := range h {
		if y+r < h {
			add(y+r, 1)
			n++
		}
		if y-r-1 >= 0 {
			add(y-r-1, -1)
			n--
		}
		inv := 1 / float32(n)
		for x, v := range sums {
			out[y*w+x] = v * inv
		}
	}
	return out
}
