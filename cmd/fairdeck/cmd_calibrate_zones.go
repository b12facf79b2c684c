package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"fairdeck/calibrate"
	"fairdeck/vision/camera"
	"fairdeck/vision/plane"

	"github.com/spf13/cobra"
)

type calibrateZonesOptions struct {
	profileFlags
	names  string
	margin float64
	size   string
	zones  []string
}

func newCalibrateZonesCommand(a *app) *cobra.Command {
	var o calibrateZonesOptions
	cmd := &cobra.Command{
		Use:   "zones [PICTURE]",
		Short: "Say where the deck lies and where cards are dealt",
		Long: `Learn the zones of the table: "back", where the face-down deck lies; "face", where
cards are dealt face up; "edge", where the deck is stood up for its sides.

Give a picture with one card at each place: the zones are the cards with a
margin around them, named in reading order. Or give a zone by numbers: x, y,
width and height, in pixels of the frame, or in millimetres of the plane (from
the board's first inner corner) with "mm" behind.`,
		Example: `  fairdeck calibrate zones two-cards.jpg
  fairdeck calibrate zones --names face,back two-cards.jpg
  fairdeck calibrate zones --zone back=80,120,420,560 --zone face=-40,-30,110,130mm`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) > 1:
				return errors.New("zones are found in one picture")
			case len(args) == 0 && len(o.zones) == 0:
				return errors.New("which picture? Give one with a card at each place, or --zone")
			case len(args) == 1 && len(o.zones) > 0:
				return errors.New("a picture and --zone exclude each other")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), a, args) },
	}
	o.profileFlags.AddFlags(cmd.Flags())
	f := cmd.Flags()
	f.StringVar(&o.names, "names", "", "names of the cards' places in reading order (default: back,face,edge as far as there are cards)")
	f.Float64Var(&o.margin, "margin", 20, "millimetres around the cards")
	f.StringVar(&o.size, "size", "", "outer size of the cards: standard, japanese, or WIDTHxHEIGHT in mm (default: estimated)")
	f.StringArrayVar(&o.zones, "zone", nil, "NAME=X,Y,WIDTH,HEIGHT in px, or with mm behind; may be repeated")
	return cmd
}

func (o *calibrateZonesOptions) run(ctx context.Context, a *app, args []string) error {
	size, err := parseSize(o.size)
	if err != nil {
		return err
	}
	if !(o.margin >= 1 && o.margin <= 200) {
		return usagef("--margin %g: want 1 to 200 mm", o.margin)
	}
	opt := calibrate.ZoneOptions{MarginMM: o.margin, Size: size}
	if o.names != "" {
		opt.Names = strings.Split(o.names, ",")
		for i, n := range opt.Names {
			if !slices.Contains(calibrate.ZoneNames(), n) || slices.Contains(opt.Names[:i], n) {
				return usagef("--names %q: want back, face and edge, each once", o.names)
			}
		}
	}
	s, err := a.calibration("zones", &o.profileFlags)
	if err != nil {
		return err
	}
	var prof *calibrate.Profile
	var zones []calibrate.Zone
	if len(args) == 0 {
		if prof, err = o.existing(); err != nil {
			return err
		}
		for _, z := range o.zones {
			zone, err := parseZone(z, prof)
			if err != nil {
				return usagef("--zone %s: %w", z, err)
			}
			zones = append(zones, zone)
		}
	} else {
		err := s.each(ctx, args, 1, func(_ int, f *camera.Frame) error {
			var err error
			if prof, err = o.load(f.Image.Width, f.Image.Height); err != nil {
				return err
			}
			opt.Lens = prof.Lens
			found, err := calibrate.FindZones(ctx, f.Image, opt)
			var r *calibrate.Rejected
			if errors.As(err, &r) {
				r.Name = f.Path
				s.reject(*r)
				return nil
			}
			zones = found
			return err
		})
		if err != nil {
			return err
		}
		if len(zones) == 0 {
			return s.failed(errors.New("no zone was found"))
		}
	}
	var lines []string
	for _, z := range zones {
		if err := prof.SetZone(z); err != nil {
			return usagef("%w", err)
		}
		c := z.Corners
		lines = append(lines, fmt.Sprintf("Zone %s: from (%.0f, %.0f) to (%.0f, %.0f) px", z.Name, c[0].X, c[0].Y, c[2].X, c[2].Y))
	}
	return s.save(prof, lines)
}

// parseZone reads NAME=X,Y,W,H[mm].
func parseZone(text string, p *calibrate.Profile) (calibrate.Zone, error) {
	name, rest, ok := strings.Cut(text, "=")
	if !ok {
		return calibrate.Zone{}, errors.New("want NAME=X,Y,WIDTH,HEIGHT")
	}
	rest, mm := strings.CutSuffix(rest, "mm")
	v, err := numbers(rest, 4)
	if err != nil {
		return calibrate.Zone{}, err
	}
	if !(v[2] > 0 && v[3] > 0) {
		return calibrate.Zone{}, errors.New("a zone needs a width and a height")
	}
	z := calibrate.Zone{Name: name, Corners: plane.Rect(v[0], v[1], v[2], v[3])}
	if !mm {
		return z, nil
	}
	if p.Plane == nil {
		return z, errors.New("millimetres need a plane: run fairdeck calibrate plane first, or give pixels")
	}
	for i, c := range z.Corners {
		z.Corners[i] = p.Lens.Distort(p.Plane.ToFrame.Apply(c))
	}
	return z, nil
}
