package camera

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"fairdeck/internal/cv"
	"fairdeck/vision/frame"
)

// encoded is a file that has been read and found whole.
type encoded struct {
	format Format
	head   header
	data   []byte
	sha256 string
}

// openRegular opens a file without waiting: a pipe that was put in its place
// meanwhile is refused and cannot hang the reader.
func openRegular(p string) (*os.File, error) {
	f, err := os.OpenFile(p, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, statError(p, err)
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, statError(p, err)
	}
	if !info.Mode().IsRegular() {
		f.Close()
		return nil, notAFile(p, info.Mode())
	}
	return f, nil
}

// load reads a file and checks it; the error is an *Error.
func load(p string) (*encoded, error) {
	f, err := openRegular(p)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, statError(p, err)
	}
	tooLarge := func() error {
		return &Error{Path: p, Problem: TooLarge, Text: fmt.Sprintf("the file has %d MB; up to %d MB are read", info.Size()>>20, MaxFileBytes>>20), Remedy: remedySaveAs}
	}
	if info.Size() > MaxFileBytes {
		return nil, tooLarge()
	}
	data := make([]byte, 0, info.Size()+1)
	for {
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, statError(p, err)
		}
		if len(data) == cap(data) { // it grew meanwhile
			if len(data) > MaxFileBytes {
				return nil, tooLarge()
			}
			data = append(data, 0)[:len(data)]
		}
	}
	k := sniff(data[:min(len(data), sniffLen)])
	if k.format == "" {
		return nil, &Error{Path: p, Problem: k.problem, Text: k.text, Remedy: k.remedy}
	}
	h, err := walk(k.format, data)
	if err != nil {
		return nil, structureProblem(p, err)
	}
	sum := sha256.Sum256(data)
	return &encoded{format: k.format, head: h, data: data, sha256: hex.EncodeToString(sum[:])}, nil
}

func structureProblem(p string, err error) error {
	var se *structureError
	if !errors.As(err, &se) {
		return err
	}
	e := &Error{Path: p, Problem: se.problem, Text: se.text, Err: err}
	switch se.problem {
	case Truncated:
		e.Remedy = "copy it again from the camera, or take the photo again"
	case Damaged:
		e.Remedy = "copy it again from the camera"
	case TooLarge:
		e.Remedy = "give the photo as the camera made it"
	case Unsupported:
		e.Remedy = remedySaveAs
	}
	return e
}

// decode turns a checked file into pixels.
func (e *encoded) decode(p string) (*frame.Image, error) {
	img, err := cv.Decode(e.data, e.head.width, e.head.height)
	if err != nil {
		return nil, &Error{Path: p, Problem: Damaged, Text: "the picture cannot be decoded", Remedy: "copy it again, or save it as JPEG or PNG", Err: err}
	}
	// OpenCV turns JPEG, PNG and TIFF as their orientation tag asks, and
	// knows no such tag in WebP.
	if e.format == WebP {
		img = orient(img, e.head.orientation)
	}
	if w, h := e.head.width, e.head.height; (img.Width != w || img.Height != h) && (img.Width != h || img.Height != w) {
		return nil, &Error{Path: p, Problem: Damaged, Text: fmt.Sprintf("the picture has %d x %d pixels and its header says %d x %d", img.Width, img.Height, w, h),
			Remedy: "copy it again, or save it as JPEG or PNG"}
	}
	return img, nil
}

// Read reads and decodes one picture. Errors are of type
// *[Error], or ctx's.
func Read(ctx context.Context, path string) (*Frame, error) {
	f, _, err := read(ctx, path, nil)
	return f, err
}

// read is Read with the time that decoding took; budget, when set, is asked
// for the memory first and given it back by the caller.
func read(ctx context.Context, path string, budget *budget) (*Frame, time.Duration, error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	e, err := load(path)
	if err != nil {
		return nil, 0, err
	}
	if budget != nil {
		if err := budget.acquire(ctx, e.head.width*e.head.height); err != nil {
			return nil, 0, err
		}
	}
	start := time.Now()
	f, err := e.frame(path)
	if err != nil {
		if budget != nil {
			budget.release(e.head.width * e.head.height)
		}
		return nil, 0, err
	}
	// The pictures of a whole deck are kept; their files need not be.
	f.Encoded = nil
	return f, time.Since(start), nil
}
