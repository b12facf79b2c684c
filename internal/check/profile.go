package check

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"fairdeck/calibrate"
	"fairdeck/internal/record"
	"fairdeck/vision/frame"
	"fairdeck/vision/plane"
)

// recordProfile names a profile in a check: by what it says of itself and by
// the checksum of the file that [calibrate.Profile.Save] writes of it, so that
// the profile kept in a recording gives the same check again.
func recordProfile(p *calibrate.Profile) *record.Profile {
	if p == nil {
		return nil
	}
	name := p.Camera
	if name == "" {
		name = "profile"
	}
	out := &record.Profile{Name: fmt.Sprintf("%s, %s", name, p.Created.UTC().Format("2006-01-02 15:04"))}
	var b bytes.Buffer
	if err := p.Write(&b); err == nil {
		sum := sha256.Sum256(b.Bytes())
		out.SHA256 = hex.EncodeToString(sum[:])
	}
	return out
}

// ready prepares a whole picture by the profile: the light made even, and the
// lens for the finder. foreign says that the profile is not of pictures of
// this size and was not used. The scale is not handed to the finder: a deck is
// up to 40 mm higher than the table that it holds for, which at a station's
// distance is a tenth.
func (o Options) ready(img *frame.Image) (even *frame.Image, lens plane.Lens, foreign bool, err error) {
	if o.Profile == nil {
		return img, lens, false, nil
	}
	switch err := o.Profile.Fits(img.Width, img.Height); {
	case errors.Is(err, calibrate.ErrForeign):
		return img, lens, true, nil
	case err != nil:
		return nil, lens, false, err
	}
	even, err = o.Profile.ApplyFlat(img)
	return even, o.Profile.Lens, false, err
}

// warnForeign tells of a picture that the profile was not used for.
func (c draft) warnForeign(o Options, s *record.Source) {
	c.warn("profile", s.File, fmt.Sprintf("the profile is for pictures of %d x %d pixels and was not used for this one of %d x %d", o.Profile.WidthPx, o.Profile.HeightPx, s.WidthPx, s.HeightPx))
}
