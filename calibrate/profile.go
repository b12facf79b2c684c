package calibrate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"fairdeck/vision/plane"
)

// Schema is the version of the profile's format that this release writes.
const Schema = "profile/v1"

// maxProfileBytes bounds what Read takes in; a real profile has about 1 kB.
const maxProfileBytes = 1 << 20

// ErrForeign is returned for a profile that does not belong to the pictures:
// another resolution than the station had when it was calibrated.
var ErrForeign = errors.New("the profile is of another station")

// Profile is what calibration learned of a station.
type Profile struct {
	Schema  string    `json:"schema"`
	Camera  string    `json:"camera,omitempty"` // as the device names itself
	Created time.Time `json:"created"`

	// WidthPx and HeightPx are the frame size the profile holds for.
	WidthPx  int `json:"width_px"`
	HeightPx int `json:"height_px"`

	// Lens is the camera's distortion; LensRMSPx says how well it was fitted
	// (root mean square reprojection error in pixels, 0 = not stated).
	Lens      plane.Lens `json:"lens"`
	LensRMSPx float64    `json:"lens_rms_px,omitempty"`

	// PxPerMM is the scale at the table's plane in the middle of the frame; 0
	// = not calibrated.
	PxPerMM float64 `json:"px_per_mm,omitempty"`

	// The parts, each with its evidence; nil = not calibrated.
	LensEvidence *LensEvidence `json:"lens_evidence,omitempty"`
	Plane        *Plane        `json:"plane,omitempty"`
	Flat         *Flat         `json:"flat,omitempty"`
	Noise        *Noise        `json:"noise,omitempty"`
	Colour       *Colour       `json:"colour,omitempty"`
	Zones        []Zone        `json:"zones,omitempty"`
	Reference    *Reference    `json:"reference,omitempty"`
}

// Read reads a profile strictly: an unknown key, another schema, a number
// that no station can have, or anything after the object is an error.
func Read(r io.Reader) (*Profile, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxProfileBytes+1))
	if err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	if len(data) > maxProfileBytes {
		return nil, fmt.Errorf("profile: larger than %d bytes, which no profile is", maxProfileBytes)
	}
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("profile: not JSON: %w", err)
	}
	if head.Schema != Schema {
		return nil, fmt.Errorf("profile: schema %q is not %q; calibrate the station again with this release", head.Schema, Schema)
	}
	p := &Profile{}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(p); err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	if err := p.valid(); err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	return p, nil
}

// Write writes the profile as indented JSON.
func (p *Profile) Write(w io.Writer) error {
	if err := p.valid(); err != nil {
		return fmt.Errorf("profile: %w", err)
	}
	out := *p
	out.Schema = Schema
	data, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		return fmt.Errorf("profile: %w", err)
	}
	_, err = w.Write(append(data, '\n'))
	return err
}

// ErrOld is returned, as a warning, for a profile that was made long ago.
var ErrOld = errors.New("the profile is old")

// oldAfter is when a profile counts as old: stations are set up anew for each
// event.
const oldAfter = 30 * 24 * time.Hour

// Matches says whether the profile may be used for frames of this size from a
// camera of this name (empty: not known): an error that is [ErrForeign] when
// not. warning, when not nil, is an [ErrOld] to tell the user.
func (p *Profile) Matches(camera string, widthPx, heightPx int, now time.Time) (warning, err error) {
	if err := p.Fits(widthPx, heightPx); err != nil {
		return nil, err
	}
	if camera != "" && p.Camera != "" && camera != p.Camera {
		return nil, fmt.Errorf("%w: calibrated with the camera %q, this is %q; calibrate this camera, or give its profile with --profile", ErrForeign, p.Camera, camera)
	}
	if age := now.Sub(p.Created); age > oldAfter {
		warning = fmt.Errorf("%w: last changed %d days ago; run fairdeck calibrate check", ErrOld, int(age.Hours()/24))
	}
	return warning, nil
}

// Fits says whether the profile may be used for frames of this size.
func (p *Profile) Fits(widthPx, heightPx int) error {
	if p.WidthPx != widthPx || p.HeightPx != heightPx {
		return fmt.Errorf("%w: calibrated at %d x %d, the frame is %d x %d; calibrate at this resolution or set the camera back", ErrForeign, p.WidthPx, p.HeightPx, widthPx, heightPx)
	}
	return nil
}

// Limits of a lens, far beyond any that sees a table: a focal length of a
// hundred frames is a field of half a degree, and coefficients of Brown's model
// are below ten for the widest webcams; the fit of few boards may make k3 a
// hundred.
const (
	maxFocal      = 100 // of the frame's longer side
	maxCentre     = 10
	maxDistortion = 1e4
)

func (p *Profile) valid() error {
	if p.WidthPx < 1 || p.HeightPx < 1 || p.WidthPx > 100_000 || p.HeightPx > 100_000 {
		return fmt.Errorf("a frame of %d x %d pixels", p.WidthPx, p.HeightPx)
	}
	l := p.Lens
	side := float64(max(p.WidthPx, p.HeightPx))
	for _, v := range []float64{l.FocalXPx, l.FocalYPx, l.CentreXPx, l.CentreYPx, l.K1, l.K2, l.K3, l.P1, l.P2, p.LensRMSPx, p.PxPerMM} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return errors.New("a number is not finite")
		}
	}
	switch {
	case l.FocalXPx < 0 || l.FocalYPx < 0 || (l.FocalXPx == 0) != (l.FocalYPx == 0):
		return fmt.Errorf("focal lengths %g and %g px", l.FocalXPx, l.FocalYPx)
	case max(l.FocalXPx, l.FocalYPx) > maxFocal*side:
		return fmt.Errorf("focal lengths %g and %g px, with a frame of %g px", l.FocalXPx, l.FocalYPx, side)
	case max(math.Abs(l.CentreXPx), math.Abs(l.CentreYPx)) > maxCentre*side:
		return fmt.Errorf("a lens whose centre is at %g, %g px, with a frame of %g px", l.CentreXPx, l.CentreYPx, side)
	case max(math.Abs(l.K1), math.Abs(l.K2), math.Abs(l.K3), math.Abs(l.P1), math.Abs(l.P2)) > maxDistortion:
		return fmt.Errorf("a distortion of k1 %g k2 %g p1 %g p2 %g k3 %g", l.K1, l.K2, l.P1, l.P2, l.K3)
	case p.PxPerMM < 0 || p.PxPerMM > 1000:
		return fmt.Errorf("a scale of %g px/mm", p.PxPerMM)
	case p.LensRMSPx < 0:
		return fmt.Errorf("a lens error of %g px", p.LensRMSPx)
	}
	for _, part := range []interface{ valid() error }{p.Plane, p.Flat, p.Noise, p.Colour, p.Reference} {
		if err := part.valid(); err != nil {
			return err
		}
	}
	return validZones(p.Zones, p.WidthPx, p.HeightPx)
}
