package capture

import (
	"fairdeck/vision/camera/recording"
)

// Command is what a person asks of a pass.
type Command string

// The commands.
const (
	Undo  Command = "undo"  // the last card does not count
	Pause Command = "pause" // or go on, where it is paused
	End   Command = "end"
)

// Do asks something of the pass and returns when it was heard, or the pass is
// over.
func (p *Pass) Do(c Command) {
	p.send(func(r *run) {
		switch c {
		case Undo:
			r.undo()
		case Pause:
			r.pause()
		case End:
			r.reason = recording.EndAsked
		}
	})
}

// CameraLost tells the pass that frames stay away. text says why.
func (p *Pass) CameraLost(text string) {
	p.send(func(r *run) {
		if r.lost {
			return
		}
		r.lost = true
		r.note(recording.Event{Kind: recording.Lost, Text: text})
		r.tell(Event{Kind: Lost, Text: text}, false)
		r.o.Show(r.status())
	})
}

// CameraReturned tells the pass that frames come again.
func (p *Pass) CameraReturned(text string) {
	p.send(func(r *run) {
		r.lost = false
		r.note(recording.Event{Kind: recording.Returned, Text: text})
		r.tell(Event{Kind: Returned, Text: text}, false)
		r.o.Show(r.status())
	})
}

func (p *Pass) send(f func(*run)) {
	select {
	case p.control <- f:
	case <-p.ended:
	}
}

// undo takes the last card that counts back.
func (r *run) undo() {
	for i := len(r.res.Sightings) - 1; i >= 0; i-- {
		s := &r.res.Sightings[i]
		if !s.Counts() {
			continue
		}
		s.Void = true
		r.count--
		r.idle = 0
		r.note(recording.Event{Kind: recording.Voided, Number: s.Number, Zone: s.Zone})
		r.tell(Event{Kind: Void, Number: s.Number, Zone: s.Zone}, true)
		return
	}
	r.tell(Event{Kind: Nothing}, false)
}

func (r *run) pause() {
	r.paused = !r.paused
	kind, told := recording.Resumed, Resumed
	if r.paused {
		kind, told = recording.Paused, Paused
	}
	r.note(recording.Event{Kind: kind})
	r.tell(Event{Kind: told}, false)
	r.o.Show(r.status())
}
