package calibrate

import (
	"fmt"
	"slices"
	"time"

	"fairdeck/vision/plane"
)

// Picture names one picture of the evidence.
type Picture struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256,omitempty"` // of the file, lower-case hex
}

// Evidence says what a part of the profile rests on.
type Evidence struct {
	When     time.Time  `json:"when"`
	Tool     string     `json:"tool,omitempty"` // version of fairdeck
	Pictures []Picture  `json:"pictures,omitempty"`
	Rejected []Rejected `json:"rejected,omitempty"`
	Warnings []string   `json:"warnings,omitempty"`
}

// LensEvidence is what the lens of the profile rests on.
type LensEvidence struct {
	Evidence
	Board        Board      `json:"board"`
	FocalSigmaPx float64    `json:"focal_sigma_px"`
	Boards       []BoardFit `json:"boards"`
	Coverage     Coverage   `json:"coverage"`
}

// SetLens puts a lens into the profile.
func (p *Profile) SetLens(res *LensResult, b Board, e Evidence) {
	p.WidthPx, p.HeightPx = res.WidthPx, res.HeightPx
	p.Lens, p.LensRMSPx = res.Lens, res.RMSPx
	e.Rejected = slices.Clone(res.Rejected)
	e.Warnings = slices.Clone(res.Warnings)
	p.LensEvidence = &LensEvidence{Evidence: e, Board: b.withDefaults(), FocalSigmaPx: res.FocalSigmaPx, Boards: res.Boards, Coverage: res.Coverage}
	// What was measured through another lens no longer holds.
	p.Plane, p.PxPerMM = nil, 0
}

// Zone is a fixed region of the table.
type Zone struct {
	Name string `json:"name"` // back, face or edge

	// Corners in px of the frame as the camera delivers it, clockwise from the
	// top left.
	Corners plane.Quad `json:"corners_px"`
}

// ZoneNames are the zones that a station can have.
func ZoneNames() []string { return []string{"back", "face", "edge"} }

func validZones(zones []Zone, width, height int) error {
	seen := map[string]bool{}
	for _, z := range zones {
		switch {
		case !slices.Contains(ZoneNames(), z.Name):
			return fmt.Errorf("a zone %q: want back, face or edge", z.Name)
		case seen[z.Name]:
			return fmt.Errorf("the zone %s is there twice", z.Name)
		case !z.Corners.Convex():
			return fmt.Errorf("the zone %s: its corners do not run clockwise around a region", z.Name)
		}
		seen[z.Name] = true
		for _, c := range z.Corners {
			if !(c.X >= -1 && c.Y >= -1 && c.X <= float64(width) && c.Y <= float64(height)) {
				return fmt.Errorf("the zone %s reaches out of the frame", z.Name)
			}
		}
	}
	return nil
}

// within reports whether v is a number from lo to hi.
func within(v, lo, hi float64) bool { return v >= lo && v <= hi }
