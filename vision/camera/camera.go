// Package camera is where pictures come from: still ones, and frames in time.
//
// # Pictures
//
//	files, folders, globs ──Open──▶ *Files: pictures in order, problems, notes
//	                                   │
//	                    Files.Each ────┤ (several at once)
//	                                   ▼
//	        bytes ─▶ header ─▶ structure walked to its end ─▶ decode ─▶ Frame
//	                   │             │                          │
//	                   └─────────────┴── *Error{Path, Problem, Remedy}
//
// A picture is judged before a byte of it reaches a decoder: what it is (by
// its content, not its name), how large it says it is, and whether the file
// is whole. OpenCV decodes a JPEG that was cut off without a word and fills
// the rest with grey, which on a sleeve would look like a mark; so such a
// file is refused here, by name.
//
// Nothing is skipped in silence. A file that cannot be used is a *[Error]
// with the remedy; a file that was left aside on purpose, such as a text file
// in a folder of pictures, is a [Note].
//
// To add a format: recognise it in sniff.go, walk it in a file of its own,
// and add a sample to the fuzz seeds.
//
// # Frames in time
//
//	0, /dev/video0, "C920" ─▶ v4l2: mode chosen, controls locked, read back ─┐
//	http://phone/video     ─▶ MJPEG cut into pictures                        ├─▶ Feed ─▶ Watch ─┐
//	rtsp://camera/stream   ─▶ ffmpeg, a child process                        ┘   (live)         │
//	deal.mp4               ─▶ ffmpeg, a child process ───────────────────────┐                  ├─▶ Source.Next ─▶ Frame
//	photos/, deck_*.jpg    ─▶ one file after the other ──────────────────────┴─▶ Feed ──────────┤
//	recording/             ─▶ package recording ────────────────────────────────────────────────┘
//
// [OpenSource] opens whatever a judge names, and a loop reads it:
//
//	src, err := camera.OpenSource(ctx, "C920", camera.SourceOptions{})
//	if err != nil {
//		return err // an *Error: what is wrong and what to do
//	}
//	defer src.Close()
//	for {
//		f, err := src.Next(ctx)
//		if errors.Is(err, io.EOF) {
//			break // a video or folder has ended
//		}
//		...
//	}
//
// Frames of a live source come whether or not somebody reads them. One
// goroutine owns the device; a few undecoded frames wait in a ring; a slow
// reader misses frames, cheaply, and is told how many ([Frame.Dropped]; a gap
// in [Frame.Index]). [Watch] notices silence, a stream that breaks off, a
// camera that is unplugged and a call that hangs in a driver, tells it
// ([Status]), and opens the device again until it is back; times go on as if
// nothing had happened. Next simply waits meanwhile.
//
// A frame that is not whole is never shown: a JPEG whose codes do not come out
// even is left out and counted, a video ends where it is damaged, an RTSP
// stream that lost a piece is begun anew. A gap in time is harmless; a guessed
// patch of picture would pass for a mark.
//
// What a camera refused is in [Info].Warnings, in words, with what it means
// for an inspection. The list may grow while a source runs: what cannot be
// read of a folder or video is known when its turn comes, and stands there
// when Next has said io.EOF.
//
// To add a kind of source: write a [Feed], recognise its name in OpenSource,
// and run cameratest.Conformance over it. cameratest has cameras over HTTP and
// RTSP that falter in every way that was seen, and v4l2test one on USB.
package camera

import (
	"fmt"
	"time"

	"fairdeck/vision/frame"
)

// MaxPixels is the largest picture that is decoded: just above the 108
// million of today's large phone sensors, 360 MB in memory. A header that
// asks for more is a damaged or hostile file.
const MaxPixels = 120_000_000

// MaxFileBytes is the largest file that is read, twice an uncompressed 16-bit
// picture of a usual 24 million pixel camera.
const MaxFileBytes = 288 << 20

// MaxPictures is the largest number of pictures in one check. A deck with
// side and extra deck has fewer than 100 cards; ten times that is a wrong
// folder.
const MaxPictures = 1000

// Problem says in one word what is wrong with an input.
type Problem string

// The problems, a contract with programs that read a check.
const (
	Missing     Problem = "missing"       // no such file, or nothing matches
	Denied      Problem = "denied"        // permission
	NotAFile    Problem = "not-a-file"    // device, pipe, socket, loop of links
	NoPictures  Problem = "no-pictures"   // a folder without pictures
	Empty       Problem = "empty"         // zero bytes
	NotAPicture Problem = "not-a-picture" // text, archives, unknown content
	Unsupported Problem = "unsupported"   // a picture or film of a kind that is not read
	TooLarge    Problem = "too-large"     // bytes, pixels or pictures beyond the limits
	Truncated   Problem = "truncated"     // the file was cut off
	Damaged     Problem = "damaged"       // the structure or the pixels make no sense
	Unreadable  Problem = "unreadable"    // the disk or the network failed
	Busy        Problem = "busy"          // a device that another program uses
)

// Error is an input that cannot be used.
type Error struct {
	Path    string  // as the user gave it, or the file in the folder
	Problem Problem // for programs
	Text    string  // what is wrong, for people
	Remedy  string  // what to do about it
	Err     error   // the cause, may be nil
}

func (e *Error) Error() string {
	s := fmt.Sprintf("%s: %s", e.Path, e.Text)
	if e.Remedy != "" {
		s += "; " + e.Remedy
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// Note is something about the input that does no harm but should be known.
type Note struct {
	Path string
	Text string
}

// Frame is one picture, decoded. It belongs to whoever receives it.
type Frame struct {
	Index  int    // place in the source, from 0
	Path   string // where it came from
	Image  *frame.Image
	Format Format
	SHA256 string // of the file, lower-case hex
	Bytes  int64  // of the file
	Notes  []Note // conversions that cost something: CMYK, grey, transparency

	// Time is when the frame was exposed, counted from the first frame of its
	// source, by the device's clock where there is one; 0 for pictures on disk.
	Time time.Duration

	// Encoded is the picture as the source delivered it (JPEG or PNG), whose
	// decoding gives Image to the last bit; nil where the source delivers
	// pixels. Recordings keep these bytes as they are.
	Encoded []byte

	// Dropped counts the frames that the source lost or the reader was too
	// slow for between the frame before and this one.
	Dropped int
}
