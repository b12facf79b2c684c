package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"fairdeck/internal/capture"
	"fairdeck/internal/locale"
	"fairdeck/internal/plain"
	"fairdeck/internal/ui"
	"fairdeck/internal/wording"
	"fairdeck/vision/camera"
	"fairdeck/vision/camera/recording"
)

// teller says on a terminal how a pass goes: a line for what happens, a
// status line for the rest. Its methods are called from two goroutines.
type teller struct {
	term  ui.Terminal
	p     locale.Printer
	now   func() time.Time
	cards int  // expected; 0: not known
	bell  bool // one for a card, two for one that has to be dealt again

	mu    sync.Mutex
	drawn time.Time
	rec   *recording.Writer
}

// began says what is looked at and where it is kept.
func (t *teller) began(info camera.Info, rec *recording.Writer, live bool) {
	t.rec = rec
	size := fmt.Sprintf("%d x %d", info.WidthPx, info.HeightPx)
	if info.FPS > 0 {
		size += fmt.Sprintf(", %.4g/s", info.FPS)
	}
	t.term.Error(t.p.Text("live.source", locale.Args{"name": plain.Line(info.Name), "size": size}))
	for _, w := range info.Warnings {
		t.term.Error(t.p.Text("terminal.note", locale.Args{"text": wording.Said(t.p, w)}))
	}
	switch {
	case rec != nil:
		t.term.Error(t.p.Text("live.recording", locale.Args{"dir": plain.Line(rec.Dir())}))
		if free, ok := rec.Free(); ok {
			minutes := minutesFor(free, info)
			t.term.Error(t.p.Text("live.free", locale.Args{"size": bytesText(free), "minutes": strconv.Itoa(minutes)}))
			if minutes < fewMinutes {
				t.term.Error(t.p.Text("live.low", locale.Args{"command": "fairdeck recordings list"}))
			}
		}
	case live:
		t.term.Error(t.p.Text("live.unrecorded", nil))
	}
}

// guessBytes is the size of a frame before any was seen: MJPEG of webcams has
// about 0.8 bits a pixel at their usual quality, 200 KB at 1920 x 1080.
const guessBytes = 0.1

// fewMinutes is when a person is told to make space: two decks.
const fewMinutes = 10

// minutesFor is how long a recording may become, before it has begun.
func minutesFor(free int64, info camera.Info) int {
	fps := info.FPS
	if fps <= 0 {
		fps = 30
	}
	// A source that does not say its size is taken for 1920 x 1080.
	pixels := float64(info.WidthPx) * float64(info.HeightPx)
	if pixels <= 0 {
		pixels = 1920 * 1080
	}
	return int(math.Floor(float64(free) / (guessBytes * pixels * fps * 60)))
}

// bytesText is a number of bytes as disks are sold.
func bytesText(n int64) string {
	switch f := float64(n); {
	case f >= 1e9:
		return fmt.Sprintf("%.1f GB", f/1e9)
	default:
		return fmt.Sprintf("%.0f MB", f/1e6)
	}
}

// place is the number that a person counts by.
func (t *teller) place(n int) string {
	if t.cards > 0 {
		return fmt.Sprintf("%d/%d", n, t.cards)
	}
	return strconv.Itoa(n)
}

// tell is capture.Options.Tell.
func (t *teller) tell(e capture.Event) {
	n := locale.Args{"n": t.place(e.Count)}
	bells := 2
	switch e.Kind {
	case capture.Seen:
		t.term.Error(t.p.Text("live.ok", n))
		bells = 1
	case capture.Again:
		t.term.Error(t.p.Text("live.again", locale.Args{"n": t.place(e.Count + 1), "reason": wording.Said(t.p, e.Text)}))
	case capture.Void:
		t.term.Error(t.p.Text("live.void", n))
		bells = 0
	case capture.Nothing:
		t.term.Error(t.p.Text("live.nothing", nil))
	case capture.Notice:
		t.term.Error(t.p.Text("terminal.note", locale.Args{"text": wording.Said(t.p, e.Text)}))
	case capture.Paused:
		t.term.Error(t.p.Text("live.paused", locale.Args{"n": n["n"], "pause": keyPause}))
		bells = 0
	case capture.Resumed:
		t.term.Error(t.p.Text("live.resumed", n))
		bells = 0
	case capture.Lost:
		// The line says itself that the camera is lost.
		t.term.Error(t.p.Text("live.lost", locale.Args{"text": plain.Text(strings.TrimPrefix(e.Text, "camera lost: "), 500)}))
	case capture.Returned:
		t.term.Error(t.p.Text("live.returned", n))
	case capture.Unsaved:
		t.term.Error(t.p.Text("live.unsaved", locale.Args{"text": plain.Text(e.Text, 500)}))
	}
	if t.bell {
		t.term.Bell(bells)
	}
}

// redrawStatus is the pause between two status lines; five a second look
// fluent.
const redrawStatus = 200 * time.Millisecond

// show is capture.Options.Show.
func (t *teller) show(s capture.Status) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	if now.Sub(t.drawn) < redrawStatus && !s.Lost && !s.Paused {
		return
	}
	t.drawn = now
	args := locale.Args{
		"cards": t.place(s.Count), "frames": strconv.Itoa(s.Frames), "dropped": strconv.Itoa(s.Dropped),
		"time": fmt.Sprintf("%d:%02d", int(s.Span.Minutes()), int(s.Span.Seconds())%60),
	}
	line := t.p.Text("live.status", args)
	if s.Recording && s.Span > 0 {
		line = t.p.Text("live.size", locale.Args{"status": line, "size": bytesText(s.Bytes), "rate": bytesText(int64(float64(s.Bytes) / s.Span.Minutes()))})
	}
	switch {
	case s.Lost:
		line += "  " + t.p.Text("live.is-lost", nil)
	case s.Paused:
		line += "  " + t.p.Text("live.is-paused", nil)
	}
	t.term.Status(line)
}
