package calibrate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"fairdeck/vision/frame"
	"fairdeck/vision/plane"
)

// LensOptions of a lens calibration; the zero value is fairdeck's own board.
type LensOptions struct {
	Board Board // zero: [DefaultBoard]

	// Progress, when set, is told how far Solve is.
	Progress func(done, total int)
}

// LensCalibration collects boards and fits the lens.
//
//	frame ──Add──▶ board found? whole? sharp? new? ──▶ Feedback: what to show next
//	                      │
//	                      └──Solve──▶ fit ⇄ leave one out ──▶ LensResult
//
// It belongs to one goroutine.
type LensCalibration struct {
	opt      LensOptions
	views    []*View
	sizes    [][2]int
	rejected []Rejected
}

// NewLens begins a lens calibration.
func NewLens(o LensOptions) (*LensCalibration, error) {
	o.Board = o.Board.withDefaults()
	if err := o.Board.valid(); err != nil {
		return nil, err
	}
	return &LensCalibration{opt: o}, nil
}

// Feedback is what one frame brought.
type Feedback struct {
	Accepted bool
	Rejected *Rejected // why not; nil when accepted
	View     *View     // the board, when one was found
	Note     string    // something to know about an accepted picture

	Coverage Coverage
	Missing  []string // what to show next, most needed first; empty: enough
}

// Hint is one line for the person who holds the board.
func (f Feedback) Hint() string {
	switch {
	case f.Rejected != nil:
		return f.Rejected.Text + "; " + f.Rejected.Remedy
	case len(f.Missing) > 0:
		return f.Missing[0]
	}
	return "enough: the lens can be worked out"
}

// sizeSlack is by how many pixels a picture may differ in size from the
// others and still be of the same camera mode: a tool that crops or pads to
// even numbers. Whether its corners fit is then seen by the outlier test.
const sizeSlack = 2

// repeatShare of the frame's diagonal: a board whose corners moved less than
// this adds nothing new.
const repeatShare = 0.004

// Add looks for the board in one frame. A frame without it, or with one that
// is no use, is not an error: the feedback says why.
func (l *LensCalibration) Add(name string, img *frame.Image) (Feedback, error) {
	v, err := FindBoard(img, l.opt.Board)
	var r *Rejected
	if err != nil && !errors.As(err, &r) {
		return Feedback{}, err
	}
	return l.AddView(name, img.Width, img.Height, v, r), nil
}

// AddView is Add for a picture that [FindBoard] has looked at already: a view,
// or the reason why there is none.
func (l *LensCalibration) AddView(name string, widthPx, heightPx int, v *View, r *Rejected) Feedback {
	f := Feedback{View: v}
	if v != nil {
		v.Name = name
		r = l.unwanted(v, widthPx, heightPx)
		if w, h := l.frameSize(); r == nil && w != 0 && (w != widthPx || h != heightPx) {
			f.Note = fmt.Sprintf("%d x %d pixels where the others have %d x %d: used all the same", widthPx, heightPx, w, h)
		}
	}
	if r != nil {
		r.Name = name
		f.Rejected = r
		l.rejected = append(l.rejected, *r)
	} else {
		f.Accepted = true
		l.views = append(l.views, v)
		l.sizes = append(l.sizes, [2]int{widthPx, heightPx})
	}
	if w, h := l.frameSize(); w != 0 {
		f.Coverage = coverage(l.views, l.opt.Board, w, h, 0)
	}
	f.Missing = f.Coverage.Missing()
	return f
}

// TryView is AddView for a live source: a view that is not wanted is told and
// forgotten, so that a board held still does not fill the list of rejections.
func (l *LensCalibration) TryView(name string, widthPx, heightPx int, v *View) Feedback {
	n := len(l.rejected)
	f := l.AddView(name, widthPx, heightPx, v, nil)
	l.rejected = l.rejected[:n]
	return f
}

// Rejected are the pictures that were not used so far.
func (l *LensCalibration) Rejected() []Rejected { return slices.Clone(l.rejected) }

// Reject records a picture that could not be looked at at all.
func (l *LensCalibration) Reject(r Rejected) { l.rejected = append(l.rejected, r) }

func (l *LensCalibration) unwanted(v *View, width, height int) *Rejected {
	for i, u := range l.views {
		if l.sizes[i] != [2]int{width, height} {
			continue
		}
		moved := 0.0
		for k := range u.Corners {
			moved += u.Corners[k].Sub(v.Corners[k]).Norm() / float64(len(u.Corners))
		}
		if moved < repeatShare*(plane.Point{X: float64(width), Y: float64(height)}).Norm() {
			return &Rejected{Reason: Repeat, Text: fmt.Sprintf("the board lies as in %s (moved by %.1f px)", u.Name, moved), Remedy: "move and tilt the board between pictures"}
		}
	}
	return nil
}

// frameSize is the size that most accepted pictures have; of two that are
// equally frequent, the first seen.
func (l *LensCalibration) frameSize() (width, height int) {
	count := map[[2]int]int{}
	for _, s := range l.sizes {
		count[s]++
	}
	best := 0
	for _, s := range l.sizes {
		if count[s] > best {
			best, width, height = count[s], s[0], s[1]
		}
	}
	return width, height
}

// TooFewError is a lens calibration without enough boards.
type TooFewError struct {
	Have, Need int
	Rejected   []Rejected
}

func (e *TooFewError) Error() string {
	s := fmt.Sprintf("%d usable pictures of the board, at least %d are needed (%d or more are good)", e.Have, e.Need, wantBoards)
	if len(e.Rejected) > 0 {
		why := map[Reason]int{}
		for _, r := range e.Rejected {
			why[r.Reason]++
		}
		var parts []string
		for _, r := range []Reason{NoBoard, Partial, Blurred, TooSmall, FrameSize, Repeat, Outlier, Unread} {
			if why[r] > 0 {
				parts = append(parts, fmt.Sprintf("%d %s", why[r], r))
			}
		}
		s += "; not used: " + strings.Join(parts, ", ")
	}
	return s + "; show the whole board, sharp, in more poses"
}

// DegenerateError is a set of boards that does not fix the lens.
type DegenerateError struct {
	Text    string
	Missing []string
}

func (e *DegenerateError) Error() string {
	s := "the pictures do not fix the lens: " + e.Text
	if len(e.Missing) > 0 {
		s += "; " + e.Missing[0]
	}
	return s
}
