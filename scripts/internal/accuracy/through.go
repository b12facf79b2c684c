package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"fairdeck/internal/check"
	"fairdeck/internal/record"
	"fairdeck/vision/camera"
	"fairdeck/vision/plane"
	"fairdeck/vision/sleeve"
	"fairdeck/vision/visiontest"
)

const (
	// surroundMM of table lie beside a sleeve in the middle of a loose frame:
	// room for shadows, seams and the table's own lines, by which the card
	// finder may be misled and which a tight frame cuts away.
	surroundMM = 16
	// looseShiftMM and looseTurnDeg are how far sleeves lie from the middle
	// (standard deviations).
	looseShiftMM, looseTurnDeg = 2, 2
)

// loose makes the camera see a sleeve and the table around it: the scale,
// lens and lamps stay, the frame is cropped.
func loose(d visiontest.Deck) visiontest.Deck {
	d = tight(d, 0)
	pad := 2 * (surroundMM - viewMarginMM)
	d.Camera.WidthPx += int(float64(pad) * d.Camera.PxPerMM)
	d.Camera.HeightPx += int(float64(pad) * d.Camera.PxPerMM)
	d.Layout = visiontest.Layout{ShiftMM: looseShiftMM, TurnDeg: looseTurnDeg}
	return d
}

// inspectThrough renders a deck to JPEG files and has them inspected as
// `fairdeck inspect` does, without a profile and without being told a size;
// the same files are inspected by their true corners, too.
func inspectThrough(ctx context.Context, d visiontest.Deck) (*inspected, error) {
	st, err := visiontest.New(d)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "fairdeck-accuracy-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	// One frame after the other: the decks share the cores, and of a deck
	// there is never more than one frame in memory.
	for i := range st.Frames() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		data, err := st.File(i)
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(dir, st.FileName(i)), data, 0o600); err != nil {
			return nil, err
		}
	}
	return inspectFiles(ctx, d, st.Truth(), dir)
}

// inspectFiles inspects a deck's files both ways.
func inspectFiles(ctx context.Context, d visiontest.Deck, truth *visiontest.Truth, dir string) (*inspected, error) {
	files, err := camera.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	if len(files.Paths) != len(truth.Frames) {
		return nil, fmt.Errorf("%s: %d pictures of a deck of %d", dir, len(files.Paths), len(truth.Frames))
	}
	out := &inspected{deck: d, truth: truth}
	given := newGivenCorners(truth, d.Seed)
	err = files.Each(ctx, 1, func(i int, f *camera.Frame, _ time.Duration, err error) error {
		if err != nil {
			return err
		}
		in, err := given.view(f.Image, i)
		out.inputs = append(out.inputs, in)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := out.inspect(ctx, sleeve.Options{}); err != nil {
		return nil, err
	}
	if out.check, _, err = check.Run(ctx, check.Options{Patterns: []string{dir}, Workers: 1}); err != nil {
		return nil, err
	}
	return out, nil
}

// cornerErrors are, for each sleeve of the check, the error of its worst
// corner in px and the standard uncertainty that was stated for it; not a
// number where the picture shows no such card.
func (d *inspected) cornerErrors() (errs, sigmas []float64) {
	at := map[string]int{}
	for i, f := range d.truth.Frames {
		at[f.File] = i
	}
	for i := range d.check.Sleeves {
		s := &d.check.Sleeves[i]
		worst, sigma := math.NaN(), math.NaN()
		if k, ok := at[filepath.Base(s.File)]; ok && len(d.truth.Frames[k].Cards) > 0 {
			if q, ok := d.truth.Frames[k].Cards[0].Quad(); ok {
				worst, sigma = worstCorner(q, s)
			}
		}
		errs, sigmas = append(errs, worst), append(sigmas, sigma)
	}
	return errs, sigmas
}

// worstCorner is for the half turn that fits better: a finder does not know
// which end is up.
func worstCorner(q plane.Quad, s *record.Sleeve) (worst, sigma float64) {
	worst = math.Inf(1)
	for turn := 0; turn < 4; turn += 2 {
		w, sg := 0.0, 0.0
		for i := range q {
			if e := plane.Quad(s.Corners)[(i+turn)%4].Sub(q[i]).Norm(); e > w {
				w, sg = e, s.SigmaPx[(i+turn)%4]
			}
		}
		if w < worst {
			worst, sigma = w, sg
		}
	}
	return worst, sigma
}
