package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"fairdeck/calibrate"
	"fairdeck/internal/capture"
	"fairdeck/internal/check"
	"fairdeck/internal/cv"
	"fairdeck/internal/locale"
	"fairdeck/internal/plain"
	"fairdeck/internal/version"
	"fairdeck/vision/camera"
	"fairdeck/vision/camera/recording"
	"fairdeck/vision/settle"

	"github.com/spf13/cobra"
)

// recordOptions are the flags of record.
type recordOptions struct {
	out     string
	size    string
	profile string
	zone    string
	json    bool
	pass    passOptions
	lang    bookOptions
}

func newRecordCommand(a *app) *cobra.Command {
	var o recordOptions
	cmd := &cobra.Command{
		Use:   "record SOURCE",
		Short: "Keep what the camera sees, to look at it later as often as wanted",
		Long: `Record a camera, a stream or a video, for 'fairdeck replay'.

A SOURCE is a camera (its number, device file or a part of its name), an
address (http:// of a phone-camera app, rtsp://), or a video file. The
recording is a folder that only its owner can read (format recording/v1); its
size so far, and for each minute, stands in the status line.

Each card that lies still is told once it is safe on the disk: neither the end
of the program nor a power cut can take it away. Ctrl-C, or q and Enter, ends
the recording with everything saved; the exit code is then 0.

The station's profile goes into the recording, and its zones say where cards
are looked for; see --profile and --zone.

Inspections of a live source record themselves; this command is for keeping a
pass without inspecting it.

With --json standard output has one JSON object a line: "event" is started,
sighting, again, void, notice, pause, resume, lost, returned, unsaved, status
(once a second) or ended.`,
		Example: `  fairdeck record 0
  fairdeck record --out round3-table12 http://phone:8080/video
  fairdeck record --cards 60 --json "HD Pro Webcam" | jq .event`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("which camera, stream or video? Give one")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), a, args[0]) },
	}
	f := cmd.Flags()
	f.StringVarP(&o.out, "out", "o", "", "folder for the recording (default: by date and time, among the user's data)")
	f.StringVar(&o.size, "size", "", "outer size of the sleeves: standard, japanese, or WIDTHxHEIGHT in mm (default: estimated)")
	f.StringVar(&o.profile, "profile", "", "the station's profile, kept in the recording (default: for a live source the one in your folder for settings, where it fits; none: no profile)")
	addStationFlags(f, &o.zone)
	f.BoolVar(&o.json, "json", false, "print what happens as JSON, one object a line, on standard output")
	o.pass.AddFlags(f, 0)
	o.lang.addLanguage(f)
	return cmd
}

func (o *recordOptions) run(ctx context.Context, a *app, source string) error {
	if err := o.pass.check(); err != nil {
		return err
	}
	size, err := parseSize(o.size)
	if err != nil {
		return err
	}
	named, err := namedProfile(o.profile)
	if err != nil {
		return err
	}
	print, err := o.lang.printer()
	if err != nil {
		return err
	}
	if err := setupVision(); err != nil {
		return err
	}
	dir := o.out
	if dir == "" {
		if dir, err = newRecording(a.now()); err != nil {
			return err
		}
	}
	t := &teller{term: a.term, p: print, now: time.Now, cards: o.pass.cards, bell: !o.pass.quiet && !o.json}
	tell, show := t.tell, t.show
	var lines *jsonLines
	if o.json {
		lines = &jsonLines{w: a.term.Out(), now: time.Now}
		tell, show = lines.tell, lines.show
	}
	pass := capture.New(capture.Options{
		MustRecord: true, Light: true,
		Judge:  func(_ int, s *settle.Sighting) string { return check.Glance(s) },
		Expect: o.pass.cards, Idle: o.pass.endAfter, Tell: tell, Show: show,
	})
	src, err := a.openFor(ctx, pass, source)
	if err != nil {
		return err
	}
	station, zones, err := o.station(a, named, src.Info())
	if err != nil {
		return errors.Join(err, src.Close())
	}
	pass.SetSettler(settle.New(check.Options{Size: size, Profile: station.profile}.Settling(zones)), backsZone(zones))
	pass.SetFocus(focusOf(station.profile))
	rec, err := newRecorder(dir, src.Info(), passSettings{
		Size: o.size, Cards: o.pass.cards, Zone: zoneKept(zones), Unused: station.unused,
	}, station.profile, a.now())
	if err != nil {
		return errors.Join(err, src.Close())
	}
	pass.SetRecorder(rec)
	if o.json {
		lines.began(src.Info(), dir)
	} else {
		t.began(src.Info(), rec, true)
		a.tellProfile(print, station, zones, src.Info())
		a.term.Error(keysText(print))
	}
	listen(a.in, pass, func() { a.term.Error(keysText(print)) })
	res, err := pass.Run(ctx, src)
	a.term.Status("")
	err = errors.Join(err, src.Close())
	if o.json {
		lines.ended(res)
	} else {
		tellRecorded(a, print, res)
	}
	if res.Recorded.Err != nil {
		return res.Recorded.Err
	}
	if errors.Is(err, context.Canceled) {
		// The usual end of a recording.
		return nil
	}
	var e *camera.Error
	if errors.As(err, &e) {
		return &inputError{err}
	}
	return err
}

// station chooses profile and zones.
func (o *recordOptions) station(a *app, named *calibrate.Profile, info camera.Info) (passProfile, []settle.Zone, error) {
	p, err := a.profileFor(o.profile, named, info)
	if err != nil {
		return p, nil, err
	}
	zones, err := dealZones(p.profile, o.zone)
	return p, zones, err
}

// tellRecorded says what a pass left on the disk.
func tellRecorded(a *app, print locale.Printer, res *capture.Result) {
	a.term.Print(print.Text("live.saved", locale.Args{
		"dir": plain.Line(res.Recorded.Dir), "frames": fmt.Sprint(res.Frames), "cards": fmt.Sprint(res.Count()), "size": bytesText(res.Recorded.Bytes),
	}))
}

// passSettings are what a recording keeps of the command's flags, for a
// replay. The names are those of the flags.
type passSettings struct {
	Size     string  `json:"size,omitempty"`
	Rate     float64 `json:"false-alarm-rate,omitempty"`
	Distance float64 `json:"distance,omitempty"`
	Cards    int     `json:"cards,omitempty"`

	// Zone is where the pass looked for backs; empty: the whole frame, as
	// passes did before there were zones.
	Zone string `json:"zone,omitempty"`

	// Unused says why the station's profile was not used; see passProfile.
	Unused string `json:"profile-not-used,omitempty"`
}

func newRecorder(dir string, info camera.Info, s passSettings, profile *calibrate.Profile, now time.Time) (*recording.Writer, error) {
	settings, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	h := recording.Header{
		Created: now, Source: info, Settings: settings,
		Tool: recording.Tool{Name: "fairdeck", Version: version.Number, Revision: version.Revision()},
	}
	if profile != nil {
		var b bytes.Buffer
		if err := profile.Write(&b); err != nil {
			return nil, err
		}
		h.Profile = b.Bytes()
	}
	if info.Kind == camera.KindVideo || info.Kind == camera.KindStream && info.Format != "MJPG" {
		h.Encoded = recording.EncodedAs
	}
	w, err := recording.Create(dir, h)
	var e *camera.Error
	if errors.As(err, &e) && e.Problem == recording.Exists {
		return nil, usagef("%w", err)
	}
	return w, err
}

// setupVision readies OpenCV; its own threads would get into the way of ours.
func setupVision() error {
	if err := cv.Setup(); err != nil {
		return err
	}
	return cv.SetThreads(1)
}

// jsonLines tells a program how a pass goes.
type jsonLines struct {
	w   io.Writer
	now func() time.Time

	mu   sync.Mutex
	last time.Time
}

// put writes one object. A reader that has gone away is nobody's to tell; the
// recording goes on.
func (l *jsonLines) put(v any) {
	b, err := json.Marshal(v)
	if err != nil {
		return // cannot happen: the types below always have a JSON form
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _ = l.w.Write(append(b, '\n'))
}

func (l *jsonLines) began(info camera.Info, dir string) {
	l.put(struct {
		Event  string      `json:"event"`
		Schema string      `json:"schema"`
		Dir    string      `json:"dir"`
		Source camera.Info `json:"source"`
	}{"started", "record-events/v1", dir, info})
}

func (l *jsonLines) tell(e capture.Event) {
	l.put(struct {
		capture.Event
		TimeS float64 `json:"time_s"`
	}{e, e.Time.Seconds()})
}

func (l *jsonLines) show(s capture.Status) {
	now := l.now()
	l.mu.Lock()
	due := now.Sub(l.last) >= time.Second
	if due {
		l.last = now
	}
	l.mu.Unlock()
	if !due {
		return
	}
	l.put(struct {
		Event   string  `json:"event"`
		Frames  int     `json:"frames"`
		Dropped int     `json:"dropped"`
		Count   int     `json:"count"`
		TimeS   float64 `json:"time_s"`
		Bytes   int64   `json:"bytes"`
		Lost    bool    `json:"lost"`
		Paused  bool    `json:"paused"`
	}{"status", s.Frames, s.Dropped, s.Count, s.Span.Seconds(), s.Bytes, s.Lost, s.Paused})
}

func (l *jsonLines) ended(r *capture.Result) {
	l.put(struct {
		Event   string           `json:"event"`
		Reason  recording.Reason `json:"reason"`
		Frames  int              `json:"frames"`
		Dropped int              `json:"dropped"`
		Count   int              `json:"count"`
		Bytes   int64            `json:"bytes"`
		Dir     string           `json:"dir"`
		Whole   bool             `json:"whole"`
	}{"ended", r.Reason, r.Frames, r.Dropped, r.Count(), r.Recorded.Bytes, r.Recorded.Dir, r.Recorded.Err == nil})
}
