package calibrate

import (
	"fmt"
	"strings"
)

// Paper is a sheet to print on.
type Paper struct {
	Name              string
	WidthMM, HeightMM float64 // upright
}

// Papers are the sheets that a board is printed on: ISO 216 A4 and ANSI
// Letter.
func Papers() []Paper {
	return []Paper{{"a4", 210, 297}, {"letter", 215.9, 279.4}}
}

// PaperNamed finds a sheet by its name.
func PaperNamed(name string) (Paper, error) {
	var names []string
	for _, p := range Papers() {
		if strings.EqualFold(p.Name, name) {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return Paper{}, fmt.Errorf("a paper %q: want %s", name, strings.Join(names, " or "))
}

// Sheet is a board on paper: shapes in millimetres from the top left.
type Sheet struct {
	Board             Board
	Paper             Paper
	WidthMM, HeightMM float64 // as it lies before the reader
	BoardX, BoardY    float64 // top-left corner of the board's first square

	rects []rectShape
	texts []textShape
}

type rectShape struct{ x, y, w, h float64 }

type textShape struct {
	x, y, size float64 // left end of the base line; height of a capital is about 0.7 size
	text       string
}

const (
	printMarginMM = 7   // what most printers leave white
	rulerMM       = 100 // long enough to see half a percent with a ruler
	rulerRoomMM   = 15  // beside the board, for ruler and text
)

// NewSheet lays a board out, turned such that it fits; it fails when it is too
// large for the paper.
func NewSheet(b Board, paper Paper) (*Sheet, error) {
	b = b.withDefaults()
	if err := b.valid(); err != nil {
		return nil, err
	}
	w, h := float64(b.Columns+1)*b.SquareMM, float64(b.Rows+1)*b.SquareMM
	s := &Sheet{Board: b, Paper: paper, WidthMM: paper.WidthMM, HeightMM: paper.HeightMM}
	fits := func() bool {
		return w+2*rulerRoomMM-2 <= s.WidthMM && h+printMarginMM+printMarginMM+rulerRoomMM <= s.HeightMM
	}
	if !fits() {
		s.WidthMM, s.HeightMM = paper.HeightMM, paper.WidthMM
	}
	if !fits() {
		most := max(min((paper.HeightMM-2*rulerRoomMM+2)/float64(b.Columns+1), (paper.WidthMM-2*printMarginMM-rulerRoomMM)/float64(b.Rows+1)),
			min((paper.WidthMM-2*rulerRoomMM+2)/float64(b.Columns+1), (paper.HeightMM-2*printMarginMM-rulerRoomMM)/float64(b.Rows+1)))
		return nil, fmt.Errorf("a board of %d x %d squares of %g mm does not fit on %s; squares up to %.0f mm do", b.Columns+1, b.Rows+1, b.SquareMM, paper.Name, most-0.5)
	}
	s.BoardX = (s.WidthMM - w) / 2
	s.BoardY = (s.HeightMM - h - rulerRoomMM) / 2
	for r := range b.Rows + 1 {
		for c := range b.Columns + 1 {
			if (r+c)%2 == 0 {
				s.rects = append(s.rects, rectShape{s.BoardX + float64(c)*b.SquareMM, s.BoardY + float64(r)*b.SquareMM, b.SquareMM, b.SquareMM})
			}
		}
	}
	s.rulers(h)
	return s, nil
}

// rulers draws 100 mm below the board and beside it: a printer may stretch the
// two directions differently.
func (s *Sheet) rulers(boardHeight float64) {
	x0, y := s.BoardX, s.BoardY+boardHeight+4
	length := s.Board.RulerMM()
	s.ruler(x0, y, length, true)
	up := 10 * float64(int(min(rulerMM, boardHeight)/10))
	s.ruler(s.BoardX-4, s.BoardY, up, false)
	s.texts = append(s.texts,
		textShape{x0 + length + 4, y + 2.6, 3, fmt.Sprintf("fairdeck board %s, squares of %g mm (%s)", s.Board, s.Board.SquareMM, s.Paper.Name)},
		textShape{x0 + length + 4, y + 6.4, 2.4, "Print at 100 % (\"actual size\"), glue to something flat and stiff."},
		textShape{x0, y + 10.2, 2.4, fmt.Sprintf("The two rulers are %g and %g mm long. Measured otherwise? Give the lower one's length with --ruler.", length, up)})
	if x0+length+4 > s.WidthMM-60 {
		// A narrow board: the words go below the ruler.
		s.texts[0].x, s.texts[0].y = x0, y+13.2
		s.texts = append(s.texts[:1], s.texts[2:]...)
	}
}

// ruler draws a line with a stroke every 10 mm and a longer one at its ends,
// whose outer edges are the ruler's length apart.
func (s *Sheet) ruler(x, y, length float64, across bool) {
	const line = 0.35 // mm: seen by any printer
	add := func(u, v, du, dv float64) {
		if across {
			s.rects = append(s.rects, rectShape{x + u, y + v, du, dv})
		} else {
			s.rects = append(s.rects, rectShape{x - v - dv, y + u, dv, du})
		}
	}
	add(0, 0, length, line)
	for mm := 0.0; mm <= length; mm += 10 {
		long := 2.0
		if mm == 0 || mm == length {
			long = 4
		}
		at := mm - line/2
		at = min(max(at, 0), length-line)
		add(at, 0, line, long)
	}
}

// RulerMM is the length of the lower ruler on a printed sheet of this board.
func (b Board) RulerMM() float64 {
	b = b.withDefaults()
	return 10 * float64(int(min(rulerMM, float64(b.Columns+1)*b.SquareMM)/10))
}

// Printed is the board as it came out of the printer, when its lower ruler
// measures so many millimetres.
func (b Board) Printed(measuredMM float64) (Board, error) {
	b = b.withDefaults()
	nominal := b.RulerMM()
	// A printer that fits to the page is off by 3 to 6 %; more is another
	// line that was measured.
	if !within(measuredMM, 0.8*nominal, 1.2*nominal) {
		return Board{}, fmt.Errorf("a ruler of %g mm measures %g mm: measure between the outer edges of its end strokes", nominal, measuredMM)
	}
	b.SquareMM *= measuredMM / nominal
	return b, nil
}

// SVG is the sheet as a picture with its size in millimetres.
func (s *Sheet) SVG() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%gmm" height="%gmm" viewBox="0 0 %g %g">`+"\n", s.WidthMM, s.HeightMM, s.WidthMM, s.HeightMM)
	fmt.Fprintf(&b, "<title>fairdeck board %s, squares of %g mm</title>\n", s.Board, s.Board.SquareMM)
	fmt.Fprintf(&b, `<rect width="%g" height="%g" fill="#fff"/>`+"\n", s.WidthMM, s.HeightMM)
	for _, r := range s.rects {
		fmt.Fprintf(&b, `<rect x="%.4f" y="%.4f" width="%.4f" height="%.4f"/>`+"\n", r.x, r.y, r.w, r.h)
	}
	for _, t := range s.texts {
		fmt.Fprintf(&b, `<text x="%.3f" y="%.3f" font-family="Helvetica, Arial, sans-serif" font-size="%.2f">%s</text>`+"\n", t.x, t.y, t.size, strings.ReplaceAll(t.text, "&", "&amp;"))
	}
	b.WriteString("</svg>\n")
	return []byte(b.String())
}

// pointMM is a PDF point in millimetres: 1/72 inch.
const pointMM = 25.4 / 72

// PDF is the sheet as a page of PDF 1.4 (ISO 32000-1) that asks viewers not to
// scale it when printing.
func (s *Sheet) PDF() []byte {
	var c strings.Builder
	c.WriteString("0 g\n")
	for _, r := range s.rects {
		fmt.Fprintf(&c, "%.4f %.4f %.4f %.4f re\n", r.x/pointMM, (s.HeightMM-r.y-r.h)/pointMM, r.w/pointMM, r.h/pointMM)
	}
	c.WriteString("f\n")
	for _, t := range s.texts {
		escaped := strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(t.text)
		fmt.Fprintf(&c, "BT /F1 %.3f Tf %.4f %.4f Td (%s) Tj ET\n", t.size/pointMM, t.x/pointMM, (s.HeightMM-t.y)/pointMM, escaped)
	}
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R /ViewerPreferences << /PrintScaling /None >> >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %.4f %.4f] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>", s.WidthMM/pointMM, s.HeightMM/pointMM),
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", c.Len()+1, c.String()),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
		fmt.Sprintf("<< /Title (fairdeck board %s, squares of %g mm) /Producer (fairdeck) >>", s.Board, s.Board.SquareMM),
	}
	var b strings.Builder
	b.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
	offsets := make([]int, len(objects))
	for i, o := range objects {
		offsets[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R /Info 6 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, start)
	return []byte(b.String())
}
