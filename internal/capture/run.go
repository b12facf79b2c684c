package capture

import (
	"context"
	"slices"
	"sync"
	"time"

	"fairdeck/vision/camera"
	"fairdeck/vision/camera/recording"
	"fairdeck/vision/settle"
)

// run is the state of a pass; it belongs to the goroutine of Run.
type run struct {
	o   Options
	res Result
	rec *recording.Writer // nil: none, or it failed

	count   int // cards that count
	last    time.Duration
	first   time.Duration
	step    time.Duration // between the last two frames
	shift   time.Duration // of the source's clock
	idle    time.Duration // since the last card
	lost    bool
	paused  bool
	skipped int // frames of the source that came during pauses
	reason  recording.Reason
	failed  error // the recorder's
	lamp    *lamp // nil: nobody asked for the light

	before, after camera.Info // of the source, when the pass began and ended

	queue chan told
	acks  sync.WaitGroup
}

// told is an event on its way to a person.
type told struct {
	event Event
	sync  bool // its frames go to the disk first
}

// queueLength is how many events may wait for the disk: a minute's worth of
// the fastest dealer. When it is full the pass waits, and the source drops.
const queueLength = 256

// syncEvery bounds what lies in the operating system's hands while no card
// comes, so that the next acknowledgement is quick: about three seconds of
// 1080p.
const syncEvery = 16 << 20

func newRun(o Options) *run {
	r := &run{o: o, rec: o.Recorder, step: time.Millisecond, queue: make(chan told, queueLength)}
	if o.Light {
		r.lamp = newLamp(o.FocusPx)
	}
	if r.rec != nil {
		r.res.Recorded = &Recorded{Dir: r.rec.Dir(), ID: r.rec.Header().ID}
	}
	r.acks.Go(r.acknowledge)
	return r
}

// acknowledge tells events, those that need it after the disk has them.
func (r *run) acknowledge() {
	rec := r.o.Recorder
	silent := false
	for t := range r.queue {
		if t.sync && rec != nil {
			err := rec.Sync()
			t.event.Saved = err == nil
			if err != nil && !silent {
				silent = true
				r.o.Tell(Event{Kind: Unsaved, Time: t.event.Time, Count: t.event.Count, Text: err.Error()})
			}
		}
		if t.event.Kind == Unsaved {
			if silent {
				continue
			}
			silent = true
		}
		if t.event.Kind != "" {
			r.o.Tell(t.event)
		}
	}
}

// tell queues an event; save first puts on the disk what it rests on.
func (r *run) tell(e Event, save bool) {
	e.Time, e.Count = r.last, r.count
	r.queue <- told{e, save}
}

// frame takes the next frame.
func (r *run) frame(ctx context.Context, f *camera.Frame) error {
	if r.paused {
		// Nobody looked at it: it is not numbered, and not lost either.
		r.skipped += 1 + f.Dropped
		return nil
	}
	f.Index -= r.skipped
	f.Time += r.shift
	switch {
	case r.res.Frames == 0:
		r.first = f.Time
	case f.Time <= r.last:
		// A clock that was set back: from here on it is taken to run on.
		r.shift += r.last + r.step - f.Time
		f.Time = r.last + r.step
	default:
		r.step = f.Time - r.last
	}
	// While the camera was away nobody could deal: such a gap is not idleness.
	if gap := f.Time - r.last; r.res.Frames > 0 && gap < camera.LostTimeout {
		r.idle += gap
	}
	r.last = f.Time
	r.res.Frames++
	r.res.Dropped += f.Dropped
	r.res.Span = r.last - r.first
	if r.lost {
		r.lost = false
	}
	if r.rec != nil {
		if err := r.rec.Frame(f); err != nil {
			if r.unsaved(err); r.o.MustRecord {
				return err
			}
		} else if r.rec.Unsynced() > syncEvery && len(r.queue) == 0 {
			r.queue <- told{sync: true}
		}
	}
	// A frame that is recorded is looked at, even when the pass is stopped
	// meanwhile: a replay will look at it, too.
	events, err := r.o.Settler.Add(context.WithoutCancel(ctx), f)
	r.events(events)
	if err != nil {
		r.notice(settle.Notice{Time: f.Time, Code: "frame", Text: err.Error()})
	}
	if r.lamp != nil {
		for _, n := range r.lamp.look(f) {
			r.notice(n)
		}
	}
	r.o.Show(r.status())
	r.over()
	return nil
}

// over ends the pass when nothing more is to be expected.
func (r *run) over() {
	limit := r.o.Idle
	if limit <= 0 || r.reason != "" {
		return
	}
	switch {
	case r.o.Expect > 0 && r.count >= r.o.Expect:
		if r.idle >= min(limit, grace) {
			r.reason = recording.EndCount
		}
		return
	case len(r.res.Sightings) == 0:
		limit *= 10
	}
	if r.idle >= limit {
		r.reason = recording.EndIdle
	}
}

func (r *run) status() Status {
	s := Status{
		Frames: r.res.Frames, Dropped: r.res.Dropped, Count: r.count, Span: r.res.Span,
		Lost: r.lost, Paused: r.paused, Recording: r.rec != nil,
	}
	if r.o.Recorder != nil {
		s.Bytes = r.o.Recorder.Stats().Bytes
	}
	return s
}

// unsaved is the end of the recording, not of the pass.
func (r *run) unsaved(err error) {
	r.failed = err
	r.rec = nil
	r.tell(Event{Kind: Unsaved, Text: err.Error()}, false)
	if r.o.MustRecord {
		r.reason = recording.EndFailed
	}
}

// note keeps an event in the recording.
func (r *run) note(e recording.Event) {
	if r.rec == nil {
		return
	}
	if err := r.rec.Event(e); err != nil {
		r.unsaved(err)
	}
}

func (r *run) events(list []settle.Event) {
	for _, e := range list {
		switch {
		case e.Sighting != nil:
			r.sighting(e.Sighting)
		case e.Notice != nil:
			r.notice(*e.Notice)
		}
	}
}

func (r *run) sighting(s *settle.Sighting) {
	n := len(r.res.Sightings) + 1
	out := Sighting{Number: n, Zone: s.Zone, Back: r.o.isBack(s.Zone), Start: s.Start, End: s.End, Frames: s.Frames, SHA256: pixelSum(s.Image)}
	if out.Back {
		out.Reason = r.o.Judge(n, s)
	}
	r.res.Sightings = append(r.res.Sightings, out)
	r.idle = 0
	if out.Counts() {
		r.count++
	}
	r.note(recording.Event{Kind: recording.Sighted, Number: n, Zone: s.Zone, Sighting: &recording.Sighting{
		Frames: s.Frames, SHA256: out.SHA256, Reason: out.Reason,
	}})
	switch {
	case !out.Back: // the same card, seen again
		return
	case out.Reason != "":
		r.tell(Event{Kind: Again, Number: n, Zone: s.Zone, Text: out.Reason}, true)
	default:
		r.tell(Event{Kind: Seen, Number: n, Zone: s.Zone}, true)
	}
}

// remarks keeps what a source found out on its way, such as a video that is
// damaged in its midst; before is what it had said when the pass began. What a
// live source has to say is in its losses already.
func (r *run) remarks(before, now camera.Info) {
	if now.Live {
		return
	}
	for _, w := range now.Warnings {
		if !slices.Contains(before.Warnings, w) {
			r.notice(settle.Notice{Time: r.last, Code: SourceCode, Text: w})
		}
	}
}

func (r *run) notice(n settle.Notice) {
	r.res.Notices = append(r.res.Notices, n)
	r.note(recording.Event{Kind: recording.Noticed, Zone: n.Zone, Code: n.Code, Text: n.Text})
	r.tell(Event{Kind: Notice, Zone: n.Zone, Code: n.Code, Text: n.Text}, false)
}

// finish ends the pass: the card that lay there last is seen, everything is
// on the disk and told. err is why the pass ended, where it failed.
func (r *run) finish(err error) *Result {
	// The pass may have been stopped; what it has is finished all the same.
	events, ferr := r.o.Settler.Flush(context.Background())
	r.events(events)
	if ferr != nil {
		r.notice(settle.Notice{Time: r.last, Code: "frame", Text: ferr.Error()})
	}
	r.remarks(r.before, r.after)
	close(r.queue)
	r.acks.Wait()
	if r.reason == "" {
		r.reason = recording.EndFailed
	}
	r.res.Reason = r.reason
	if w := r.o.Recorder; w != nil {
		end, cerr := w.Close(r.reason)
		r.res.Recorded.SHA256, r.res.Recorded.Bytes, r.res.Recorded.Err = end.SHA256, end.Bytes, cerr
		if r.failed != nil {
			r.res.Recorded.Err = r.failed
		}
	}
	return &r.res
}
