package visiontest

import (
	"image"
	"math"
	"testing"

	"fairdeck/vision/colour"
)

func even(w, h int, light float32) *layer {
	l := newLayer(image.Rect(0, 0, w, h))
	for i := range l.pix {
		l.pix[i] = light
	}
	return l
}

// The noise has the variance that was asked for, and no memory.
func TestNoise(t *testing.T) {
	for _, c := range []struct{ light, fullWell, read float64 }{
		{0.1, 5000, -1}, {0.6, 5000, -1}, {0.02, -1, 0.004}, {0.3, 8000, 0.003},
	} {
		s := Sensor{Exposure: 1, FullWell: c.fullWell, ReadNoise: c.read}.withDefaults()
		l := even(400, 300, float32(c.light))
		m := develop(400, 300, l.row, s, Drift{Exposure: 1, RedGain: 1, BlueGain: 1}, stream(1, streamNoise, 0))
		var sum, squares, neighbour float64
		n := 0
		for y := range m.Height {
			row := m.Row(y)
			for i, v := range row {
				d := colour.Linear(v) - c.light
				sum += d
				squares += d * d
				if i >= 3 {
					neighbour += d * (colour.Linear(row[i-3]) - c.light)
				}
				n++
			}
		}
		want := math.Pow(math.Max(0, c.read), 2)
		if c.fullWell > 0 {
			want += c.light / c.fullWell
		}
		// The steps of the 8-bit code at this light add a uniform error.
		code := colour.Encode(c.light)
		stepSize := colour.Linear(uint8(code)+1) - colour.Linear(uint8(code))
		want += stepSize * stepSize / 12
		mean, variance := sum/float64(n), squares/float64(n)
		if math.Abs(mean) > 4*math.Sqrt(want/float64(n))+0.05*stepSize {
			t.Errorf("%+v: the mean is off by %.6f", c, mean)
		}
		if variance < 0.9*want || variance > 1.1*want {
			t.Errorf("%+v: variance %.3g, want %.3g", c, variance, want)
		}
		if r := neighbour / squares; math.Abs(r) > 0.02 {
			t.Errorf("%+v: neighbours are correlated by %.3f", c, r)
		}
	}
}

// Blur keeps the light, has the width asked for and does not darken borders.
func TestBlur(t *testing.T) {
	// A Gaussian of 0.5 px, sampled at whole pixels, is 7% narrower.
	for _, sigma := range []float64{0.5, 0.9, 2} {
		l := newLayer(image.Rect(0, 0, 41, 41))
		for c := range 3 {
			l.row(20)[60+c] = 1
		}
		b := blur(l, l.Rectangle, sigma)
		var sum, moment float64
		for y := range 41 {
			for x := range 41 {
				v := float64(b.row(y)[3*x])
				sum += v
				moment += v * sq(float64(x)-20)
			}
		}
		if math.Abs(sum-1) > 1e-4 || math.Abs(math.Sqrt(moment)-sigma) > 0.08*sigma {
			t.Errorf("sigma %g: sum %.4f, width %.3f", sigma, sum, math.Sqrt(moment))
		}
		flat := blur(even(20, 10, 0.5), image.Rect(0, 0, 20, 10), sigma)
		for _, v := range flat.pix {
			if math.Abs(float64(v)-0.5) > 1e-4 {
				t.Fatalf("sigma %g: an even picture became %g", sigma, v)
			}
		}
		// A part is the same as cut from the whole.
		part := image.Rect(10, 12, 30, 25)
		p := blur(l, part, sigma)
		for y := part.Min.Y; y < part.Max.Y; y++ {
			for x := part.Min.X; x < part.Max.X; x++ {
				if p.row(y)[3*(x-part.Min.X)] != b.row(y)[3*x] {
					t.Fatalf("sigma %g: (%d, %d) differs in the part", sigma, x, y)
				}
			}
		}
	}
}

func TestSmearKeepsTheLight(t *testing.T) {
	l := newLayer(image.Rect(0, 0, 41, 41))
	l.row(20)[60] = 1
	b := smear(l, 4, 3)
	var sum, x, length float64
	for y := range 41 {
		for i := range 41 {
			v := float64(b.row(y)[3*i])
			sum += v
			x += v * float64(i)
			length += v * (sq(float64(i)-20) + sq(float64(y)-20))
		}
	}
	// A line of length 5 has the variance 25/12; sampling between pixels adds
	// at most a quarter per axis.
	if math.Abs(sum-1) > 1e-4 || math.Abs(x/sum-20) > 0.05 || length < 25.0/12-0.1 || length > 25.0/12+0.5 {
		t.Errorf("sum %.4f, centre %.3f, variance %.3f", sum, x/sum, length)
	}
}

// The quick way of rendering (only what changed) gives the bytes of the slow.
func TestQuickWayIsExact(t *testing.T) {
	st, err := New(Deck{Seed: 3, Cards: 1, Table: Table{Kind: PrintedMat}, Camera: Camera{WidthPx: 320, HeightPx: 240}, Sensor: Sensor{JPEGQuality: -1}})
	if err != nil {
		t.Fatal(err)
	}
	quick, err := st.Frame(0)
	if err != nil {
		t.Fatal(err)
	}
	st.frames[0].hand = &handShadow{soft: 1} // a hand that dims nothing takes the slow way
	slow, err := st.Frame(0)
	if err != nil {
		t.Fatal(err)
	}
	off := 0
	for i := range quick.Pix {
		if quick.Pix[i] != slow.Pix[i] {
			off++
		}
	}
	// Vignetting before or after rounding to float32 may tip a code.
	if off > len(quick.Pix)/1000 {
		t.Errorf("%d of %d values differ", off, len(quick.Pix))
	}
}

// A colour filter array leaves even colours alone, mixes edges by at most a
// pixel, and makes neighbours share their noise.
func TestMosaic(t *testing.T) {
	s := Sensor{Exposure: 1, FullWell: -1, ReadNoise: -1, Mosaic: true}.withDefaults()
	still := Drift{Exposure: 1, RedGain: 1, BlueGain: 1}
	l := newLayer(image.Rect(0, 0, 33, 21))
	for i := 0; i < len(l.pix); i += 3 {
		l.pix[i], l.pix[i+1], l.pix[i+2] = 0.7, 0.4, 0.1
	}
	m := develop(33, 21, l.row, s, still, stream(1, streamNoise, 0))
	want := [3]uint8{uint8(colour.Encode(0.1) + 0.5), uint8(colour.Encode(0.4) + 0.5), uint8(colour.Encode(0.7) + 0.5)}
	for i, v := range m.Pix {
		if v != want[i%3] {
			t.Fatalf("value %d is %d, want %d", i, v, want[i%3])
		}
	}
	s.ReadNoise = 0.01
	l = even(200, 200, 0.3)
	m = develop(200, 200, l.row, s, still, stream(1, streamNoise, 0))
	var squares, neighbour float64
	for y := range m.Height {
		row := m.Row(y)
		for i := 3; i < len(row); i++ {
			d := colour.Linear(row[i]) - 0.3
			squares += d * d
			neighbour += d * (colour.Linear(row[i-3]) - 0.3)
		}
	}
	if r := neighbour / squares; r < 0.2 {
		t.Errorf("neighbours are correlated by %.3f only", r)
	}
}

func TestSharpenMakesRims(t *testing.T) {
	s := Sensor{Exposure: 1, FullWell: -1, ReadNoise: -1, Sharpen: 0.5}.withDefaults()
	l := even(20, 10, 0.2)
	for y := range 10 {
		for i := 30; i < 60; i++ {
			l.row(y)[i] = 0.6
		}
	}
	m := develop(20, 10, l.row, s, Drift{Exposure: 1, RedGain: 1, BlueGain: 1}, stream(1, streamNoise, 0))
	_, dark, _ := m.BGR(9, 5)
	_, light, _ := m.BGR(10, 5)
	_, away, _ := m.BGR(4, 5)
	_, off, _ := m.BGR(15, 5)
	if !(dark < away && light > off) || away != uint8(colour.Encode(0.2)+0.5) {
		t.Errorf("%d %d | %d %d", away, dark, light, off)
	}
}
