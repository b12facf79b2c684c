package main

import (
	"errors"
	"fmt"

	"fairdeck/calibrate"
	"fairdeck/internal/check"
	"fairdeck/internal/locale"
	"fairdeck/internal/plain"
	"fairdeck/internal/wording"
	"fairdeck/vision/camera"
	"fairdeck/vision/settle"

	"github.com/spf13/pflag"
)

// noProfile is the name of a profile that asks for none.
const noProfile = "none"

// addStationFlags declares what a pass takes of the station's profile.
func addStationFlags(f *pflag.FlagSet, zone *string) {
	f.StringVar(zone, "zone", "", "zone of the profile in which the backs are dealt: back, face, or frame for all that the camera sees (default: back where the profile has it, else frame)")
}

// passProfile is the profile of a pass, and what has to be said of it.
type passProfile struct {
	profile *calibrate.Profile

	// unused says why the station's own profile was not used, in words of the
	// check; empty: it was, or there is none, or another was asked for.
	unused string
}

// profileFor chooses the profile of a source: the one that was named, which
// has to fit; for a live source otherwise the station's own, where there is
// one and it fits.
func (a *app) profileFor(name string, named *calibrate.Profile, info camera.Info) (passProfile, error) {
	device := "" // as a profile names it; an address is not kept in one
	if info.Kind == camera.KindUSB {
		device = info.Name
	}
	if named != nil {
		if _, err := named.Matches(device, info.WidthPx, info.HeightPx, named.Created); err != nil {
			return passProfile{}, &inputError{fmt.Errorf("%s: %w", info.Name, err)}
		}
		return passProfile{profile: named}, nil
	}
	if name != "" || !info.Live {
		return passProfile{}, nil
	}
	path, err := calibrate.DefaultPath()
	if err != nil {
		return passProfile{}, nil // a computer without a place for one has none
	}
	p, _, err := calibrate.Load(path)
	switch {
	case errors.Is(err, calibrate.ErrNoProfile):
		return passProfile{}, nil
	case err != nil:
		return passProfile{unused: "the station's profile was not used: it cannot be read; fairdeck calibrate show says why"}, nil
	}
	if p.Fits(info.WidthPx, info.HeightPx) != nil {
		return passProfile{unused: fmt.Sprintf("the station's profile was not used: it is for pictures of %d x %d pixels, and these have %d x %d; set the camera back, or calibrate it anew", p.WidthPx, p.HeightPx, info.WidthPx, info.HeightPx)}, nil
	}
	if _, err := p.Matches(device, info.WidthPx, info.HeightPx, p.Created); err != nil {
		return passProfile{unused: "the station's profile was not used: it is of another camera; calibrate this one, or name its profile with --profile"}, nil
	}
	return passProfile{profile: p}, nil
}

// tellProfile says which profile is used, that it is old, or why there is none.
func (a *app) tellProfile(print locale.Printer, p passProfile, zones []settle.Zone, info camera.Info) {
	note := func(text string) {
		a.term.Error(print.Text("terminal.note", locale.Args{"text": text}))
	}
	if p.unused != "" {
		note(wording.Said(print, p.unused))
	}
	if p.profile != nil {
		name := p.profile.Camera
		if name == "" {
			name = "-"
		}
		where := check.WholeFrame
		if len(zones) > 0 {
			where = zones[0].Name
		}
		a.term.Error(print.Text("live.profile", locale.Args{
			"name": plain.Line(name), "date": p.profile.Created.Format("2006-01-02"), "zone": plain.Line(where),
		}))
		if old, err := p.profile.Matches("", info.WidthPx, info.HeightPx, a.now()); err == nil && old != nil {
			note(old.Error())
		}
	}
}

// dealZones are the zones of a pass; an error is wrong use.
func dealZones(p *calibrate.Profile, name string) ([]settle.Zone, error) {
	zones, err := check.DealZone(p, name)
	if err != nil {
		return nil, usagef("--zone %s: %w", plain.Line(name), err)
	}
	return zones, nil
}

// zoneKept is the zone as a recording's settings keep it: a replay looks where
// the pass looked, also when the rule for the choice has changed since.
func zoneKept(zones []settle.Zone) string {
	if len(zones) == 0 {
		return check.WholeFrame
	}
	return zones[0].Name
}

// backsZone is the zone whose sightings are the deck's backs.
func backsZone(zones []settle.Zone) string {
	if len(zones) == 0 {
		return ""
	}
	return zones[0].Name
}

// focusOf is the blur of edges when the station was set up; 0 not known.
func focusOf(p *calibrate.Profile) float64 {
	if p == nil || p.Reference == nil {
		return 0
	}
	return p.Reference.BlurPx
}
