package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"fairdeck/internal/capture"
	"fairdeck/internal/locale"
	"fairdeck/internal/store"
	"fairdeck/vision/camera"
	"fairdeck/vision/camera/recording"

	"github.com/spf13/pflag"
)

// passOptions are the flags of every command that runs a pass.
type passOptions struct {
	cards    int
	endAfter time.Duration
	quiet    bool
}

// AddFlags declares the flags; idle is the default of --end-after.
func (o *passOptions) AddFlags(f *pflag.FlagSet, idle time.Duration) {
	f.IntVar(&o.cards, "cards", 0, "how many cards the deck has: the pass ends by itself, and a wrong number is told (default: not known)")
	f.DurationVar(&o.endAfter, "end-after", idle, "end the pass when no card came for so long; 0: never")
	f.BoolVar(&o.quiet, "quiet", false, "no bell for each card")
}

func (o *passOptions) check() error {
	// The largest number of pictures that one check takes.
	if o.cards < 0 || o.cards > camera.MaxPictures {
		return usagef("--cards %d: want 1 to %d", o.cards, camera.MaxPictures)
	}
	if o.endAfter < 0 || o.endAfter > 0 && o.endAfter < time.Second {
		return usagef("--end-after %v: want a second or more, or 0", o.endAfter)
	}
	return nil
}

// opener opens a live source, a video or pictures; status hears how a live
// one does.
type opener func(ctx context.Context, spec string, status func(camera.Status)) (camera.Source, error)

// openSource is the opener of the program itself.
func openSource(ctx context.Context, spec string, status func(camera.Status)) (camera.Source, error) {
	return camera.OpenSource(ctx, spec, camera.SourceOptions{
		Watch: camera.WatchOptions{OnStatus: status}, OpenRecording: recording.OpenSource,
	})
}

// open opens a source for a pass, which hears of its losses.
func (a *app) openFor(ctx context.Context, p *capture.Pass, spec string) (camera.Source, error) {
	src, err := a.open(ctx, spec, func(s camera.Status) {
		switch s.State {
		case camera.Lost, camera.Frozen:
			p.CameraLost(s.String())
		case camera.Reconnected, camera.Moving:
			p.CameraReturned(s.String())
		}
	})
	var e *camera.Error
	if errors.As(err, &e) {
		return nil, &inputError{err}
	}
	return src, err
}

// cameraName is what a USB camera may be called by, and a picture file is
// not: its number, its device file, or a name without a path and an ending.
var cameraName = regexp.MustCompile(`^(\d{1,3}|/dev/.+|[^/\\.*?\[\]]+)$`)

// filmNames are the endings of videos.
var filmNames = regexp.MustCompile(`(?i)\.(mp4|mov|avi|mkv|webm|m4v|mjpe?g)$`)

// isStream tells what is seen in time from pictures, by its name; nothing is
// opened.
func isStream(spec string) bool {
	info, err := os.Stat(spec)
	switch {
	case strings.Contains(spec, "://"):
		return true
	case err == nil && info.IsDir():
		return recording.Is(spec)
	case err == nil && info.Mode().IsRegular():
		return filmNames.MatchString(spec)
	case err == nil:
		return info.Mode()&os.ModeCharDevice != 0
	}
	return errors.Is(err, os.ErrNotExist) && cameraName.MatchString(spec)
}

// surelyStream tells a source in time from a folder that is not there: where
// only pictures can be meant, a bare name is more likely a mistyped folder
// than a camera's name.
func surelyStream(spec string) bool {
	return isStream(spec) && (exists(spec) || strings.Contains(spec, "://") || strings.HasPrefix(spec, "/dev/") || cameraNumber.MatchString(spec))
}

var cameraNumber = regexp.MustCompile(`^\d{1,3}$`)

// newRecording is a folder for a recording that nobody gave a place to:
// among the user's data, by time, so that a judge finds it again.
func newRecording(now time.Time) (string, error) {
	dir, err := store.DefaultDir()
	if err != nil {
		return "", err
	}
	base := filepath.Join(dir, "recordings", now.Format("20060102-150405"))
	dir = base
	for i := 2; exists(dir); i++ {
		dir = base + "-" + strconv.Itoa(i)
	}
	return dir, nil
}

// The keys of a pass, each followed by Enter.
const (
	keyUndo  = "u"
	keyPause = "p"
	keyEnd   = "q"
)

// keysText explains them.
func keysText(p locale.Printer) string {
	return p.Text("live.keys", locale.Args{"undo": keyUndo, "pause": keyPause, "end": keyEnd})
}

// listen hands a person's keys to the pass until in ends. A read from a
// terminal cannot be called off: the goroutine may outlive the pass, and ends
// with the program.
func listen(in io.Reader, p *capture.Pass, hint func()) {
	if in == nil {
		return
	}
	go func() {
		lines := bufio.NewScanner(in)
		for lines.Scan() {
			switch strings.ToLower(strings.TrimSpace(lines.Text())) {
			case keyUndo:
				p.Do(capture.Undo)
			case keyPause:
				p.Do(capture.Pause)
			case keyEnd:
				p.Do(capture.End)
			default:
				hint()
			}
		}
	}()
}
