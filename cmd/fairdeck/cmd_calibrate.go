package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"fairdeck/calibrate"
	"fairdeck/internal/cv"
	"fairdeck/internal/ui"
	"fairdeck/internal/version"
	"fairdeck/vision/camera"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newCalibrateCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "calibrate",
		Short: "Teach fairdeck about its camera, table and light",
		Long: `Teach fairdeck about its station: once when it is set up, and again when
something was moved. What is learned goes into a profile, a file that inspect
reads with --profile. Take the pictures with the station's own camera, with
focus, exposure and white balance locked.

In this order:
  1. fairdeck calibrate board     print the board, glue it to something stiff
  2. fairdeck calibrate lens      ten and more pictures of the board, tilted
  3. fairdeck calibrate flat      three pictures of a white sheet
  4. fairdeck calibrate colour    the sheet again, or a colour chart
  5. fairdeck calibrate plane     the board flat on the table
  6. fairdeck calibrate zones     a card where the deck lies, one where it is dealt
Before an event:
     fairdeck calibrate check     the board on the table: green, amber or red

Instead of pictures, give the camera itself (its number, device file or a part
of its name), an address (http:// of a phone-camera app, rtsp://) or a video:
lens then says which pose to show next and ends when none is missing; the
others take a few frames.

Each keeps the profile as it was before; fairdeck calibrate undo brings it back.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		newCalibrateBoardCommand(a),
		newCalibrateLensCommand(a),
		newCalibrateFlatCommand(a),
		newCalibrateColourCommand(a),
		newCalibratePlaneCommand(a),
		newCalibrateZonesCommand(a),
		newCalibrateCheckCommand(a),
		newCalibrateShowCommand(a),
		newCalibrateUndoCommand(a),
	)
	return cmd
}

// profileFlags say which profile is meant.
type profileFlags struct {
	path   string
	camera string
	anew   bool
	json   bool
}

func (o *profileFlags) AddFlags(f *pflag.FlagSet) {
	o.addPath(f)
	f.StringVar(&o.camera, "camera", "", "the camera's name, kept in the profile and compared with it")
	f.BoolVar(&o.anew, "new", false, "begin a new profile when the file holds that of another camera or resolution")
	f.BoolVar(&o.json, "json", false, "print a document of schema \"calibration/v1\" and nothing else")
}

func (o *profileFlags) addPath(f *pflag.FlagSet) {
	f.StringVar(&o.path, "profile", "", "file of the profile (default: fairdeck/profile.json in your folder for settings)")
}

// file is the profile's path.
func (o *profileFlags) file() (string, error) {
	if o.path != "" {
		return o.path, nil
	}
	return calibrate.DefaultPath()
}

// load reads the profile, or begins one for frames of this size where there is
// none.
func (o *profileFlags) load(width, height int) (*calibrate.Profile, error) {
	path, err := o.file()
	if err != nil {
		return nil, err
	}
	fresh := &calibrate.Profile{Schema: calibrate.Schema, Camera: o.camera, WidthPx: width, HeightPx: height}
	p, _, err := calibrate.Load(path)
	switch {
	case errors.Is(err, calibrate.ErrNoProfile):
		return fresh, nil
	case err != nil:
		if o.anew {
			return fresh, nil
		}
		return nil, &inputError{fmt.Errorf("%w; --new begins another and keeps this one as .bak", err)}
	}
	if _, err := p.Matches(o.camera, width, height, p.Created); err != nil {
		if o.anew {
			return fresh, nil
		}
		return nil, usagef("%s: %w; --new begins another profile and keeps this one as .bak", path, err)
	}
	if o.camera != "" {
		p.Camera = o.camera
	}
	return p, nil
}

// existing reads a profile that has to be there.
func (o *profileFlags) existing() (*calibrate.Profile, error) {
	path, err := o.file()
	if err != nil {
		return nil, err
	}
	p, _, err := calibrate.Load(path)
	if err != nil {
		return nil, &inputError{err}
	}
	return p, nil
}

// namedProfile loads the profile that a flag names: a file, "default", or
// "none"; nil for the last, and where nothing is named.
func namedProfile(name string) (*calibrate.Profile, error) {
	if name == "" || name == noProfile {
		return nil, nil
	}
	if name == "default" {
		var err error
		if name, err = calibrate.DefaultPath(); err != nil {
			return nil, err
		}
	}
	p, _, err := calibrate.Load(name)
	if err != nil {
		return nil, &inputError{err}
	}
	return p, nil
}

// calibration is the contract of --json: what one calibration brought.
type calibration struct {
	Schema   string               `json:"schema"` // calibration/v1
	Part     string               `json:"part"`   // lens, flat, colour, plane or zones
	Saved    bool                 `json:"saved"`
	File     string               `json:"file"`    // of the profile
	Problem  string               `json:"problem"` // why nothing was saved; empty when it was
	Rejected []calibrate.Rejected `json:"rejected"`
	Missing  []string             `json:"missing"`
	Warnings []string             `json:"warnings"`
	Profile  *calibrate.Profile   `json:"profile"` // as saved; null when nothing was
}

// session is one run of a calibration over pictures.
type session struct {
	a        *app
	flags    *profileFlags
	out      calibration
	pictures []calibrate.Picture // used
	unread   int
}

func (a *app) calibration(part string, flags *profileFlags) (*session, error) {
	s := &session{a: a, flags: flags, out: calibration{Schema: "calibration/v1", Part: part,
		Rejected: []calibrate.Rejected{}, Missing: []string{}, Warnings: []string{}}}
	var err error
	if s.out.File, err = flags.file(); err != nil {
		return nil, err
	}
	if err := mayWrite(filepath.Dir(s.out.File)); err != nil {
		return nil, usagef("%s", strings.Replace(err.Error(), "--out", "--profile", 1))
	}
	return s, cv.Setup()
}

// each decodes the pictures, one after another unless workers is more, with a
// progress display. What cannot be read is rejected by name.
func (s *session) each(ctx context.Context, args []string, workers int, fn func(i int, f *camera.Frame) error) error {
	if isStream(args[0]) {
		if len(args) > 1 {
			return usagef("one camera, stream or video at a time")
		}
		return s.eachLive(ctx, args[0], fn)
	}
	files, err := camera.Open(ctx, args...)
	if err != nil {
		return err
	}
	for _, p := range files.Problems {
		s.unreadable(p)
	}
	for _, n := range files.Notes {
		s.warn(n.Path + ": " + n.Text)
	}
	p := ui.NewProgress(s.a.term, time.Now)
	defer p.Done()
	done := make(chan struct{}, len(files.Paths))
	problems := make([]error, len(files.Paths))
	err = files.Each(ctx, workers, func(i int, f *camera.Frame, _ time.Duration, err error) error {
		if err != nil {
			problems[i] = err
		} else if err := fn(i, f); err != nil {
			return err
		}
		done <- struct{}{}
		p.Set("looking", len(done), len(files.Paths))
		return nil
	})
	for _, e := range problems {
		if e != nil {
			s.unreadable(e)
		}
	}
	return err
}

func (s *session) unreadable(err error) {
	s.unread++
	r := calibrate.Rejected{Reason: calibrate.Unread, Text: err.Error()}
	var e *camera.Error
	if errors.As(err, &e) {
		r = calibrate.Rejected{Name: e.Path, Reason: calibrate.Unread, Text: e.Text, Remedy: e.Remedy}
	}
	s.reject(r)
}

func (s *session) reject(r calibrate.Rejected) { s.out.Rejected = append(s.out.Rejected, r) }

func (s *session) warn(text string) { s.out.Warnings = append(s.out.Warnings, text) }

func (s *session) used(f *camera.Frame) {
	s.pictures = append(s.pictures, calibrate.Picture{Name: filepath.Base(f.Path), SHA256: f.SHA256})
}

func (s *session) evidence() calibrate.Evidence {
	return calibrate.Evidence{When: s.now(), Tool: version.Number, Pictures: s.pictures}
}

func (s *session) now() time.Time { return s.a.now().UTC().Truncate(time.Second) }

// failed ends a calibration that gave nothing: told, with the exit code of
// input that was not read, or not good enough.
func (s *session) failed(err error) error {
	s.out.Problem = err.Error()
	if terr := s.tell(nil); terr != nil {
		return terr
	}
	if s.unread > 0 && len(s.out.Rejected) == s.unread {
		return outcomeInput
	}
	return outcomeNotGood
}

// save writes the profile and tells the result in lines.
func (s *session) save(p *calibrate.Profile, lines []string) error {
	p.Created = s.now()
	if err := p.Save(s.out.File); err != nil {
		return err
	}
	s.out.Saved, s.out.Profile = true, p
	if err := s.tell(lines); err != nil {
		return err
	}
	if s.unread > 0 {
		return outcomeInput
	}
	return nil
}

func (s *session) tell(lines []string) error {
	if s.flags.json {
		enc := json.NewEncoder(s.a.term.Out())
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(&s.out)
	}
	t := s.a.term
	for i := range s.out.Rejected {
		r := &s.out.Rejected[i]
		t.Print(fmt.Sprintf("not used (%s): %s", r.Reason, r.Error()))
	}
	for _, w := range s.out.Warnings {
		t.Print("note: " + w)
	}
	for _, l := range lines {
		t.Print(l)
	}
	if len(s.out.Missing) > 0 {
		t.Print("To make it better:")
		const most = 6 // as many as a person keeps in mind
		for _, m := range s.out.Missing[:min(most, len(s.out.Missing))] {
			t.Print("  - " + m)
		}
		if n := len(s.out.Missing) - most; n > 0 {
			t.Print(fmt.Sprintf("  - and %d more", n))
		}
	}
	if s.out.Problem != "" {
		t.Error("fairdeck: nothing was saved: " + s.out.Problem)
	} else if s.out.Saved {
		t.Print("Saved in " + s.out.File)
	}
	return nil
}

// boardFlags describe the printed board.
type boardFlags struct {
	board  string
	square float64
	ruler  float64
}

func (o *boardFlags) AddFlags(f *pflag.FlagSet) {
	d := calibrate.DefaultBoard()
	f.StringVar(&o.board, "board", d.String(), "inner corners of the board, where four squares meet")
	f.Float64Var(&o.square, "square", d.SquareMM, "side of a square in mm")
	f.Float64Var(&o.ruler, "ruler", 0, "what the lower ruler on the printed board really measures, in mm (default: as printed on it)")
}

func (o *boardFlags) parse() (calibrate.Board, error) {
	c, r, err := calibrate.ParseBoard(o.board)
	if err != nil {
		return calibrate.Board{}, usagef("--board: %w", err)
	}
	if !(o.square >= 1 && o.square <= 200) {
		return calibrate.Board{}, usagef("--square %g: want 1 to 200 mm", o.square)
	}
	b := calibrate.Board{Columns: c, Rows: r, SquareMM: o.square}
	if o.ruler != 0 {
		if b, err = b.Printed(o.ruler); err != nil {
			return b, usagef("--ruler: %w", err)
		}
	}
	return b, nil
}

// needPictures is the check of arguments that calibrations share.
func needPictures(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return errors.New("which pictures? Give files, folders or patterns, or a camera, stream or video")
	}
	return nil
}
