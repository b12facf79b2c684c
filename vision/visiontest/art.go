package visiontest

import "fmt"

// Art is a printed back. The zero value is plain.
type Art struct {
	Style ArtStyle
}

// ArtStyle names a procedural design.
type ArtStyle string

func paintArt(s Sleeve, ground [3]float64, seed uint64, pxPerMM float64) (*texture, error) {
	return nil, fmt.Errorf("visiontest: unknown art style %q", s.Art.Style)
}
