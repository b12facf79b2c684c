package record

// Capture says how the sightings of a check came about: which camera or
// recording, how much of it was seen, and what a person at the table was
// told.
type Capture struct {
	Source CaptureSource `json:"source"`

	Frames    int     `json:"frames"`     // looked at
	Dropped   int     `json:"dropped"`    // lost on the way, or there was no time for them
	DurationS float64 `json:"duration_s"` // from the first frame to the last, by the frames' clock

	Sightings int `json:"sightings"` // cards that count; the deck's places
	Again     int `json:"again"`     // seen, not good enough and not counted
	Void      int `json:"void"`      // taken back by a person
	Expected  int `json:"expected"`  // cards that the deck should have; 0: not said

	Ended     string          `json:"ended"`   // source-ended, count, idle, asked, interrupted or failed
	Notices   []CaptureNotice `json:"notices"` // in order
	Recording *Recording      `json:"recording,omitempty"`
}

// CaptureSource is where the frames came from.
type CaptureSource struct {
	Kind     string  `json:"kind"` // usb, stream, video, pictures, recording
	Name     string  `json:"name"`
	WidthPx  int     `json:"width_px"`
	HeightPx int     `json:"height_px"`
	FPS      float64 `json:"fps"` // nominal; 0: not known
	Format   string  `json:"format,omitempty"`
}

// CaptureNotice is something that a person was told during the pass.
type CaptureNotice struct {
	TimeS float64 `json:"time_s"` // from the first frame on
	Zone  string  `json:"zone,omitempty"`
	Code  string  `json:"code"`
	Text  string  `json:"text"`
}

// Recording names the recording from which the check can be made again.
type Recording struct {
	ID     string `json:"id"`
	SHA256 string `json:"sha256"` // of its records
	Whole  bool   `json:"whole"`  // false: it lacks frames that the check has seen, or is damaged
}
