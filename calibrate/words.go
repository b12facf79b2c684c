package calibrate

import (
	"fmt"
	"math"
	"strings"
	"time"

	"fairdeck/vision/plane"
)

// Words says in lines for a person what the profile holds and what it lacks.
func (p *Profile) Words(now time.Time) []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	name := p.Camera
	if name == "" {
		name = "a camera without a name"
	}
	say("Profile of %s, %d x %d pixels, last changed %s.", name, p.WidthPx, p.HeightPx, p.Created.Format("2006-01-02 15:04"))
	if w, err := p.Matches("", p.WidthPx, p.HeightPx, now); err == nil && w != nil {
		say("  Note: %v.", w)
	}
	p.sayLens(say)
	p.sayPlane(say)
	p.sayLight(say)
	p.sayColour(say)
	if len(p.Zones) == 0 {
		say("Zones: not calibrated. They are found at the first cards.")
	}
	for _, z := range p.Zones {
		c := z.Corners
		say("Zone %s: from (%.0f, %.0f) to (%.0f, %.0f) px%s.", z.Name, c[0].X, c[0].Y, c[2].X, c[2].Y, p.sizeMM(z))
	}
	switch r := p.Reference; {
	case r == nil:
		say("Reference: none. fairdeck calibrate plane with the board makes it; then fairdeck calibrate check can tell whether the station is still as it was.")
	default:
		say("Reference: the board of %s as it was on %s.", r.Board, r.When.Format("2006-01-02 15:04"))
	}
	if r, err := p.Resolution(); err != nil {
		say("Smallest mark: not known; %v.", err)
	} else {
		say("%s", r.Words())
	}
	return out
}

func (p *Profile) sizeMM(z Zone) string {
	if p.PxPerMM == 0 {
		return ""
	}
	s := z.Corners.Sides()
	at := p.PxPerMMAt(z.Corners.Centre())
	return fmt.Sprintf(", about %.0f x %.0f mm", (s[0]+s[2])/2/at, (s[1]+s[3])/2/at)
}

func (p *Profile) sayLens(say func(string, ...any)) {
	l := p.Lens
	if l.None() {
		say("Lens: not calibrated, taken as straight. Run fairdeck calibrate lens.")
		return
	}
	view := 2 * math.Atan(float64(p.WidthPx)/2/l.FocalXPx) * 180 / math.Pi
	s := fmt.Sprintf("Lens: focal length %.1f x %.1f px, %.0f degrees across", l.FocalXPx, l.FocalYPx, view)
	if e := p.LensEvidence; e != nil {
		s += fmt.Sprintf("; known to %.2f %% from %d boards, corners fit to %.2f px", 100*e.FocalSigmaPx/((l.FocalXPx+l.FocalYPx)/2), len(e.Boards), p.LensRMSPx)
	}
	say("%s. %s", s, bendWords(p))
	if e := p.LensEvidence; e != nil {
		sayEvidence(say, e.Evidence)
	}
}

// bendWords says how far the lens moves the frame's corners.
func bendWords(p *Profile) string {
	q := p.Lens.Undistort(plane.Point{})
	d := q.Sub(plane.Point{})
	toMiddle := plane.Point{X: float64(p.WidthPx) / 2, Y: float64(p.HeightPx) / 2}
	way := "outwards"
	if d.Dot(toMiddle) > 0 {
		way = "inwards"
	}
	return fmt.Sprintf("It moves the frame's corner by %.1f px; undoing it moves that corner %s.", d.Norm(), way)
}

func (p *Profile) sayPlane(say func(string, ...any)) {
	pl := p.Plane
	switch {
	case pl == nil && p.PxPerMM == 0:
		say("Scale: not calibrated, taken from the nominal size of the sleeves. Run fairdeck calibrate plane.")
		return
	case pl == nil:
		say("Scale: %.3f px/mm in the middle.", p.PxPerMM)
		return
	}
	s := fmt.Sprintf("Scale: %.3f px/mm in the middle, give or take %.3f; %.2f to %.2f over the frame", pl.PxPerMM, pl.PxPerMMSigma, pl.LeastPxPerMM, pl.MostPxPerMM)
	if pl.DistanceMM > 0 {
		s += fmt.Sprintf(". The camera is %.0f mm above the table, %.1f degrees from straight down", pl.DistanceMM, pl.TiltDeg)
	}
	say("%s.", s)
	sayEvidence(say, pl.Evidence)
}

func (p *Profile) sayLight(say func(string, ...any)) {
	if f := p.Flat; f == nil {
		say("Flat field and noise: not calibrated. Run fairdeck calibrate flat with a white sheet.")
	} else {
		say("Flat field: the darkest place has %.0f %% of the brightest's light; the sheet was even to %.1f %%.", 100*f.DarkestShare, 100*f.ResidualShare)
		sayEvidence(say, f.Evidence)
	}
	if n := p.Noise; n != nil {
		say("Noise: %.1f codes of 255 at mid-grey.", n.SigmaCodes(1, 128))
		for _, w := range n.Warnings {
			say("  Note: %s.", w)
		}
	}
}

func (p *Profile) sayColour(say func(string, ...any)) {
	c := p.Colour
	if c == nil {
		say("Colour: not calibrated. Run fairdeck calibrate colour with a white sheet or a colour chart.")
		return
	}
	s := fmt.Sprintf("Colour: red is multiplied by %.3f and blue by %.3f", c.Gains[0], c.Gains[2])
	if c.Before != nil && c.After != nil {
		s += fmt.Sprintf("; with the matrix the chart's patches are off by ΔE %.1f, before by %.1f", c.After.Mean, c.Before.Mean)
	}
	say("%s.", s)
	sayEvidence(say, c.Evidence)
}

func sayEvidence(say func(string, ...any), e Evidence) {
	if len(e.Pictures) > 0 {
		var names []string
		for _, p := range e.Pictures[:min(3, len(e.Pictures))] {
			names = append(names, p.Name)
		}
		more := ""
		if n := len(e.Pictures) - len(names); n > 0 {
			more = fmt.Sprintf(" and %d more", n)
		}
		say("  From %s%s, %s.", strings.Join(names, ", "), more, e.When.Format("2006-01-02"))
	}
	for _, w := range e.Warnings {
		say("  Note: %s.", w)
	}
}
