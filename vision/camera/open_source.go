package camera

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairdeck/vision/camera/v4l2"
)

// SourceOptions says how a source is opened. The zero value is the default.
type SourceOptions struct {
	// PictureGap is the time from one picture to the next in a folder whose
	// files do not say when they were taken; 0 means 1 s.
	PictureGap time.Duration

	// USB says what is asked of a USB camera, and System where they are found.
	USB    USBOptions
	System v4l2.System

	// Watch says how a live source is watched over.
	Watch WatchOptions

	// OpenRecording opens a folder that holds [RecordingFile]. Without it such
	// a folder is refused with a remedy.
	OpenRecording func(ctx context.Context, dir string) (Source, error)

	// FFmpeg and FFprobe are the programs that read videos and RTSP; empty
	// means those of the search path.
	FFmpeg, FFprobe string
}

// RecordingFile is the file by which a folder is known as a recording.
const RecordingFile = "recording.json"

func (o SourceOptions) ffmpeg() string {
	if o.FFmpeg != "" {
		return o.FFmpeg
	}
	return "ffmpeg"
}

func (o SourceOptions) ffprobe() string {
	if o.FFprobe != "" {
		return o.FFprobe
	}
	return "ffprobe"
}

func (o SourceOptions) pictureGap() time.Duration {
	if o.PictureGap > 0 {
		return o.PictureGap
	}
	return time.Second
}

// OpenSource opens what spec names:
//
//	0, /dev/video2, "C920"        a USB camera: its number, device file, or a part of its name
//	http://phone:8080/video       MJPEG over HTTP, as phone-camera apps serve it; https too
//	rtsp://camera/stream1         RTSP (needs ffmpeg)
//	deal.mp4                      a video file (needs ffmpeg)
//	photos/, "deck_*.jpg"         pictures in the order of their names
//	recording/                    a recording
//
// A live source comes watched over (see [Watch]): it drops for a slow reader
// and comes back after it was lost. Its first frame has been seen when
// OpenSource returns. An address may hold user name and password; they are
// never shown.
//
// Errors are of type *[Error], with the remedy, or ctx's.
func OpenSource(ctx context.Context, spec string, o SourceOptions) (Source, error) {
	switch {
	case spec == "":
		return nil, &Error{Path: "source", Problem: Missing, Text: "no source was named", Remedy: remedySource}
	case isAddress(spec):
		return openAddress(ctx, spec, o)
	}
	if n, err := strconv.Atoi(spec); err == nil && n >= 0 {
		return usbSource(ctx, o, spec)
	}
	info, err := os.Stat(spec)
	if isDeviceFile(spec, info, err) {
		return usbSource(ctx, o, spec)
	}
	switch {
	case err == nil && info.IsDir():
		if _, err := os.Lstat(filepath.Join(spec, RecordingFile)); err == nil {
			return openRecording(ctx, spec, o)
		}
		return pictureSource(ctx, o, spec)
	case err == nil && info.Mode().IsRegular():
		if c, ok := videoFile(spec); ok {
			return videoSource(ctx, o, spec, c)
		}
		return pictureSource(ctx, o, spec)
	case errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(spec, "*?["):
		return pictureSource(ctx, o, spec)
	case err == nil:
		return nil, notAFile(spec, info.Mode())
	case errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(spec, "/\\") && !hasFileName(spec):
		return usbSource(ctx, o, spec)
	}
	e := statError(spec, err)
	if errors.Is(err, fs.ErrNotExist) {
		e.Remedy = remedySource
	}
	return nil, e
}

// isDeviceFile reports a spec that means a video device, also one that is not
// there.
func isDeviceFile(spec string, info fs.FileInfo, err error) bool {
	if err == nil {
		return info.Mode()&fs.ModeCharDevice != 0
	}
	return errors.Is(err, fs.ErrNotExist) && strings.HasPrefix(spec, "/dev/")
}

// hasFileName reports a spec that ends like a picture or film: it is a file
// that is not there and not the name of a camera.
func hasFileName(spec string) bool {
	return slices.Contains(pictureNames, strings.ToLower(filepath.Ext(spec)))
}

func usbSource(ctx context.Context, o SourceOptions, spec string) (Source, error) {
	c := &usbCamera{system: o.System, spec: spec, o: o.USB.withDefaults()}
	return watched(ctx, c.open, o.Watch)
}

// watched is Watch without the nil *Watched that would not be a nil Source.
func watched(ctx context.Context, open Opener, o WatchOptions) (Source, error) {
	w, err := Watch(ctx, open, o)
	if err != nil {
		return nil, err
	}
	return w, nil
}

const remedySource = "give a camera (0, /dev/video0 or a part of its name; see fairdeck cameras), an address (http:// or rtsp://), a video, a folder of pictures or a recording"

func openRecording(ctx context.Context, dir string, o SourceOptions) (Source, error) {
	if o.OpenRecording == nil {
		return nil, &Error{Path: dir, Problem: Unsupported, Text: "this folder is a recording, and pictures or a camera are wanted here", Remedy: "use fairdeck replay"}
	}
	return o.OpenRecording(ctx, dir)
}

func pictureSource(ctx context.Context, o SourceOptions, patterns ...string) (Source, error) {
	p, err := openPictures(ctx, o.pictureGap(), patterns...)
	if err != nil {
		return nil, err
	}
	return newDirect(p), nil
}

func videoSource(ctx context.Context, o SourceOptions, path string, c container) (Source, error) {
	f, err := openVideo(ctx, o, path, c)
	if err != nil {
		return nil, err
	}
	return newDirect(f), nil
}

func openAddress(ctx context.Context, spec string, o SourceOptions) (Source, error) {
	a, err := parseAddress(spec)
	if err != nil {
		return nil, err
	}
	switch scheme := strings.ToLower(a.url.Scheme); scheme {
	case "http", "https":
		return watched(ctx, func(ctx context.Context) (Feed, error) { return openHTTP(ctx, a) }, o.Watch)
	case "rtsp":
		return watched(ctx, func(ctx context.Context) (Feed, error) { return openRTSP(ctx, o, a) }, o.Watch)
	case "file":
		return nil, &Error{Path: a.String(), Problem: Unsupported, Text: "files are given by their path", Remedy: "leave out file://"}
	default:
		return nil, &Error{Path: a.String(), Problem: Unsupported, Text: fmt.Sprintf("streams of kind %s:// are not read", scheme), Remedy: "give an http:// (MJPEG) or rtsp:// address"}
	}
}

// OpenPictures opens files, folders and globs as one source, in the order
// given.
func OpenPictures(ctx context.Context, o SourceOptions, patterns ...string) (Source, error) {
	return pictureSource(ctx, o, patterns...)
}
