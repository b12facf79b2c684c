package camera

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"
)

// maxSourcePictures bounds a folder of frames: an hour at 30 a second. A check
// of single photos takes [MaxPictures].
const maxSourcePictures = 108_000

// pictures is a feed of picture files, in order.
type pictures struct {
	paths []string
	times []time.Duration // of each, from the first
	next  int
	lost  int

	mu   sync.Mutex
	info Info
	warn warnings
}

var _ Feed = (*pictures)(nil)

// openPictures lists and looks at the first picture that can be read. gap is
// the time from one picture to the next where the files do not say.
func openPictures(ctx context.Context, gap time.Duration, patterns ...string) (*pictures, error) {
	files, err := open(ctx, maxSourcePictures, patterns...)
	if err != nil {
		return nil, err
	}
	if len(files.Paths) == 0 {
		if len(files.Problems) > 0 {
			return nil, files.Problems[0]
		}
		return nil, &Error{Path: fmt.Sprint(patterns), Problem: NoPictures, Text: "no pictures were given", Remedy: "give picture files or their folder"}
	}
	p := &pictures{paths: files.Paths}
	p.info = Info{Kind: KindPictures, Name: patterns[0]}
	if len(patterns) > 1 {
		p.info.Name = fmt.Sprintf("%s and %d more", patterns[0], len(patterns)-1)
	}
	for _, e := range files.Problems {
		p.warn.add("left out: %v", e)
	}
	for _, n := range files.Notes {
		p.warn.add("%s: %s", n.Path, n.Text)
	}
	taken, err := exifTimes(ctx, p.paths)
	if err != nil {
		return nil, err
	}
	p.times = taken
	if taken == nil {
		p.times = make([]time.Duration, len(p.paths))
		for i := range p.times {
			p.times[i] = time.Duration(i) * gap
		}
		p.info.FPS = 1 / gap.Seconds()
	}
	// Something must be readable. What is not is named when its turn comes.
	for i, path := range p.paths {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		e, err := load(path)
		if err == nil {
			p.info.Format = string(e.format)
			p.info.WidthPx, p.info.HeightPx = e.head.upright()
			return p, nil
		}
		if i == len(p.paths)-1 {
			return nil, err
		}
	}
	return p, nil
}

func (p *pictures) Info() Info {
	p.mu.Lock()
	defer p.mu.Unlock()
	info := p.info
	info.Warnings = p.warn.all()
	return info
}

// Grab reads the next file. One that cannot be read is named in the warnings
// and counts as lost.
func (p *pictures) Grab(ctx context.Context) (*Raw, error) {
	for p.next < len(p.paths) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		i := p.next
		p.next++
		e, err := load(p.paths[i])
		if err != nil {
			p.lost++
			p.mu.Lock()
			p.warn.add("left out: %v", err)
			p.mu.Unlock()
			continue
		}
		lost := p.lost
		p.lost = 0
		return &Raw{Encoded: e.data, checked: e, Clock: p.times[i], HasClock: true, Lost: lost, Path: p.paths[i]}, nil
	}
	return nil, io.EOF
}

func (p *pictures) Close() error { return nil }

// exifHead is how much of a file is read to find its EXIF block, which stands
// within the first segments and is at most 64 KiB; some cameras put one or two
// segments of their own before it.
const exifHead = 192 << 10

// exifTimes are the times at which the pictures were taken, from the first,
// or nil where they do not all say, or do not say it in the order of the
// names: then the order is all that is known. EXIF counts in seconds unless it
// has fractions; pictures of one second are spread over it.
func exifTimes(ctx context.Context, paths []string) ([]time.Duration, error) {
	at := make([]time.Time, len(paths))
	fractions := false
	for i, p := range paths {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		t, ok := fileTime(p)
		if !ok || i > 0 && t.Before(at[i-1]) {
			return nil, nil
		}
		at[i] = t
		fractions = fractions || t.Nanosecond() != 0
	}
	out := make([]time.Duration, len(at))
	for i := 0; i < len(at); {
		n := 1
		for i+n < len(at) && at[i+n].Equal(at[i]) {
			n++
		}
		span := time.Second
		if fractions {
			span = time.Millisecond
		}
		for k := range n {
			out[i+k] = at[i].Sub(at[0]) + time.Duration(k)*span/time.Duration(n)
		}
		i += n
	}
	if len(out) > 1 && slices.Max(out) < time.Second && !fractions {
		// All within one second of a clock that tells seconds: that is one
		// time, copied.
		return nil, nil
	}
	return out, nil
}

// fileTime is the EXIF time of a JPEG file.
func fileTime(path string) (time.Time, bool) {
	f, err := openRegular(path)
	if err != nil {
		return time.Time{}, false
	}
	defer f.Close()
	head := make([]byte, exifHead)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.ErrUnexpectedEOF {
		return time.Time{}, false
	}
	return exifTaken(jpegExif(head[:n]))
}

// isDir reports whether a path is a folder.
func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
