package calibrate

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"fairdeck/vision/colour"
	"fairdeck/vision/frame"
	"fairdeck/vision/plane"
)

// Lamp is a verdict about the station.
type Lamp string

// The lamps.
const (
	Green Lamp = "green" // as it was
	Amber Lamp = "amber" // usable, but something changed or was not seen
	Red   Lamp = "red"   // do not judge players with it
)

func (l Lamp) rank() int { return slices.Index([]Lamp{Green, Amber, Red}, l) }

// Finding is one thing that was measured, or could not be.
type Finding struct {
	What   string  `json:"what"` // see [StationItems]
	Lamp   Lamp    `json:"lamp"`
	Text   string  `json:"text"`             // with numbers
	Remedy string  `json:"remedy,omitempty"` // when not green
	Value  float64 `json:"value"`            // of Text, in Unit
	Unit   string  `json:"unit,omitempty"`
	Seen   bool    `json:"seen"` // false: not measured
}

// StationItems are what a check measures, in the order of its findings.
func StationItems() []string {
	return []string{"focus", "scale", "tilt", "light", "white balance", "saturation", "drift"}
}

// Status is the state of the station.
type Status struct {
	Lamp     Lamp       `json:"lamp"`
	Reason   string     `json:"reason"` // the gravest finding, in one line
	Findings []Finding  `json:"findings"`
	Pictures int        `json:"pictures"` // that were of use
	Rejected []Rejected `json:"rejected"`
}

// StationCheck compares the station with its profile from pictures of the
// board on the table.
type StationCheck struct {
	profile  *Profile
	looks    []stationLook
	rejected []Rejected
}

type stationLook struct {
	view    *View
	plane   *Plane
	white   [3]float64
	clipped float64
}

// NewStationCheck begins a check. It fails when the profile has no reference.
func NewStationCheck(p *Profile) (*StationCheck, error) {
	if p.Reference == nil {
		return nil, errors.New("the profile does not say how the station looked when it was set up: run fairdeck calibrate plane with the board once")
	}
	return &StationCheck{profile: p}, nil
}

// Add measures one frame; a frame without the board is named in the status.
func (s *StationCheck) Add(name string, img *frame.Image) (*Rejected, error) {
	if err := s.profile.Fits(img.Width, img.Height); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	b := s.profile.Reference.Board
	v, err := FindBoard(img, b)
	var pl *Plane
	if err == nil {
		pl, err = planeOfBoard(v, b, s.profile.Lens, img.Width, img.Height)
	}
	var r *Rejected
	switch {
	case errors.As(err, &r):
		r.Name = name
		s.rejected = append(s.rejected, *r)
		return r, nil
	case err != nil:
		return nil, err
	}
	l := stationLook{view: v, plane: pl}
	l.white, l.clipped = whiteSquares(img, b, v.Corners, s.profile)
	s.looks = append(s.looks, l)
	return nil, nil
}

// Limits of the lamps: up to the first is green, up to the second amber.
var (
	// A blur 1.25 times as wide leaves 80 % of a fine dot's contrast, 1.6
	// times less than half.
	focusLimits = [2]float64{1.25, 1.6}
	// A scale 0.5 % off is 0.3 mm of a card, as much as sleeves differ among
	// themselves; 2 % is another sleeve size.
	scaleLimits = [2]float64{0.005, 0.02}
	tiltLimits  = [2]float64{1, 3} // degrees
	// A third of a stop of light hardly changes the noise; twice or half does.
	lightLimits = [2]float64{0.2, 0.5}  // log2
	whiteLimits = [2]float64{2, 5}      // ΔE2000 of the white paper
	overLimits  = [2]float64{0.01, 0.1} // share of the white squares
	driftLimits = [2]float64{0.015, 0.05}
	shiftLimits = [2]float64{0.5, 2} // px
)

func lampOf(v float64, limits [2]float64) Lamp {
	switch {
	case !(v <= limits[1]): // also not a number
		return Red
	case v > limits[0]:
		return Amber
	}
	return Green
}

// Status judges what was seen.
func (s *StationCheck) Status() Status {
	st := Status{Pictures: len(s.looks), Rejected: slices.Clone(s.rejected)}
	if len(s.looks) == 0 {
		for _, w := range StationItems() {
			st.Findings = append(st.Findings, unseen(w, "the board is not seen", "lay the board that the profile was made with on the table, wholly in view"))
		}
		st.Lamp, st.Reason = Red, "the board is not seen, nothing could be checked"
		if n := len(s.rejected); n > 0 {
			st.Reason += ": " + s.rejected[n-1].Text
		}
		return st
	}
	st.Findings = []Finding{s.focus(), s.scale(), s.tilt(), s.light(), s.balance(), s.saturation(), s.drift()}
	worst := 0
	for i, f := range st.Findings {
		if f.Lamp.rank() > st.Findings[worst].Lamp.rank() {
			worst = i
		}
	}
	st.Lamp = st.Findings[worst].Lamp
	st.Reason = st.Findings[worst].Text
	if st.Lamp == Green {
		st.Reason = "the station is as it was"
	}
	return st
}

func unseen(what, why, remedy string) Finding {
	return Finding{What: what, Lamp: Amber, Text: what + " was not measured: " + why, Remedy: remedy}
}

// over is the median of a number over the frames.
func (s *StationCheck) over(of func(l *stationLook) float64) float64 {
	var v []float64
	for i := range s.looks {
		v = append(v, of(&s.looks[i]))
	}
	slices.Sort(v)
	return v[len(v)/2]
}

func (s *StationCheck) focus() Finding {
	was := s.profile.Reference.BlurPx
	now := s.over(func(l *stationLook) float64 { return l.view.BlurPx })
	if was == 0 || math.IsNaN(now) {
		return unseen("focus", "the board's edges cannot be read", "light the board evenly")
	}
	// Below half a pixel the camera's pixels decide, not its focus.
	ratio := max(0.5, now) / max(0.5, was)
	f := Finding{What: "focus", Lamp: lampOf(ratio, focusLimits), Seen: true, Value: now, Unit: "px",
		Text: fmt.Sprintf("edges are blurred over %.2f px, they were over %.2f", now, was)}
	if f.Lamp != Green {
		f.Text = "out of focus: " + f.Text
		f.Remedy = "focus on the table again and lock the focus; wipe the lens"
	}
	return f
}

func (s *StationCheck) scale() Finding {
	ref := s.profile.Reference
	now := s.over(func(l *stationLook) float64 { return l.plane.PxPerMM })
	d := now/ref.PxPerMM - 1
	f := Finding{What: "scale", Lamp: lampOf(math.Abs(d), scaleLimits), Seen: true, Value: now, Unit: "px/mm",
		Text: fmt.Sprintf("%.3f px/mm, it was %.3f (%+.2f %%)", now, ref.PxPerMM, 100*d)}
	if f.Lamp != Green {
		how := "farther from"
		if d > 0 {
			how = "nearer to"
		}
		if p := s.profile.Plane; p != nil && p.DistanceMM > 0 {
			how = fmt.Sprintf("%.0f mm %s", math.Abs(p.DistanceMM-p.DistanceMM/(1+d)), how)
		}
		f.Text = fmt.Sprintf("the camera is %s the table: %s", how, f.Text)
		f.Remedy = "move the camera back to its height, or run fairdeck calibrate plane again"
	}
	return f
}

func (s *StationCheck) tilt() Finding {
	if s.profile.Lens.None() {
		return Finding{What: "tilt", Lamp: Green, Text: "tilt was not measured: the lens is not calibrated"}
	}
	ref := s.profile.Reference
	right := s.over(func(l *stationLook) float64 { return l.plane.RightDeg }) - ref.RightDeg
	bottom := s.over(func(l *stationLook) float64 { return l.plane.BottomDeg }) - ref.BottomDeg
	d := math.Hypot(right, bottom)
	f := Finding{What: "tilt", Lamp: lampOf(d, tiltLimits), Seen: true, Value: d, Unit: "degrees",
		Text: fmt.Sprintf("the camera is tilted %.1f degrees from where it was", d)}
	if f.Lamp != Green {
		f.Remedy = "turn the camera back and tighten its mount, or run fairdeck calibrate plane again"
	}
	return f
}

func (s *StationCheck) white() (now [3]float64) {
	for c := range now {
		now[c] = s.over(func(l *stationLook) float64 { return l.white[c] })
	}
	return now
}

// clippedWhite says that the white squares' light cannot be read.
func (s *StationCheck) clippedWhite() bool {
	return s.over(func(l *stationLook) float64 { return l.clipped }) > overLimits[1]
}

func (s *StationCheck) light() Finding {
	if s.clippedWhite() {
		return unseen("light", "white paper is saturated", "expose less")
	}
	was, now := luminanceOf(s.profile.Reference.White), luminanceOf(s.white())
	if was <= 0 {
		return unseen("light", "the reference is black", "run fairdeck calibrate plane with the board again")
	}
	ratio := now / was
	f := Finding{What: "light", Lamp: lampOf(math.Abs(math.Log2(ratio)), lightLimits), Seen: true, Value: ratio,
		Text: fmt.Sprintf("white paper has %.0f %% of the light that it had", 100*ratio)}
	if f.Lamp != Green {
		if ratio < 1 {
			f.Text = "darker: " + f.Text
			f.Remedy = "switch all lamps on, lock the exposure as it was, and let nothing stand in the light"
		} else {
			f.Text = "brighter: " + f.Text
			f.Remedy = "shut daylight out, lock the exposure as it was"
		}
	}
	return f
}

func luminanceOf(rgb [3]float64) float64 { return 0.2126*rgb[0] + 0.7152*rgb[1] + 0.0722*rgb[2] }

func (s *StationCheck) balance() Finding {
	if s.clippedWhite() {
		return unseen("white balance", "white paper is saturated", "expose less")
	}
	was, now := s.profile.Reference.White, s.white()
	lw, ln := luminanceOf(was), luminanceOf(now)
	if lw <= 0 || ln <= 0 {
		return unseen("white balance", "white paper is black", "switch the lamp on")
	}
	// Both brought to the light of white paper, so that colour alone counts.
	lab := func(v [3]float64, l float64) colour.Lab { return colour.ToLab(0.8*v[0]/l, 0.8*v[1]/l, 0.8*v[2]/l) }
	a, b := lab(was, lw), lab(now, ln)
	d := colour.DeltaE2000(a, b)
	f := Finding{What: "white balance", Lamp: lampOf(d, whiteLimits), Seen: true, Value: d, Unit: "ΔE2000",
		Text: fmt.Sprintf("white paper changed its colour by ΔE %.1f", d)}
	if f.Lamp != Green {
		f.Text = fmt.Sprintf("%s: %s", tintName(a, b), f.Text)
		f.Remedy = "lock the white balance and use the same lamps; then run fairdeck calibrate colour again"
	}
	return f
}

func tintName(was, now colour.Lab) string {
	a, b := now.A-was.A, now.B-was.B
	switch {
	case math.Abs(b) >= math.Abs(a) && b > 0:
		return "yellower"
	case math.Abs(b) >= math.Abs(a):
		return "bluer"
	case a > 0:
		return "redder"
	}
	return "greener"
}

func (s *StationCheck) saturation() Finding {
	v := s.over(func(l *stationLook) float64 { return l.clipped })
	f := Finding{What: "saturation", Lamp: lampOf(v, overLimits), Seen: true, Value: v,
		Text: fmt.Sprintf("%.0f %% of the white paper is saturated", 100*v)}
	if f.Lamp != Green {
		f.Text = "overexposed: " + f.Text
		f.Remedy = "expose less, until white paper is light grey in the picture"
	}
	return f
}

// drift compares the frames with each other: light and place.
func (s *StationCheck) drift() Finding {
	if len(s.looks) < 2 {
		return Finding{What: "drift", Lamp: Green, Text: "drift was not measured: one picture only"}
	}
	lo, hi := math.Inf(1), 0.0
	move := 0.0
	first := s.looks[0].view.Corners
	for _, l := range s.looks {
		y := luminanceOf(l.white)
		lo, hi = min(lo, y), max(hi, y)
		var m plane.Point
		for i, p := range l.view.Corners {
			m = m.Add(p.Sub(first[i]).Mul(1 / float64(len(first))))
		}
		move = max(move, m.Norm())
	}
	change := hi/lo - 1
	a, b := lampOf(change, driftLimits), lampOf(move, shiftLimits)
	f := Finding{What: "drift", Lamp: a, Seen: true, Value: change,
		Text: fmt.Sprintf("over %d pictures the light changed by %.1f %% and the board moved by %.2f px", len(s.looks), 100*change, move)}
	if b.rank() > a.rank() {
		f.Lamp, f.Value, f.Unit = b, move, "px"
		f.Text = "something moves: " + f.Text
		f.Remedy = "tighten the camera's mount, and leave the board still"
	} else if a != Green {
		f.Text = "the light is not steady: " + f.Text
		f.Remedy = "lock exposure and white balance; let lamps warm up; shut daylight out"
	}
	return f
}
