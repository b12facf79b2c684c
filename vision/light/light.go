package light

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"fairdeck/vision/frame"
)

// Options of a [Meter]; the zero value is a station without a profile.
type Options struct {
	// FocusPx is the blur of edges (standard deviation, px) when the station
	// was set up, from the profile; 0 not known: only a gross blur is told.
	FocusPx float64

	// Frames is how many frames the report looks back; 0: 45, a second and a
	// half.
	Frames int
}

// Region is a rectangle of the frame in px.
type Region struct{ X, Y, Width, Height int }

// Reading is what one frame says.
type Reading struct {
	At time.Duration // when the frame was taken, from any origin

	Level      float64 // mean linear light, 0 to 1
	BlownShare float64 // of pixels with a saturated channel
	BlownAt    string  // where most of them are, such as "top left"; empty when none
	Glare      []Glare // mirrored lamps, largest first

	Focus  Focus
	Motion Motion
}

// Kind names a problem, a contract with programs.
type Kind string

// The problems.
const (
	Flicker      Kind = "flicker"      // bands of mains light
	Unsteady     Kind = "unsteady"     // the light changes from frame to frame
	Overexposed  Kind = "overexposed"  // much of the frame is saturated
	Underexposed Kind = "underexposed" // too little light
	GlareSeen    Kind = "glare"        // a lamp is mirrored
	OutOfFocus   Kind = "focus"        // blurred in all directions
	Moving       Kind = "motion"       // smeared in one direction
)

// Problem is something to tell the judge.
type Problem struct {
	Kind   Kind
	Grave  bool    // the station should not judge with it
	Text   string  // what is wrong, with numbers
	Remedy string  // what to do
	Value  float64 // the number in Text
}

// Report is what the last frames say together.
type Report struct {
	Frames   int
	Level    float64
	Flicker  Banding
	Unsteady float64 // largest over smallest level of the frames, minus 1, once flicker is taken out
	Blown    float64 // median share
	FocusPx  float64 // least blur of the frames; NaN not known
	Problems []Problem
}

const defaultFrames = 45

// Meter reads frames. It belongs to one goroutine.
type Meter struct {
	opt           Options
	width, height int
	readings      []Reading
	rows          []rowMeans
}

// NewMeter returns a meter.
func NewMeter(o Options) *Meter {
	if o.Frames == 0 {
		o.Frames = defaultFrames
	}
	return &Meter{opt: o}
}

var errFrame = errors.New("light: the frame has no pixels, or not as many as its size says")

// Add reads a frame taken at a time. A frame of another size begins the look
// back anew.
func (m *Meter) Add(img *frame.Image, at time.Duration) (Reading, error) {
	if img.Empty() || !img.Valid() {
		return Reading{}, errFrame
	}
	if img.Width != m.width || img.Height != m.height {
		m.width, m.height = img.Width, img.Height
		m.readings, m.rows = nil, nil
	}
	r := Read(img)
	r.At = at
	m.readings = append(m.readings, r)
	m.rows = append(m.rows, meansOf(img))
	if n := len(m.readings) - m.opt.Frames; n > 0 {
		m.readings = slices.Delete(m.readings, 0, n)
		m.rows = slices.Delete(m.rows, 0, n)
	}
	return r, nil
}

// Read reads a single frame.
func Read(img *frame.Image) Reading {
	if img.Empty() || !img.Valid() {
		return Reading{}
	}
	r := Reading{}
	r.Level, r.BlownShare, r.BlownAt, r.Glare = highlights(img)
	e := edgesOf(img)
	r.Focus = e.focus()
	r.Motion = e.motion()
	return r
}

// Limits. Each is about where a sleeve begins to be judged wrongly.
const (
	blownGrave   = 0.10 // of the frame
	blownWarn    = 0.01
	darkLevel    = 0.03 // mean linear light: 50 of 255 codes
	flickerWarn  = 0.005
	flickerGrave = 0.03
	unsteadyWarn = 0.02
	focusWarn    = 1.3 // times the profile's blur
	focusGrave   = 2
	focusPx      = 3 // without a profile: a blur beyond this is no camera in focus
	motionWarn   = 2 // px
	motionGrave  = 5
)

// Report says what the last frames show.
func (m *Meter) Report() Report {
	r := Report{Frames: len(m.readings), FocusPx: math.NaN()}
	if len(m.readings) == 0 {
		return r
	}
	times := make([]time.Duration, len(m.readings))
	var levels, blown []float64
	for i, x := range m.readings {
		times[i] = x.At
		levels, blown = append(levels, x.Level), append(blown, x.BlownShare)
		if !math.IsNaN(x.Focus.BlurPx) && !(x.Focus.BlurPx > r.FocusPx) {
			r.FocusPx = x.Focus.BlurPx
		}
	}
	r.Level, r.Blown = median(levels), median(blown)
	r.Flicker = banding(m.rows, times)
	r.Unsteady = r.Flicker.Residual
	last := m.readings[len(m.readings)-1]
	m.exposure(&r, last)
	m.flicker(&r)
	m.sharpness(&r, last)
	slices.SortStableFunc(r.Problems, func(a, b Problem) int {
		switch {
		case a.Grave == b.Grave:
			return 0
		case a.Grave:
			return -1
		}
		return 1
	})
	return r
}

func (m *Meter) exposure(r *Report, last Reading) {
	add := func(p Problem) { r.Problems = append(r.Problems, p) }
	glare := 0
	for _, g := range last.Glare {
		glare += g.Pixels
	}
	switch share := r.Blown; {
	case len(last.Glare) > 0 && float64(glare) > 0.5*last.BlownShare*float64(m.width*m.height):
		g := last.Glare[0]
		add(Problem{Kind: GlareSeen, Grave: share > blownGrave, Value: share,
			Text:   fmt.Sprintf("a lamp is mirrored at the %s of the picture, %d x %d px around (%d, %d)", g.Where, g.Region.Width, g.Region.Height, g.Region.X+g.Region.Width/2, g.Region.Y+g.Region.Height/2),
			Remedy: "move the lamp to the side, or put paper before it; what lies under the glare is not inspected"})
	case share > blownWarn:
		add(Problem{Kind: Overexposed, Grave: share > blownGrave, Value: share,
			Text: fmt.Sprintf("%.0f %% of the picture is saturated, most at the %s", 100*share, last.BlownAt), Remedy: "shorten the exposure or dim the lamp, then lock the exposure"})
	}
	if r.Level < darkLevel {
		add(Problem{Kind: Underexposed, Grave: r.Level < darkLevel/3, Value: r.Level,
			Text: fmt.Sprintf("the picture has %.1f %% of full light", 100*r.Level), Remedy: "switch the station's lamp on, or lengthen the exposure; a black table is dark by itself"})
	}
}

func (m *Meter) flicker(r *Report) {
	f := r.Flicker
	if f.Amplitude > flickerWarn {
		text := fmt.Sprintf("bands of %.1f %% wander through the picture: the lamp flickers", 100*f.Amplitude)
		remedy := "use a lamp without flicker (direct current), or set the exposure to a multiple of 10 ms at 50 Hz mains, of 8.33 ms at 60 Hz"
		switch f.MainsHz {
		case 50:
			text = fmt.Sprintf("bands of %.1f %% wander through the picture: the lamp flickers with mains of 50 Hz", 100*f.Amplitude)
			remedy = "set the camera's exposure to 1/100, 1/50 or 1/25 s (power line frequency 50 Hz), or use a lamp without flicker"
		case 60:
			text = fmt.Sprintf("bands of %.1f %% wander through the picture: the lamp flickers with mains of 60 Hz", 100*f.Amplitude)
			remedy = "set the camera's exposure to 1/120, 1/60 or 1/30 s (power line frequency 60 Hz), or use a lamp without flicker"
		}
		r.Problems = append(r.Problems, Problem{Kind: Flicker, Grave: f.Amplitude > flickerGrave, Value: f.Amplitude, Text: text, Remedy: remedy})
	}
	if r.Unsteady > unsteadyWarn {
		r.Problems = append(r.Problems, Problem{Kind: Unsteady, Value: r.Unsteady,
			Text: fmt.Sprintf("the light of the whole picture changes by %.1f %%", 100*r.Unsteady), Remedy: "lock the camera's exposure and white balance; shut daylight out; keep out of the light"})
	}
}

func (m *Meter) sharpness(r *Report, last Reading) {
	if mo := last.Motion; mo.LengthPx > motionWarn && !m.standing(mo) {
		r.Problems = append(r.Problems, Problem{Kind: Moving, Grave: mo.LengthPx > motionGrave, Value: mo.LengthPx,
			Text: fmt.Sprintf("the picture is smeared over %.1f px %s", mo.LengthPx, mo.Words()), Remedy: "let the card lie still before the next one; tighten the camera's mount; shorten the exposure"})
		return
	}
	b := last.Focus.BlurPx
	if math.IsNaN(b) {
		return
	}
	limit, grave := float64(focusPx), 2.0*focusPx
	was := ""
	if f := m.opt.FocusPx; f > 0 {
		limit, grave = focusWarn*max(0.5, f), focusGrave*max(0.5, f)
		was = fmt.Sprintf(", it was %.1f when the station was set up", f)
	}
	if b > limit {
		r.Problems = append(r.Problems, Problem{Kind: OutOfFocus, Grave: b > grave, Value: b,
			Text: fmt.Sprintf("edges are blurred over %.1f px%s", b, was), Remedy: "focus on the table and lock the focus; wipe the lens"})
	}
}

// standing reports whether the frames before showed the same smear: then it is
// a texture of the table that is soft in one direction, not something moving.
func (m *Meter) standing(now Motion) bool {
	const least = 3 // frames before a smear can be told to stand
	n := 0
	for _, r := range m.readings {
		off := math.Mod(r.Motion.AngleDeg-now.AngleDeg+360+90, 180) - 90
		if math.Abs(r.Motion.LengthPx/now.LengthPx-1) < 0.25 && math.Abs(off) < 15 {
			n++
		}
	}
	return len(m.readings) >= least && 10*n >= 9*len(m.readings)
}

func median(v []float64) float64 {
	s := slices.Clone(v)
	slices.Sort(s)
	return s[len(s)/2]
}

// placeName names a place of the frame, x and y from 0 to 1.
func placeName(x, y float64) string {
	names := [9]string{"top left", "top", "top right", "left", "middle", "right", "bottom left", "bottom", "bottom right"}
	return names[3*min(max(int(3*y), 0), 2)+min(max(int(3*x), 0), 2)]
}
