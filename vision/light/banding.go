package light

import (
	"math"
	"math/cmplx"
	"slices"
	"time"

	"fairdeck/vision/colour"
	"fairdeck/vision/frame"
)

// Banding is the flicker of mains light as a rolling shutter shows it.
type Banding struct {
	// Amplitude is half of the bands' swing over the mean light.
	Amplitude float64

	// PeriodRows is the distance from band to band; 0 when the whole frame
	// flickers at once (a global shutter).
	PeriodRows float64

	// MainsHz is 50 or 60, or 0 when the frames' times do not tell them apart.
	MainsHz int

	// Residual is by how much the level of whole frames still varies
	// (largest over smallest, minus 1).
	Residual float64
}

const (
	strips     = 8 // columns in which rows are averaged, so that a hand is in few of them
	rowStep    = 2 // px between rows that are read
	leastBands = 6 // frames before anything is said
)

// rowMeans are the mean linear light of each strip of each row read: rows x
// strips.
type rowMeans []float32

func meansOf(img *frame.Image) rowMeans {
	rows := img.Height / rowStep
	out := make(rowMeans, rows*strips)
	lin := colour.LinearTable()
	for r := range rows {
		row := img.Row(r * rowStep)
		for s := range strips {
			x0, x1 := s*img.Width/strips, (s+1)*img.Width/strips
			sum, n := 0.0, 0.0
			for x := x0; x < x1; x += 2 {
				v := row[3*x+1]
				// Saturated pixels do not flicker.
				if v < saturated {
					sum += lin[v]
					n++
				}
			}
			if n > 0 {
				out[r*strips+s] = float32(sum / n)
			}
		}
	}
	return out
}

// banding looks for a wave over rows and time
//
//	light(row, t) = mean(row) (1 + A cos(2 pi (F t + k row) + phase))
//
// with F = 100 or 120 Hz, twice the mains. The mean over time of every row
// takes the scene out; of the strips the median counts, so that a hand in the
// picture does not make a wave. For each wave number k the rows of a frame give
// one complex amplitude; those of all frames turn with F t. The frequency
// under which they add up best is the lamp's.
func banding(rows []rowMeans, times []time.Duration) Banding {
	b := Banding{}
	n := len(rows)
	if n < 2 {
		return b
	}
	d := deviations(rows)
	height := len(d[0])
	levels := make([]float64, n)
	for i := range d {
		levels[i] = mean(d[i])
	}
	spreadAfter := func(fit func(i int) float64) float64 {
		lo, hi := math.Inf(1), math.Inf(-1)
		for i := range levels {
			v := 1 + levels[i] - fit(i)
			lo, hi = min(lo, v), max(hi, v)
		}
		return hi/lo - 1
	}
	b.Residual = spreadAfter(func(int) float64 { return 0 })
	if n < leastBands || height < 16 {
		return b
	}
	type wave struct {
		k         float64 // cycles over the frame's height
		power     [2]float64
		amplitude [2]complex128
	}
	freq := [2]float64{100, 120}
	best := wave{}
	total := 0.0
	for i := range d {
		for _, v := range d[i] {
			total += v * v / float64(n*height)
		}
	}
	// From the whole frame at once to bands of 12 rows, in steps of a quarter
	// cycle; and both ways round.
	top := min(60, float64(height)/6)
	c := make([]complex128, n)
	sin, cos := make([]float64, height), make([]float64, height)
	for k := -top; k <= top; k += 0.25 {
		for y := range height {
			sin[y], cos[y] = math.Sincos(-2 * math.Pi * k * float64(y) / float64(height))
		}
		for i := range d {
			var re, im float64
			for y, v := range d[i] {
				re += v * cos[y]
				im += v * sin[y]
			}
			c[i] = complex(re/float64(height), im/float64(height))
		}
		w := wave{k: k}
		for f, hz := range freq {
			// Without bands, a wave that frames sample nearly in step looks
			// like light that drifts: it has to turn twice.
			if math.Abs(k) < 1 && turns(hz, times) < 2 {
				continue
			}
			var sum complex128
			for i := range c {
				sum += c[i] * cmplx.Exp(complex(0, -2*math.Pi*hz*times[i].Seconds()))
			}
			w.amplitude[f] = 2 * sum / complex(float64(n), 0)
			w.power[f] = real(w.amplitude[f])*real(w.amplitude[f])/4 + imag(w.amplitude[f])*imag(w.amplitude[f])/4
		}
		if max(w.power[0], w.power[1]) > max(best.power[0], best.power[1]) {
			best = w
		}
	}
	p := max(best.power[0], best.power[1])
	// A wave's own mean square is half its amplitude squared, which is twice
	// the power here. It has to make up a third of all that varies, and stand
	// above what noise of so many rows and frames adds up to.
	if 2*p < total/3 || p < 12*total/float64(n*height) {
		return b
	}
	f := 0
	if best.power[1] > best.power[0] {
		f = 1
	}
	b.Amplitude = cmplx.Abs(best.amplitude[f])
	if math.Abs(best.k) >= 0.5 {
		b.PeriodRows = float64(height*rowStep) / math.Abs(best.k)
	}
	// The other frequency must fit clearly worse.
	if other := best.power[1-f]; other < 0.6*p {
		b.MainsHz = int(freq[f] / 2)
	}
	a := best.amplitude[f]
	b.Residual = spreadAfter(func(i int) float64 {
		sum := 0.0
		for y := range height {
			ph := 2 * math.Pi * (freq[f]*times[i].Seconds() + best.k*float64(y)/float64(height))
			sum += real(a)*math.Cos(ph) - imag(a)*math.Sin(ph)
		}
		return sum / float64(height)
	})
	return b
}

// turns is how many cycles of a frequency the frames show, as sampled.
func turns(hz float64, times []time.Duration) float64 {
	sum := 0.0
	for i := 1; i < len(times); i++ {
		c := hz * (times[i] - times[i-1]).Seconds()
		sum += math.Abs(c - math.Round(c))
	}
	return sum
}

// deviations is by how much each row of each frame differs from its mean over
// time, the median over strips.
func deviations(rows []rowMeans) [][]float64 {
	n, height := len(rows), len(rows[0])/strips
	avg := make([]float64, height*strips)
	for _, r := range rows {
		for k, v := range r {
			avg[k] += float64(v) / float64(n)
		}
	}
	out := make([][]float64, n)
	v := make([]float64, 0, strips)
	for i, r := range rows {
		out[i] = make([]float64, height)
		for y := range height {
			v = v[:0]
			for s := range strips {
				// In the dark a relative change says nothing.
				if k := y*strips + s; avg[k] > 0.002 {
					v = append(v, float64(r[k])/avg[k]-1)
				}
			}
			if len(v) > 0 {
				slices.Sort(v)
				out[i][y] = (v[len(v)/2] + v[(len(v)-1)/2]) / 2
			}
		}
	}
	return out
}

func mean(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += x
	}
	return s / float64(len(v))
}
