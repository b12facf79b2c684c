package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"fairdeck/calibrate"
	"fairdeck/internal/capture"
	"fairdeck/internal/check"
	"fairdeck/internal/locale"
	"fairdeck/internal/plain"
	"fairdeck/internal/record"
	"fairdeck/internal/ui"
	"fairdeck/vision/camera"
	"fairdeck/vision/camera/recording"
	"fairdeck/vision/settle"

	"github.com/spf13/pflag"
)

// streamOptions are the flags of inspect that concern a source in time.
type streamOptions struct {
	pass     passOptions
	asStream bool
	noRecord bool
	keepIn   string
	zone     string
	unused   string // of a replay: why the pass had no profile; see passProfile
}

// AddFlags declares the flags.
func (o *streamOptions) AddFlags(f *pflag.FlagSet) {
	// Half a minute: longer than a judge looks for a card that fell down.
	o.pass.AddFlags(f, 30*time.Second)
	f.BoolVar(&o.asStream, "as-stream", false, "take a folder of pictures for the frames of a film")
	f.BoolVar(&o.noRecord, "no-record", false, "do not record the pass; its check cannot be made again then")
	f.StringVar(&o.keepIn, "recording", "", "folder for the recording of the pass (default: by date and time, among the user's data)")
	addStationFlags(f, &o.zone)
}

// check says what is wrong with the flags for this source.
func (o *streamOptions) check(opts check.Options) error {
	if opts.Layout == check.Grid {
		return usagef("--grid is for pictures; in a stream the cards are dealt one at a time")
	}
	if o.noRecord && o.keepIn != "" {
		return usagef("--no-record and --recording exclude each other")
	}
	return o.pass.check()
}

// dealer runs a pass and checks what was dealt.
type dealer struct {
	a        *app
	print    locale.Printer
	o        *streamOptions
	opts     check.Options
	settings passSettings
	profile  string // the flag: a file, default, none, or empty
	json     bool   // standard output belongs to the check
}

// inspect looks at a camera, a stream, a video or a recording.
func (d *dealer) inspect(ctx context.Context, source string) (*check.Dealt, error) {
	if err := setupVision(); err != nil {
		return nil, err
	}
	if recording.Is(source) {
		return d.replay(ctx, source)
	}
	var deal *check.Deal
	t := &teller{term: d.a.term, p: d.print, now: time.Now, cards: d.o.pass.cards, bell: !d.o.pass.quiet}
	pass := capture.New(capture.Options{
		Judge:  func(n int, s *settle.Sighting) string { return deal.Look(n, s) },
		Light:  true,
		Expect: d.o.pass.cards, Tell: t.tell, Show: t.show,
	})
	src, err := d.a.openFor(ctx, pass, source)
	if err != nil {
		return nil, err
	}
	info := src.Info()
	if deal, err = d.prepare(pass, info); err != nil {
		return nil, errors.Join(err, src.Close())
	}
	var rec *recording.Writer
	if info.Live || d.o.keepIn != "" {
		pass.SetIdle(d.o.pass.endAfter)
		if !info.Live {
			pass.SetIdle(0)
		}
		if rec, err = d.recorder(info); err != nil {
			return nil, errors.Join(err, src.Close())
		}
		if rec != nil {
			pass.SetRecorder(rec)
		}
	}
	t.began(info, rec, info.Live)
	t.bell = t.bell && info.Live // nobody deals
	if info.Live {
		d.a.term.Error(d.print.Text("live.deal", nil))
		d.a.term.Error(keysText(d.print))
		listen(d.a.in, pass, func() { d.a.term.Error(keysText(d.print)) })
	}
	res, err := pass.Run(ctx, src)
	d.a.term.Status("")
	err = errors.Join(err, src.Close())
	if errors.Is(err, context.Canceled) {
		if res.Recorded != nil && !d.json {
			tellRecorded(d.a, d.print, res)
			d.a.term.Print(d.print.Text("live.replay", locale.Args{"command": "fairdeck replay " + plain.Line(res.Recorded.Dir)}))
		}
		return nil, err
	}
	if err != nil {
		// What was dealt is checked all the same; that it is not all, the
		// check says.
		d.a.term.Error(d.print.Text("live.lost", locale.Args{"text": plain.Text(err.Error(), 500)}))
	}
	return d.check(ctx, deal, res, d.passRecord(info, res, recordedBy(res)))
}

// recorder makes the recording of a pass; nil where it was refused.
func (d *dealer) recorder(info camera.Info) (*recording.Writer, error) {
	if d.o.noRecord {
		return nil, nil
	}
	dir := d.o.keepIn
	if dir == "" {
		var err error
		if dir, err = newRecording(d.a.now()); err != nil {
			return nil, err
		}
	}
	w, err := newRecorder(dir, info, d.settings, d.opts.Profile, d.a.now())
	var e *camera.Error
	if errors.As(err, &e) && e.Problem == recording.Full {
		full := *e
		full.Remedy += "; --no-record inspects without a recording"
		err = &full
	}
	return w, err
}

// prepare chooses profile and zones by what the source is, and readies the
// pass for them.
func (d *dealer) prepare(pass *capture.Pass, info camera.Info) (*check.Deal, error) {
	p, err := d.a.profileFor(d.profile, d.opts.Profile, info)
	if err != nil {
		return nil, err
	}
	zones, err := dealZones(p.profile, d.o.zone)
	if err != nil {
		return nil, err
	}
	d.opts.Profile = p.profile
	d.settings.Zone, d.settings.Unused = zoneKept(zones), p.unused
	d.a.tellProfile(d.print, p, zones, info)
	pass.SetSettler(settle.New(d.opts.Settling(zones)), backsZone(zones))
	pass.SetFocus(focusOf(p.profile))
	return check.NewDeal(d.opts), nil
}

// replayProfile takes the profile of the pass, unless another was given, which
// has to fit.
func (d *dealer) replayProfile(h *recording.Header) error {
	if d.opts.Profile == nil && d.profile != noProfile && len(h.Profile) > 0 {
		p, err := calibrate.Read(bytes.NewReader(h.Profile))
		if err != nil {
			return &inputError{fmt.Errorf("the recording: %w", err)}
		}
		d.opts.Profile = p
	}
	if d.opts.Profile == nil {
		return nil
	}
	_, err := d.a.profileFor(d.profile, d.opts.Profile, h.Source)
	return err
}

// replay inspects a recording: the same frames, and what a person took back.
func (d *dealer) replay(ctx context.Context, dir string) (*check.Dealt, error) {
	var seen []*recording.Event
	var remarks []settle.Notice // of the source, which is not here any more
	void := map[int]bool{}
	src, err := recording.NewSource(dir, func(e *recording.Event) {
		switch e.Kind {
		case recording.Sighted:
			seen = append(seen, e)
		case recording.Voided:
			void[e.Number] = true
		case recording.Noticed:
			if e.Code == capture.SourceCode {
				remarks = append(remarks, settle.Notice{Time: e.Time, Code: e.Code, Text: e.Text})
			}
		}
	})
	if err != nil {
		return nil, &inputError{err}
	}
	if err := d.replayProfile(src.Header()); err != nil {
		return nil, errors.Join(err, src.Close())
	}
	zones, err := dealZones(d.opts.Profile, d.o.zone)
	if err != nil {
		return nil, errors.Join(err, src.Close())
	}
	deal := check.NewDeal(d.opts)
	progress := ui.NewProgress(d.a.term, time.Now)
	pass := capture.New(capture.Options{
		Settler: settle.New(d.opts.Settling(zones)), Backs: backsZone(zones), Judge: deal.Look,
		Light: true, FocusPx: focusOf(d.opts.Profile),
		Show: func(s capture.Status) { progress.Set("replaying", s.Frames, 0) },
	})
	res, err := pass.Run(ctx, src)
	progress.Done()
	rep := src.Report()
	if err = errors.Join(err, src.Close()); err != nil {
		var e *camera.Error
		if errors.As(err, &e) {
			return nil, &inputError{err}
		}
		return nil, err
	}
	if res.Frames == 0 {
		return nil, &inputError{&camera.Error{
			Path: dir, Problem: camera.Damaged, Text: fmt.Sprintf("the recording holds no frame that can be read (%d bytes of it are damaged or of another recording)", rep.DamagedBytes+rep.TailBytes),
			Remedy: "copy its whole folder again from where it was made",
		}}
	}
	res.Notices = append(res.Notices, remarks...)
	for i := range res.Sightings {
		res.Sightings[i].Void = void[res.Sightings[i].Number]
	}
	res.Reason = recording.EndStopped // cut off
	if rep.End != nil {
		res.Reason = rep.End.Reason
	}
	h := src.Header()
	c := d.passRecord(h.Source, res, &record.Recording{ID: h.ID, SHA256: rep.SHA256, Whole: rep.Whole()})
	out, err := d.check(ctx, deal, res, c)
	if err == nil && !sameSightings(seen, res) {
		d.a.term.Error(d.print.Text("live.differs", nil))
	}
	return out, err
}

// sameSightings reports whether a replay saw what the pass had seen; a
// recording that was cut off may lack the last events.
func sameSightings(seen []*recording.Event, res *capture.Result) bool {
	for _, e := range seen {
		i := e.Number - 1
		if i < 0 || i >= len(res.Sightings) || e.Sighting == nil {
			return false
		}
		s := &res.Sightings[i]
		if s.SHA256 != e.Sighting.SHA256 || !slices.Equal(s.Frames, e.Sighting.Frames) {
			return false
		}
	}
	return true
}

// check compares what counts of a pass.
func (d *dealer) check(ctx context.Context, deal *check.Deal, res *capture.Result, c *record.Capture) (*check.Dealt, error) {
	var numbers []int
	for i := range res.Sightings {
		if s := &res.Sightings[i]; s.Counts() {
			numbers = append(numbers, s.Number)
		}
	}
	c.Sightings = len(numbers)
	progress := ui.NewProgress(d.a.term, time.Now)
	deal.SetProgress(func(s check.Stage, done, total int) { progress.Set(string(s), done, total) })
	out, err := deal.Check(ctx, numbers, c)
	progress.Done()
	var none *check.NothingSeenError
	if errors.As(err, &none) {
		err = &inputError{err}
	}
	return out, err
}

func recordedBy(res *capture.Result) *record.Recording {
	r := res.Recorded
	if r == nil {
		return nil
	}
	return &record.Recording{ID: r.ID, SHA256: r.SHA256, Whole: r.Err == nil}
}

// passRecord says in the check's words how a pass went. info is the camera's,
// also for a replay.
func (d *dealer) passRecord(info camera.Info, res *capture.Result, rec *record.Recording) *record.Capture {
	c := &record.Capture{
		Source: record.CaptureSource{
			Kind: string(info.Kind), Name: info.Name, WidthPx: info.WidthPx, HeightPx: info.HeightPx, FPS: info.FPS, Format: info.Format,
		},
		Frames: res.Frames, Dropped: res.Dropped, DurationS: res.Span.Seconds(), Expected: d.o.pass.cards, Ended: string(res.Reason), Recording: rec,
	}
	for i := range res.Sightings {
		switch s := &res.Sightings[i]; {
		case s.Void:
			c.Void++
		case s.Reason != "":
			c.Again++
		}
	}
	if d.settings.Unused != "" {
		c.Notices = append(c.Notices, record.CaptureNotice{Code: "profile", Text: d.settings.Unused})
	}
	for _, n := range res.Notices {
		c.Notices = append(c.Notices, record.CaptureNotice{TimeS: n.Time.Seconds(), Zone: n.Zone, Code: n.Code, Text: n.Text})
	}
	return c
}

// replaySettings are those that a recording was made with.
func replaySettings(dir string) (passSettings, error) {
	var s passSettings
	h, err := recording.ReadHeader(dir)
	if err != nil {
		return s, &inputError{err}
	}
	if len(h.Settings) == 0 {
		return s, nil
	}
	if err := json.Unmarshal(h.Settings, &s); err != nil {
		return s, &inputError{&camera.Error{
			Path: dir, Problem: camera.Damaged, Text: "the settings of the recording cannot be understood", Remedy: "use the release that recorded it", Err: err,
		}}
	}
	return s, nil
}

// pictureFiles are the cards' pictures as files beside the check.
func pictureFiles(files map[string]func(io.Writer) error, d *check.Dealt) {
	for i, data := range d.Pictures {
		files[d.Check.Sources[i].File] = func(w io.Writer) error { _, err := w.Write(data); return err }
	}
}
