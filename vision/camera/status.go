package camera

import (
	"fmt"
	"time"
)

// State is how a live source does.
type State string

// The states.
const (
	Connected   State = "connected"   // the first frame is there
	Lost        State = "lost"        // silent, unplugged, or the stream broke off
	Retrying    State = "retrying"    // an attempt to come back failed
	Reconnected State = "reconnected" // frames come again
	Frozen      State = "frozen"      // frames come, and all are the same picture
	Moving      State = "moving"      // no longer frozen
	GaveUp      State = "gave-up"     // nothing more will come; Next says why
)

// Status is one change of a live source's state.
type Status struct {
	State State
	At    time.Duration // in the source's time, as Frame.Time

	// Gap is, for Lost, for how long no frame had come; for Reconnected, the
	// time without frames.
	Gap time.Duration

	// Reason is the error that led to Lost, Retrying or GaveUp; nil where the
	// source was merely silent.
	Reason error

	// Attempt numbers the attempts to come back, from 1; Next is when the next
	// one begins.
	Attempt int
	Next    time.Duration

	// Abandoned is how many calls hang in a driver at this time.
	Abandoned int
}

// String says it in words.
func (s Status) String() string {
	because := ""
	if s.Reason != nil {
		because = ": " + s.Reason.Error()
	}
	switch s.State {
	case Connected:
		return "camera connected"
	case Lost:
		if s.Reason == nil {
			return fmt.Sprintf("camera lost: no frame for %v", s.Gap.Round(100*time.Millisecond))
		}
		return "camera lost" + because
	case Retrying:
		return fmt.Sprintf("camera still lost (attempt %d, next in %v)%s", s.Attempt, s.Next.Round(10*time.Millisecond), because)
	case Reconnected:
		return fmt.Sprintf("camera back after %v; go on where you were", s.Gap.Round(100*time.Millisecond))
	case Frozen:
		return fmt.Sprintf("the camera has sent the same picture for %v: start its app again, or unplug the camera and plug it in again", s.Gap.Round(100*time.Millisecond))
	case Moving:
		return "the camera's picture moves again"
	case GaveUp:
		return "camera given up" + because
	}
	return string(s.State)
}

// Counts are what a live source has seen so far.
type Counts struct {
	Received    int // frames that came from the source
	Dropped     int // of these, dropped because the reader was too slow
	Damaged     int // of these, not whole and never shown
	Lost        int // lost on the way, as far as the source knows
	Waiting     int // for the reader, now
	Reconnects  int
	Abandoned   int // calls that hang in a driver, now
	DecodeNanos int64
}
