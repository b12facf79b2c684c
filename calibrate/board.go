package calibrate

import (
	"fmt"
	"math"
	"regexp"
	"strconv"

	"fairdeck/vision/plane"
)

// Board is a chessboard. The zero value is the board that fairdeck prints: 9
// x 6 inner corners with squares of 25 mm.
type Board struct {
	Columns  int     `json:"columns"` // inner corners in a row
	Rows     int     `json:"rows"`    // rows of inner corners
	SquareMM float64 `json:"square_mm"`
}

// DefaultBoard is the board that is printed when nothing else is asked for.
// One number is even and the other odd, so that the board looks different
// after half a turn and its corners have one order only.
func DefaultBoard() Board { return Board{Columns: 9, Rows: 6, SquareMM: 25} }

func (b Board) withDefaults() Board {
	d := DefaultBoard()
	if b.Columns == 0 && b.Rows == 0 {
		b.Columns, b.Rows = d.Columns, d.Rows
	}
	if b.SquareMM == 0 {
		b.SquareMM = d.SquareMM
	}
	return b
}

// Limits of a board: fewer corners do not fix a lens; more are not printed.
const (
	minBoardSide, maxBoardSide = 3, 50
	minSquareMM, maxSquareMM   = 1, 200
)

func (b Board) valid() error {
	switch {
	case b.Columns < minBoardSide || b.Rows < minBoardSide || b.Columns > maxBoardSide || b.Rows > maxBoardSide:
		return fmt.Errorf("a board of %d x %d inner corners: want %d x %d to %d x %d", b.Columns, b.Rows, minBoardSide, minBoardSide, maxBoardSide, maxBoardSide)
	case !(b.SquareMM >= minSquareMM && b.SquareMM <= maxSquareMM):
		return fmt.Errorf("squares of %g mm: want %d to %d mm", b.SquareMM, minSquareMM, maxSquareMM)
	}
	return nil
}

func (b Board) String() string { return fmt.Sprintf("%dx%d", b.Columns, b.Rows) }

var boardPattern = regexp.MustCompile(`^(\d{1,3})[xX×](\d{1,3})$`)

// ParseBoard reads the number of inner corners, such as "9x6".
func ParseBoard(s string) (columns, rows int, err error) {
	m := boardPattern.FindStringSubmatch(s)
	if m == nil {
		return 0, 0, fmt.Errorf("%q is not a board: want inner corners such as 9x6 (a board of 10 x 7 squares)", s)
	}
	// The pattern admits three digits.
	columns, _ = strconv.Atoi(m[1])
	rows, _ = strconv.Atoi(m[2])
	return columns, rows, Board{columns, rows, 25}.valid()
}

// corners are the inner corners in the board's plane, row by row, mm; the
// first at the origin.
func (b Board) corners() []plane.Point {
	out := make([]plane.Point, 0, b.Columns*b.Rows)
	for r := range b.Rows {
		for c := range b.Columns {
			out = append(out, plane.Point{X: float64(c) * b.SquareMM, Y: float64(r) * b.SquareMM})
		}
	}
	return out
}

// outline is the quadrilateral of the four outermost inner corners.
func (b Board) outline(corners []plane.Point) plane.Quad {
	n := b.Columns * b.Rows
	return plane.Quad{corners[0], corners[b.Columns-1], corners[n-1], corners[n-b.Columns]}
}

// sidePx is the typical side of a square as seen.
func (b Board) sidePx(corners []plane.Point) float64 {
	a := math.Abs(b.outline(corners).Area())
	return math.Sqrt(a / float64((b.Columns-1)*(b.Rows-1)))
}
