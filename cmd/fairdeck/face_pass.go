package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"time"

	"fairdeck/calibrate"
	"fairdeck/internal/capture"
	"fairdeck/internal/check"
	"fairdeck/internal/locale"
	"fairdeck/internal/record"
	"fairdeck/internal/ui"
	"fairdeck/vision/camera"
	"fairdeck/vision/camera/recording"
	"fairdeck/vision/settle"

	"github.com/spf13/pflag"
)

// facePass runs a pass in which faces are dealt, alone or beside the backs.
type facePass struct {
	pass     passOptions
	profile  string // the flag
	noRecord bool
	keepIn   string
	print    locale.Printer
	settings passSettings
}

// AddFlags declares the flags.
func (o *facePass) AddFlags(f *pflag.FlagSet) {
	o.pass.AddFlags(f, 30*time.Second)
	f.BoolVar(&o.noRecord, "no-record", false, "do not record the pass; it cannot be read again then")
	f.StringVar(&o.keepIn, "recording", "", "folder for the recording of the pass (default: by date and time, among the user's data)")
}

// faceZones are the zones of a profile in which backs and faces lie; none
// where it has not both. Then they are looked for in the first seconds of a
// video or a recording; of a live camera only one pile can be seen at a time.
func faceZones(p *calibrate.Profile) (zones []settle.Zone) {
	if p == nil {
		return nil
	}
	for _, name := range []string{"back", "face"} {
		z, err := check.DealZone(p, name)
		if err != nil || len(z) != 1 || z[0].Rect == (image.Rectangle{}) {
			return nil
		}
		zones = append(zones, z[0])
	}
	return zones
}

// run reads the source to its end. What lay in each zone is in the table; the
// record says how the pass went.
func (o *facePass) run(ctx context.Context, a *app, source string, opts check.Options) (*check.Table, *record.Capture, error) {
	if err := o.pass.check(); err != nil {
		return nil, nil, err
	}
	if o.noRecord && o.keepIn != "" {
		return nil, nil, usagef("--no-record and --recording exclude each other")
	}
	if recording.Is(source) {
		return o.replay(ctx, a, source, opts)
	}
	t := &teller{term: a.term, p: o.print, now: time.Now, cards: o.pass.cards, bell: !o.pass.quiet}
	pass := capture.New(capture.Options{Light: true, Expect: o.pass.cards, Tell: t.tell, Show: t.show})
	src, err := a.openFor(ctx, pass, source)
	if err != nil {
		return nil, nil, err
	}
	info := src.Info()
	prof, err := a.profileFor(o.profile, opts.Profile, info)
	if err != nil {
		return nil, nil, errors.Join(err, src.Close())
	}
	opts.Profile = prof.profile
	table := check.NewTable(opts)
	zones := faceZones(opts.Profile)
	if zones == nil && !info.Live {
		// A file can be read twice.
		look, err := a.open(ctx, source, nil)
		if err == nil {
			zones, err = check.FindZones(ctx, look, opts)
			err = errors.Join(err, look.Close())
		}
		if err != nil {
			return nil, nil, errors.Join(err, src.Close())
		}
	}
	pass.SetSettler(table.Watch(settle.New(opts.Settling(zones))), "")
	pass.SetFocus(focusOf(opts.Profile))
	var rec *recording.Writer
	if info.Live || o.keepIn != "" {
		pass.SetIdle(o.pass.endAfter)
		if !info.Live {
			pass.SetIdle(0)
		}
		if !o.noRecord {
			dir := o.keepIn
			if dir == "" {
				if dir, err = newRecording(a.now()); err != nil {
					return nil, nil, errors.Join(err, src.Close())
				}
			}
			if rec, err = newRecorder(dir, info, o.settings, opts.Profile, a.now()); err != nil {
				return nil, nil, errors.Join(err, src.Close())
			}
			pass.SetRecorder(rec)
		}
	}
	t.began(info, rec, info.Live)
	t.bell = t.bell && info.Live
	if info.Live {
		a.term.Error(keysText(o.print))
		listen(a.in, pass, func() { a.term.Error(keysText(o.print)) })
	}
	res, err := pass.Run(ctx, src)
	a.term.Status("")
	if err = errors.Join(err, src.Close()); errors.Is(err, context.Canceled) {
		return nil, nil, err
	} else if err != nil {
		a.term.Error(o.print.Text("live.lost", locale.Args{"text": err.Error()}))
	}
	return table, o.record(info, res, recordedBy(res)), nil
}

// replay reads a recording again.
func (o *facePass) replay(ctx context.Context, a *app, dir string, opts check.Options) (*check.Table, *record.Capture, error) {
	src, err := recording.NewSource(dir, nil)
	if err != nil {
		return nil, nil, &inputError{err}
	}
	h := src.Header()
	if opts.Profile == nil && o.profile != noProfile && len(h.Profile) > 0 {
		if opts.Profile, err = calibrate.Read(bytes.NewReader(h.Profile)); err != nil {
			return nil, nil, errors.Join(&inputError{fmt.Errorf("the recording: %w", err)}, src.Close())
		}
	}
	zones := faceZones(opts.Profile)
	if zones == nil {
		look, err := recording.NewSource(dir, nil)
		if err == nil {
			zones, err = check.FindZones(ctx, look, opts)
			err = errors.Join(err, look.Close())
		}
		if err != nil {
			return nil, nil, errors.Join(err, src.Close())
		}
	}
	table := check.NewTable(opts)
	progress := ui.NewProgress(a.term, time.Now)
	pass := capture.New(capture.Options{
		Settler: table.Watch(settle.New(opts.Settling(zones))), Light: true, FocusPx: focusOf(opts.Profile),
		Show: func(s capture.Status) { progress.Set("replaying", s.Frames, 0) },
	})
	res, err := pass.Run(ctx, src)
	progress.Done()
	rep := src.Report()
	if err = errors.Join(err, src.Close()); err != nil {
		var e *camera.Error
		if errors.As(err, &e) {
			return nil, nil, &inputError{err}
		}
		return nil, nil, err
	}
	res.Reason = recording.EndStopped // cut off
	if rep.End != nil {
		res.Reason = rep.End.Reason
	}
	return table, o.record(h.Source, res, &record.Recording{ID: h.ID, SHA256: rep.SHA256, Whole: rep.Whole()}), nil
}

// record says in the check's words how a pass went; what was counted, the
// table says.
func (o *facePass) record(info camera.Info, res *capture.Result, rec *record.Recording) *record.Capture {
	c := &record.Capture{
		Source: record.CaptureSource{Kind: string(info.Kind), Name: info.Name, WidthPx: info.WidthPx, HeightPx: info.HeightPx, FPS: info.FPS, Format: info.Format},
		Frames: res.Frames, Dropped: res.Dropped, DurationS: res.Span.Seconds(), Expected: o.pass.cards, Ended: string(res.Reason), Recording: rec,
	}
	for _, n := range res.Notices {
		c.Notices = append(c.Notices, record.CaptureNotice{TimeS: n.Time.Seconds(), Zone: n.Zone, Code: n.Code, Text: n.Text})
	}
	return c
}
