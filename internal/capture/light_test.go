package capture_test

import (
	"context"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"fairdeck/internal/capture"
	"fairdeck/vision/camera"
	"fairdeck/vision/frame"
	"fairdeck/vision/light"
	"fairdeck/vision/settle"
)

// lit is a source whose picture depends on its time.
type lit struct {
	script
	n     int
	paint func(i int, at time.Duration) *frame.Image
}

func (l *lit) Next(ctx context.Context) (*camera.Frame, error) {
	if l.next >= l.n {
		return nil, io.EOF
	}
	i := l.next
	l.next++
	at := time.Duration(i) * time.Second / 30
	return &camera.Frame{Index: i, Time: at, Image: l.paint(i, at)}, ctx.Err()
}

// board is a grey picture with sharp squares on it; light is the share of each
// row's light.
func board(light func(y int) float64) *frame.Image {
	m := frame.New(320, 240)
	for y := range m.Height {
		f := light(y)
		for x := range m.Width {
			v := 70.0
			if (x/20+y/20)%2 == 0 {
				v = 180
			}
			// The tone curve's exponent makes a share of light one of codes.
			c := uint8(v*math.Pow(f, 1/2.2) + 0.5)
			at := 3 * (y*m.Width + x)
			m.Pix[at], m.Pix[at+1], m.Pix[at+2] = c, c, c
		}
	}
	return m
}

// blind sees no cards.
type blind struct{}

func (blind) Add(context.Context, *camera.Frame) ([]settle.Event, error) { return nil, nil }
func (blind) Flush(context.Context) ([]settle.Event, error)              { return nil, nil }

// TestLight: trouble with the light that stays is told once, with its remedy,
// and stands in the result; a good light, and trouble that passes, is not.
func TestLight(t *testing.T) {
	bands := func(hz, amplitude float64) func(int, time.Duration) *frame.Image {
		return func(_ int, at time.Duration) *frame.Image {
			return board(func(y int) float64 {
				return 1 + amplitude*math.Sin(2*math.Pi*(hz*at.Seconds()+2*float64(y)/240))
			})
		}
	}
	even := board(func(int) float64 { return 1 })
	dark := board(func(int) float64 { return 0.01 })
	over := frame.New(320, 240)
	for i := range over.Pix {
		over.Pix[i] = 255
	}
	for _, c := range []struct {
		name, code, remedy string
		off                bool
		paint              func(int, time.Duration) *frame.Image
	}{
		{name: "good", paint: func(int, time.Duration) *frame.Image { return even }},
		{name: "bands", code: capture.LightCode(light.Flicker, false), remedy: "1/100", paint: bands(100, 0.02)},
		{name: "strong bands", code: "light-flicker-grave", remedy: "1/100", paint: bands(100, 0.08)},
		{name: "nobody asked", off: true, paint: bands(100, 0.08)},
		{name: "dark", code: capture.LightCode(light.Underexposed, true), remedy: "lamp on", paint: func(int, time.Duration) *frame.Image { return dark }},
		{name: "saturated", code: capture.LightCode(light.Overexposed, true), remedy: "exposure", paint: func(int, time.Duration) *frame.Image { return over }},
		{name: "dark for a moment", paint: func(i int, _ time.Duration) *frame.Image {
			if i%120 > 60 { // two bursts running at most
				return dark
			}
			return even
		}},
	} {
		var told []capture.Event
		res, err := capture.New(capture.Options{Settler: blind{}, Light: !c.off, Tell: func(e capture.Event) { told = append(told, e) }}).
			Run(t.Context(), &lit{n: 420, paint: c.paint})
		if err != nil {
			t.Fatal(err)
		}
		if c.code == "" {
			if len(told)+len(res.Notices) > 0 {
				t.Errorf("%s: told %v", c.name, told)
			}
			continue
		}
		n := 0
		for _, x := range res.Notices {
			if x.Code == c.code {
				n++
				if !strings.Contains(x.Text, c.remedy) || x.Time == 0 {
					t.Errorf("%s: %+v", c.name, x)
				}
			}
		}
		if n != 1 || len(told) != len(res.Notices) {
			t.Errorf("%s: want %s once: %v", c.name, c.code, res.Notices)
		}
	}
}
