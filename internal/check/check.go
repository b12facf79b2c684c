// Package check is a whole deck check, from pictures to a verdict. It joins
// the parts of vision and knows no user interface.
//
//	patterns ──camera──▶ pictures ──card.Find──▶ cards, cropped
//	   (several pictures at once; the pictures themselves are not kept)
//	        ──second look──▶ pictures without a card, or with one of another
//	                         scale, searched again at the deck's own scale
//	        ──layout──▶ places in the deck: one card a picture, or grids
//	        ──rectify──▶ views of one geometry ──sleeve.Inspect──▶ marks
//	        ──judge──▶ record.Check: flags, verdict, problems, limits
//
// A whole deck comes in parts (main, side and extra deck). Each part is read
// and laid out by itself; parts whose sleeves must be alike are compared as
// one deck, the others apart (whole.go).
//
// Everything that went wrong on the way is in the check. Run's error is for
// what leaves nothing to report: it was stopped, there was no picture at all
// ([*InputError]), or a fault of ours.
package check

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"fairdeck/calibrate"
	"fairdeck/internal/cv"
	"fairdeck/internal/locale"
	"fairdeck/internal/record"
	"fairdeck/internal/version"
	"fairdeck/vision/camera"
	"fairdeck/vision/card"
	"fairdeck/vision/sleeve"
)

// Layout says how cards lie in the pictures.
type Layout string

// The layouts that can be asked for.
const (
	Auto        Layout = ""              // geometry decides, and the check says so
	OnePerFrame Layout = "one-per-frame" // picture n shows the deck's card n
	Grid        Layout = "grid"          // every card of every picture is one of the deck
)

// Stage is a part of a run, for progress.
type Stage string

// The stages, in order.
const (
	StageRead    Stage = "reading"     // pictures
	StageAgain   Stage = "second look" // pictures
	StageRectify Stage = "rectifying"  // sleeves
	StageInspect Stage = "comparing"   // sleeves
)

// Options of Run; the zero value but for Patterns or Parts is the default.
type Options struct {
	Patterns []string // files, folders, globs, of a deck without parts

	// Parts of a whole deck, in the order in which the check shall have them;
	// Patterns is then not used.
	Parts []PartInput
	// Alike are sets of parts whose sleeves must look the same, and which are
	// compared as one deck. A part in none is compared with itself only.
	Alike [][]string

	// Profile, when set, is the station's: its flat field makes the light even
	// and its lens helps the finder. A picture of another size than the
	// profile's is looked at without it, with a warning.
	Profile *calibrate.Profile

	Size   card.Size // of the sleeves; zero: estimated
	Layout Layout

	FalseAlarmRate    float64 // per deck; zero: 0.01
	ViewingDistanceMM float64 // zero: 400
	Workers           int     // zero: all cores

	// Now is the time that the check bears; zero: the time of the call.
	Now time.Time

	// Progress, when set, is told how far a stage is. Calls come from any
	// goroutine, never two at the same time.
	Progress func(stage Stage, done, total int)
}

// The defaults that the record states; sleeve.Options documents the same.
const (
	defaultFalseAlarmRate    = 0.01
	defaultViewingDistanceMM = 400
)

// InputError is a run without any picture to look at.
type InputError struct{ Problems []record.Problem }

func (e *InputError) Error() string { return list("no picture could be read", e.Problems) }

// list is a headline and the problems below it.
func list(headline string, problems []record.Problem) string {
	var b strings.Builder
	b.WriteString(headline)
	for _, p := range problems {
		b.WriteString("\n  ")
		if p.File != "" {
			b.WriteString(p.File + ": ")
		}
		b.WriteString(p.Text + "; " + p.Remedy)
	}
	return b.String()
}

// Run inspects a deck.
func Run(ctx context.Context, o Options) (*record.Check, *record.Evidence, error) {
	start := time.Now()
	o = o.withDefaults()
	c := newCheck(o)
	texts, err := locale.Load()
	if err != nil {
		return nil, nil, err
	}

	parts, err := readParts(ctx, o, c)
	if err != nil {
		return nil, nil, err
	}
	if len(c.Sources) == 0 {
		return nil, nil, &InputError{c.Problems}
	}
	evidence, err := compare(ctx, parts, o, c, texts.For(locale.English))
	if err != nil {
		return nil, nil, err
	}
	c.Timings.Total = time.Since(start).Seconds()
	for _, t := range []*float64{&c.Timings.Total, &c.Timings.Decode, &c.Timings.Find, &c.Timings.Inspect} {
		*t = finite(*t)
	}
	c.Normalise()
	return c.Check, evidence, nil
}

// draft is the check as it grows, and the part that is being worked on.
type draft struct {
	*record.Check
	part string
}

func (c draft) warn(code, file, text string) {
	c.Warnings = append(c.Warnings, record.Warning{Code: code, Part: c.part, File: file, Text: text})
}

func (c draft) problem(p record.Problem) {
	p.Part = c.part
	c.Problems = append(c.Problems, p)
}

func newCheck(o Options) draft {
	c := &record.Check{
		Schema: record.SchemaCheck,
		Tool: record.Tool{
			Name: "fairdeck", Version: version.Number, Revision: version.Revision(),
			OpenCV: cv.Version(), Go: version.Go(),
		},
		// Whole seconds are what a reader of a check needs, and what its
		// text keeps.
		Created: o.Now.UTC().Truncate(time.Second),
		Settings: record.Settings{
			FalseAlarmRate: o.FalseAlarmRate, ViewingDistanceMM: o.ViewingDistanceMM,
			Layout: string(cmp.Or(o.Layout, "auto")),
		},
	}
	c.Profile = recordProfile(o.Profile)
	if o.Size.WidthMM != 0 {
		size := recordSize(o.Size)
		c.Settings.Size = &size
	}
	return draft{Check: c}
}

func inputProblem(e *camera.Error) record.Problem {
	return record.Problem{Code: "input-" + string(e.Problem), File: e.Path, Text: e.Text, Remedy: e.Remedy}
}

func recordSize(s card.Size) record.Size {
	return record.Size{Name: s.Name, WidthMM: s.WidthMM, HeightMM: s.HeightMM}
}

// inspect compares rectified cards with each other. The result has one sleeve
// for each input, in order; it is nil when there is none. take lets the
// inspection have the views' pictures.
func inspect(ctx context.Context, inputs []sleeve.Input, take bool, o Options, c draft) (*sleeve.Result, error) {
	start := time.Now()
	if len(inputs) == 0 {
		return nil, nil
	}
	o.Progress(StageInspect, 0, len(inputs))
	res, err := sleeve.Inspect(ctx, inputs, sleeve.Options{
		FalseAlarmRate: o.FalseAlarmRate, ViewingDistanceMM: o.ViewingDistanceMM, Workers: o.Workers, TakeViews: take,
		Progress: func(done, total int) { o.Progress(StageInspect, done, total) },
	})
	if err != nil {
		return nil, fmt.Errorf("comparing the sleeves: %w", err)
	}
	if len(res.Sleeves) != len(inputs) {
		return nil, fmt.Errorf("comparing the sleeves: %d results for %d sleeves", len(res.Sleeves), len(inputs))
	}
	c.Timings.Inspect += time.Since(start).Seconds()
	return res, nil
}
