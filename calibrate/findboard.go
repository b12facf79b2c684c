package calibrate

import (
	"fmt"
	"math"
	"slices"

	"fairdeck/internal/cv"
	"fairdeck/vision/colour"
	"fairdeck/vision/frame"
	"fairdeck/vision/plane"

	"gocv.io/x/gocv"
)

// Reason says in one word why a picture was not used.
type Reason string

// The reasons, a contract with programs.
const (
	NoBoard   Reason = "no-board"   // nothing like a chessboard is seen
	Partial   Reason = "partial"    // a part of the board, or a board of another size
	Blurred   Reason = "blurred"    // out of focus or moved
	TooSmall  Reason = "too-small"  // the squares are too few pixels wide
	FrameSize Reason = "frame-size" // not the size of the other pictures
	Repeat    Reason = "repeat"     // the board lies as in an earlier picture
	Outlier   Reason = "outlier"    // its corners contradict the other pictures
	Unread    Reason = "unread"     // the file could not be read
	NoCard    Reason = "no-card"    // no card is seen, or not as many as there should be
)

// Rejected is a picture that was not used, and why.
type Rejected struct {
	Name   string `json:"name"`
	Reason Reason `json:"reason"`
	Text   string `json:"text"`   // for people, with numbers
	Remedy string `json:"remedy"` // what to do about it
}

func (r *Rejected) Error() string {
	if r.Name == "" {
		return fmt.Sprintf("%s; %s", r.Text, r.Remedy)
	}
	return fmt.Sprintf("%s: %s; %s", r.Name, r.Text, r.Remedy)
}

// View is a board as one picture shows it.
type View struct {
	Name    string
	Corners []plane.Point // inner corners in px, row by row
	SidePx  float64       // typical side of a square
	BlurPx  float64       // standard deviation of the blur of the squares' edges; NaN not known
	Hard    bool          // found by the fallback only
}

// minSidePx is the smallest square that is used: below it the corner's window
// holds the next corner's edges too.
const minSidePx = 9

// Blur beyond which a board is refused: a step smeared over more than a third
// of a square shifts corners towards the brighter side of uneven light.
const (
	maxBlurShare = 0.16
	maxBlurPx    = 6
)

// FindBoard finds the board's inner corners to a small part of a pixel, or
// says why not with a *[Rejected]. Other errors are faults.
//
//	reduced picture ──SB──▶ found ──────────────┐
//	       │ not          (quick)               ▼
//	       ├──▶ larger picture ──SB, thorough──▶ cornerSubPix in the whole
//	       │ not                                picture ──▶ whole? sharp?
//	       └──▶ smoothed ──classic──────────────┘
//	       not ──▶ the largest grid of corners in view says what is missing
func FindBoard(img *frame.Image, b Board) (*View, error) {
	b = b.withDefaults()
	if err := b.valid(); err != nil {
		return nil, err
	}
	if img.Empty() || !img.Valid() {
		return nil, cv.ErrEmpty
	}
	if min(img.Width, img.Height) < minSidePx*min(b.Columns, b.Rows) {
		return nil, &Rejected{Reason: TooSmall, Text: fmt.Sprintf("a picture of %d x %d pixels is too small for a board", img.Width, img.Height), Remedy: "use the camera's full resolution"}
	}
	s := cv.NewScope()
	defer s.Close()
	bgr, err := s.Wrap(img)
	if err != nil {
		return nil, err
	}
	grey := s.Mat()
	if err := cv.CvtColor(bgr, grey, gocv.ColorBGRToGray); err != nil {
		return nil, err
	}
	v := &View{}
	rough, scale, hard, err := sought(s, grey, b)
	if err != nil {
		return nil, err
	}
	if rough == nil {
		return nil, missing(s, grey, img, b)
	}
	if v.Corners, err = refine(grey, rough, scale); err != nil {
		return nil, err
	}
	if v.Corners == nil {
		return nil, &Rejected{Reason: Blurred, Text: "the board is seen, its corners cannot be measured", Remedy: "focus the camera, light the board evenly and hold it still"}
	}
	v.Hard = hard
	v.Corners = inOrder(v.Corners, b)
	if err := whole(v.Corners, b, img); err != nil {
		return nil, err
	}
	v.SidePx = b.sidePx(v.Corners)
	v.BlurPx = blurOfBoard(img, b, v.Corners)
	switch {
	case v.SidePx < minSidePx:
		return nil, &Rejected{Reason: TooSmall, Text: fmt.Sprintf("the squares are %.0f px wide, at least %d are needed", v.SidePx, minSidePx), Remedy: "bring the board nearer, or print a larger one"}
	case v.BlurPx > maxBlurPx || v.BlurPx > maxBlurShare*v.SidePx:
		return nil, &Rejected{Reason: Blurred, Text: fmt.Sprintf("blurred: edges are smeared over %.1f px, squares are %.0f px wide", 2*v.BlurPx, v.SidePx), Remedy: "hold the board still, focus the camera and lock the focus"}
	}
	return v, nil
}

// Long sides of the levels at which a board is sought. The detectors' time
// grows with the pixels, and what they see is averaged and so less noisy.
const (
	quickLongPx    = 640
	thoroughLongPx = 1600
)

// sought is the board's corners to about a pixel of the level at which they
// were found, in pixels of grey; nil when there are none. scale is that
// level's pixel, hard says that the fallback was needed.
func sought(s *cv.Scope, grey *gocv.Mat, b Board) (corners []plane.Point, scale float64, hard bool, err error) {
	small, scale, err := reduced(s, grey, quickLongPx)
	if err != nil {
		return nil, 0, false, err
	}
	if corners, err = cv.ChessboardSB(small, b.Columns, b.Rows, false); corners != nil || err != nil {
		return enlarged(corners, scale), scale, false, err
	}
	large, scale, err := reduced(s, grey, thoroughLongPx)
	if err != nil {
		return nil, 0, false, err
	}
	if corners, err = cv.ChessboardSB(large, b.Columns, b.Rows, true); corners != nil || err != nil {
		return enlarged(corners, scale), scale, false, err
	}
	// Smoothed: noise makes thousands of the quadrilaterals that the classic
	// detector joins.
	soft := s.Mat()
	if err := cv.GaussianBlur(large, soft, 0, 1.5); err != nil {
		return nil, 0, false, err
	}
	corners, err = cv.ChessboardClassic(soft, b.Columns, b.Rows)
	return enlarged(corners, scale), scale, true, err
}

// reduced averages a picture down to a long side of about long px; scale is
// the size of its pixel in pixels of grey.
func reduced(s *cv.Scope, grey *gocv.Mat, long int) (*gocv.Mat, float64, error) {
	w, h := grey.Cols(), grey.Rows()
	scale := float64(max(w, h)) / float64(long)
	if scale <= 1 {
		return grey, 1, nil
	}
	small := s.Mat()
	// The same scale along both sides but for rounding, which refinement
	// undoes.
	err := cv.Resize(grey, small, max(1, int(float64(w)/scale)), max(1, int(float64(h)/scale)), gocv.InterpolationArea)
	return small, scale, err
}

func enlarged(corners []plane.Point, scale float64) []plane.Point {
	for i, p := range corners {
		// Pixel centres are whole numbers at both levels.
		corners[i] = plane.Point{X: (p.X+0.5)*scale - 0.5, Y: (p.Y+0.5)*scale - 0.5}
	}
	return corners
}

// refine moves corners that are right to about a pixel of size scale to where
// the edges meet; nil when one of them ran away.
func refine(grey *gocv.Mat, rough []plane.Point, scale float64) ([]plane.Point, error) {
	// A window of a third of the nearest neighbour's distance holds the edges
	// of one corner alone; 11 px are enough against noise.
	half := int(min(11*max(1, scale/2), max(2, nearest(rough)/3)))
	w, h := float64(grey.Cols()), float64(grey.Rows())
	for _, p := range rough {
		if !(p.X >= 0 && p.Y >= 0 && p.X < w && p.Y < h) {
			return nil, nil
		}
	}
	fine, err := cv.CornerSubPix(grey, rough, half)
	if err != nil {
		return nil, err
	}
	for i := range fine {
		// A corner that moved so far is not the one that was seen.
		if !fine[i].Finite() || fine[i].Sub(rough[i]).Norm() > float64(half) {
			return nil, nil
		}
	}
	return fine, nil
}

func nearest(points []plane.Point) float64 {
	best := math.Inf(1)
	for i := range points {
		for j := range i {
			best = min(best, points[i].Sub(points[j]).Norm())
		}
	}
	return best
}

// alternates reports whether the squares between a grid's corners, row by row,
// are light and dark in turn: the two kinds' means differ by six codes and by
// three times the scatter of their squares.
func alternates(img *frame.Image, corners []plane.Point, columns, rows int) bool {
	if len(corners) != columns*rows {
		return false
	}
	var sum, sq, n [2]float64
	for r := range rows - 1 {
		for c := range columns - 1 {
			i := r*columns + c
			at := corners[i].Add(corners[i+1]).Add(corners[i+columns]).Add(corners[i+columns+1]).Mul(0.25)
			// The middle ninth of the square.
			reach := max(1, int(corners[i].Sub(corners[i+1]).Norm()/6))
			light, count := 0.0, 0.0
			for y := int(at.Y) - reach; y <= int(at.Y)+reach; y++ {
				for x := int(at.X) - reach; x <= int(at.X)+reach; x++ {
					if x < 0 || y < 0 || x >= img.Width || y >= img.Height {
						continue
					}
					b, g, r := img.BGR(x, y)
					light += float64(b) + 2*float64(g) + float64(r)
					count += 4
				}
			}
			if count == 0 {
				continue
			}
			k := (r + c) % 2
			v := light / count
			sum[k], sq[k], n[k] = sum[k]+v, sq[k]+v*v, n[k]+1
		}
	}
	if n[0] < 2 || n[1] < 2 {
		return false
	}
	var mean, variance [2]float64
	for k := range mean {
		mean[k] = sum[k] / n[k]
		variance[k] = max(0, sq[k]/n[k]-mean[k]*mean[k])
	}
	apart := math.Abs(mean[0] - mean[1])
	// The scatter of a mean: uneven light makes squares of one kind differ.
	scatter := math.Sqrt(variance[0]/n[0] + variance[1]/n[1])
	return apart >= 6 && apart >= 3*scatter
}

// leastPart is how many corners in a grid show that a board is in view.
const leastPart = 12

// missing says what is seen instead of the board.
func missing(s *cv.Scope, grey *gocv.Mat, img *frame.Image, b Board) error {
	var columns, rows int
	var corners []plane.Point
	for _, long := range []int{quickLongPx, thoroughLongPx} {
		level, scale, err := reduced(s, grey, long)
		if err != nil {
			return err
		}
		c, r, found, err := cv.ChessboardPart(level)
		if err != nil {
			return err
		}
		if c*r > columns*rows {
			columns, rows, corners = c, r, enlarged(found, scale)
		}
		if columns*rows >= leastPart || scale == 1 {
			break
		}
	}
	// Noise alone makes a small grid now and then; it is not light and dark in
	// turn.
	if columns*rows < leastPart || !alternates(img, corners, columns, rows) {
		return &Rejected{Reason: NoBoard, Text: fmt.Sprintf("no board of %s inner corners is seen", b),
			Remedy: "show the whole board, flat, evenly lit and sharp"}
	}
	// An evenly lit board may be turned by 90 degrees.
	less := min(columns, rows) <= min(b.Columns, b.Rows) && max(columns, rows) <= max(b.Columns, b.Rows)
	if !less {
		return &Rejected{Reason: Partial, Text: fmt.Sprintf("a board of %d x %d inner corners is seen, not %s", columns, rows, b),
			Remedy: "count the corners where four squares meet and give their number with --board"}
	}
	where := "a part of it is covered, cut off or too dark to see"
	if at := cutSide(corners, columns, rows, img); at != "" {
		where = "it reaches out of the picture at the " + at
	}
	return &Rejected{Reason: Partial, Text: fmt.Sprintf("only %d x %d of the board's %s inner corners are seen: %s", columns, rows, b, where),
		Remedy: "keep the whole board with its white rim in the picture"}
}

// rimShare is how near to the picture's rim, in squares, a corner may lie: the
// edges that meet in it have to be seen on all four sides, over more than the
// blur and the window of refinement.
const rimShare = 0.25

// whole refuses a board that the picture's rim cuts so near to an inner corner
// that the corner is not seen from all sides.
func whole(c []plane.Point, b Board, img *frame.Image) error {
	least := rimShare * b.sidePx(c)
	name, count := "", 0
	for _, p := range c {
		d := least
		for _, s := range sidesOf(img, p) {
			if s.d < d {
				d, name = s.d, s.name
			}
		}
		if d < least {
			count++
		}
	}
	if count == 0 {
		return nil
	}
	return &Rejected{Reason: Partial, Text: fmt.Sprintf("the board reaches out of the picture at the %s, right beside %d of its inner corners", name, count),
		Remedy: "keep the whole board with its white rim in the picture"}
}

type side struct {
	d    float64 // px inside the picture
	name string
}

func sidesOf(img *frame.Image, p plane.Point) [4]side {
	return [4]side{{p.X, "left"}, {p.Y, "top"}, {float64(img.Width-1) - p.X, "right"}, {float64(img.Height-1) - p.Y, "bottom"}}
}

// cutSide names the side of the picture that is nearer to the seen corners
// than two squares, or nothing.
func cutSide(corners []plane.Point, columns, rows int, img *frame.Image) string {
	b := Board{Columns: columns, Rows: rows}
	reach := 2 * b.sidePx(corners)
	best, name := reach, ""
	for _, p := range corners {
		for _, s := range sidesOf(img, p) {
			if s.d < best {
				best, name = s.d, s.name
			}
		}
	}
	return name
}

// inOrder turns the order of corners such that columns run clockwise to rows
// (no mirror image), and of the half turns takes the one whose first corner
// is nearer to the top left. Detectors differ in this.
func inOrder(c []plane.Point, b Board) []plane.Point {
	q := b.outline(c)
	out := slices.Clone(c)
	if q.Area() < 0 {
		for r := range b.Rows {
			for k := range b.Columns {
				out[r*b.Columns+k] = c[r*b.Columns+b.Columns-1-k]
			}
		}
	}
	if first, last := out[0], out[len(out)-1]; first.X+first.Y > last.X+last.Y {
		slices.Reverse(out)
	}
	return out
}

// blurOfBoard measures the edges between the squares: the distance between
// their 20% and 80% points, which is 1.683 standard deviations of a Gaussian
// blur. Edges along rows and along columns are taken apart, the median of
// each, and the wider counts: a moved board is sharp along its way. NaN where
// too few edges can be read.
func blurOfBoard(img *frame.Image, b Board, c []plane.Point) float64 {
	at := func(col, row int) plane.Point { return c[row*b.Columns+col] }
	edge := func(p, q plane.Point) float64 {
		along := q.Sub(p)
		length := along.Norm()
		n := plane.Point{X: -along.Y, Y: along.X}.Mul(1 / length)
		return stepWidth(img, p.Add(along.Mul(0.3)), p.Add(along.Mul(0.7)), n, 0.4*length)
	}
	var alongRows, alongColumns []float64
	for r := range b.Rows {
		for k := range b.Columns {
			if k+1 < b.Columns {
				alongRows = append(alongRows, edge(at(k, r), at(k+1, r)))
			}
			if r+1 < b.Rows {
				alongColumns = append(alongColumns, edge(at(k, r), at(k, r+1)))
			}
		}
	}
	return max(middle(alongRows), middle(alongColumns)) / 1.683
}

// middle is the median of the numbers; NaN when fewer than three, or fewer
// than a third, are numbers.
func middle(v []float64) float64 {
	n := len(v)
	v = slices.DeleteFunc(slices.Clone(v), math.IsNaN)
	if len(v) < 3 || 3*len(v) < n {
		return math.NaN()
	}
	slices.Sort(v)
	return v[len(v)/2]
}

// stepWidth is the distance in px between the 20% and 80% points of the step
// across the segment p to q along the unit normal n, in linear light averaged
// along the segment; NaN when there is no clear step.
func stepWidth(img *frame.Image, p, q, n plane.Point, reach float64) float64 {
	const lines, perPx = 7, 4
	k := int(reach*perPx) + 1
	profile := make([]float64, 2*k+1)
	for l := range lines {
		o := p.Add(q.Sub(p).Mul((float64(l) + 0.5) / lines))
		for i := range profile {
			v, ok := lightAt(img, o.Add(n.Mul(float64(i-k)/perPx)))
			if !ok {
				return math.NaN()
			}
			profile[i] += v / lines
		}
	}
	// The two levels are those near the squares' middles.
	m := max(1, k/4)
	lo, hi := mean(profile[:m]), mean(profile[len(profile)-m:])
	// Of full white: less is a stain, not a square.
	if math.Abs(hi-lo) < 0.04 {
		return math.NaN()
	}
	cross := func(share float64) float64 {
		level := lo + share*(hi-lo)
		// From the middle outwards: the step is there.
		best := math.NaN()
		for i := 0; i+1 < len(profile); i++ {
			if (profile[i]-level)*(profile[i+1]-level) <= 0 && profile[i] != profile[i+1] {
				x := float64(i) + (level-profile[i])/(profile[i+1]-profile[i])
				if math.IsNaN(best) || math.Abs(x-float64(k)) < math.Abs(best-float64(k)) {
					best = x
				}
			}
		}
		return best
	}
	return math.Abs(cross(0.8)-cross(0.2)) / perPx
}

func mean(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += x
	}
	return s / float64(len(v))
}

// lightAt is the light at a place (0 to 1, Rec. 709 weights), bilinear; false
// outside the picture.
func lightAt(img *frame.Image, p plane.Point) (float64, bool) {
	rgb, ok := linearAt(img, p)
	return 0.2126*rgb[0] + 0.7152*rgb[1] + 0.0722*rgb[2], ok
}

// linearAt is the linear red, green and blue at a place, bilinear.
func linearAt(img *frame.Image, p plane.Point) (rgb [3]float64, ok bool) {
	x, y := int(math.Floor(p.X)), int(math.Floor(p.Y))
	if x < 0 || y < 0 || x+1 >= img.Width || y+1 >= img.Height {
		return rgb, false
	}
	fx, fy := p.X-float64(x), p.Y-float64(y)
	lin := colour.LinearTable()
	i := 3 * (y*img.Width + x)
	j := i + 3*img.Width
	for c := range 3 {
		k := 2 - c
		top := lin[img.Pix[i+k]]*(1-fx) + lin[img.Pix[i+3+k]]*fx
		bottom := lin[img.Pix[j+k]]*(1-fx) + lin[img.Pix[j+3+k]]*fx
		rgb[c] = top*(1-fy) + bottom*fy
	}
	return rgb, true
}
