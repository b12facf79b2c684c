package camera

import (
	"context"
	"time"
)

// Source is where frames come from in time: a USB camera, a stream, a video,
// a folder of pictures in order, a recording.
//
// One goroutine calls Next; Close may come from any and ends a Next that
// waits. Every implementation passes the suite in cameratest.
type Source interface {
	// Info says what the source is. It is known once the source is open; what
	// changes later (a stream of another size) shows in the frames. Its
	// Warnings may grow. Any goroutine may call it.
	Info() Info

	// Next waits for the next frame. It returns io.EOF where the source ends
	// by its nature (a video, a folder, a recording), ctx's error when it was
	// stopped, ErrClosed after Close, and a *Error with the remedy when nothing
	// more will come. A frame that cannot be decoded is not an error: it counts
	// in the Dropped of the next one. Index counts the lost frames too, so that
	// each is the one before, plus one, plus its Dropped; times grow strictly.
	Next(ctx context.Context) (*Frame, error)

	// Close lets go of the device and waits for the source's own goroutines,
	// for a bounded time where a driver hangs. It may be called twice.
	Close() error
}

// Kind is a kind of source.
type Kind string

// The kinds.
const (
	KindUSB       Kind = "usb"       // a V4L2 device
	KindStream    Kind = "stream"    // MJPEG over HTTP, RTSP
	KindVideo     Kind = "video"     // a video file
	KindPictures  Kind = "pictures"  // files and folders of pictures
	KindRecording Kind = "recording" // recording/v1
)

// Info describes a source.
type Info struct {
	Kind Kind   `json:"kind"`
	Name string `json:"name"` // as the device names itself, or the file or address (without a password)

	WidthPx  int     `json:"width_px"`
	HeightPx int     `json:"height_px"`
	FPS      float64 `json:"fps,omitempty"`    // nominal; 0 = not known or not in time
	Format   string  `json:"format,omitempty"` // "MJPG", "H264", ... as delivered

	// Live is true where frames come at their own pace whether or not somebody
	// reads them.
	Live bool `json:"live,omitempty"`

	// Settings are what was asked of the device and what it does in fact.
	Settings []Setting `json:"settings,omitempty"`

	// Warnings say in words, with the remedy, what the device refused and what
	// that means for an inspection.
	Warnings []string `json:"warnings,omitempty"`
}

// Setting is one control of a camera, asked for and read back.
type Setting struct {
	Name   string `json:"name"`            // "focus_auto", "exposure_time", ...
	Asked  string `json:"asked,omitempty"` // empty: left as it was
	Actual string `json:"actual"`          // as read back
	OK     bool   `json:"ok"`              // Actual is what was asked for
}

// LostTimeout is how long a live source may be silent before it counts as
// lost: long enough for a camera's own refocusing and exposure search.
const LostTimeout = 2 * time.Second
