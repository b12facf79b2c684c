package recording

import (
	"encoding/json"
	"time"
)

// EventKind is what happened during a pass.
type EventKind string

// The kinds of events.
const (
	Sighted  EventKind = "sighting" // a card was seen lying still
	Voided   EventKind = "void"     // a person took a sighting back
	Noticed  EventKind = "notice"   // something a person was told
	Paused   EventKind = "pause"    // frames from here on were not looked at
	Resumed  EventKind = "resume"
	Lost     EventKind = "lost" // the camera fell silent
	Returned EventKind = "returned"
)

// Event is something that happened between two frames. A replay takes voids
// from here; the rest lets it say whether it sees what the pass saw.
type Event struct {
	Kind EventKind     `json:"kind"`
	Time time.Duration `json:"-"` // of the frame before it; stands in the record's head

	Number   int       `json:"number,omitempty"`   // of the sighting, from 1, in the order of the pass
	Sighting *Sighting `json:"sighting,omitempty"` // for Sighted
	Zone     string    `json:"zone,omitempty"`
	Code     string    `json:"code,omitempty"`
	Text     string    `json:"text,omitempty"`
}

// Sighting is what the pass saw, in enough detail to tell whether a replay
// sees the same.
type Sighting struct {
	Zone   string `json:"zone,omitempty"`
	Frames []int  `json:"frames"`           // that went into the picture
	SHA256 string `json:"sha256"`           // of the picture's pixels, BGR rows without padding
	Reason string `json:"reason,omitempty"` // why it was not counted
}

// Reason is why a pass ended.
type Reason string

// The reasons.
const (
	EndSource  Reason = "source-ended" // a video or recording was over
	EndCount   Reason = "count"        // all expected cards were seen
	EndIdle    Reason = "idle"         // no card for a while
	EndAsked   Reason = "asked"        // a person ended it
	EndStopped Reason = "interrupted"  // Ctrl-C
	EndFailed  Reason = "failed"       // the source gave up for good
)

// End is the last record of a recording that was closed properly.
type End struct {
	Reason  Reason `json:"reason"`
	Frames  int    `json:"frames"`
	Events  int    `json:"events"`
	Dropped int    `json:"dropped"` // frames that the source lost or nobody had time for
	Bytes   int64  `json:"bytes"`   // of all records before this one

	// SHA256 is of all records before this one, heads and bodies, in their order.
	SHA256 string `json:"sha256"`
}

func encodeEvent(e *Event) ([]byte, error) { return json.Marshal(e) }
