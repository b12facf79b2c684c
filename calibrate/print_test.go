package calibrate_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/color"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"fairdeck/calibrate"
	"fairdeck/vision/frame"
	"fairdeck/vision/plane"
)

var pdfRect = regexp.MustCompile(`(?m)^([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+) re$`)

// TestSheetInPDFUnits reads the numbers back from the page.
func TestSheetInPDFUnits(t *testing.T) {
	const mm = 72 / 25.4
	for _, paper := range calibrate.Papers() {
		s, err := calibrate.NewSheet(calibrate.Board{}, paper)
		if err != nil {
			t.Fatal(err)
		}
		pdf := s.PDF()
		box := fmt.Sprintf("/MediaBox [0 0 %.4f %.4f]", s.WidthMM*mm, s.HeightMM*mm)
		if !bytes.Contains(pdf, []byte(box)) {
			t.Errorf("%s: no %s", paper.Name, box)
		}
		squares, rulers := 0, map[string]int{}
		for _, m := range pdfRect.FindAllSubmatch(pdf, -1) {
			var v [4]float64
			for i := range v {
				if v[i], err = strconv.ParseFloat(string(m[i+1]), 64); err != nil {
					t.Fatal(err)
				}
			}
			if v[0] < 5*mm || v[1] < 5*mm || v[0]+v[2] > (s.WidthMM-5)*mm || v[1]+v[3] > (s.HeightMM-5)*mm {
				t.Errorf("%s: a shape at %v reaches where printers do not print", paper.Name, v)
			}
			switch {
			case math.Abs(v[2]-25*mm) < 1e-3 && math.Abs(v[3]-25*mm) < 1e-3:
				squares++
			case math.Abs(v[2]-100*mm) < 1e-3:
				rulers["across"]++
			case math.Abs(v[3]-100*mm) < 1e-3:
				rulers["down"]++
			}
		}
		if squares != 35 || rulers["across"] != 1 || rulers["down"] != 1 {
			t.Errorf("%s: %d dark squares, rulers %v", paper.Name, squares, rulers)
		}
		// The table of objects points at objects.
		at := bytes.LastIndex(pdf, []byte("startxref\n"))
		start, err := strconv.Atoi(strings.Fields(string(pdf[at:]))[1])
		if err != nil || !bytes.HasPrefix(pdf[start:], []byte("xref\n")) {
			t.Fatalf("startxref %d: %v", start, err)
		}
		for i, line := range strings.Split(string(pdf[start:]), "\n")[3:9] {
			off, err := strconv.Atoi(line[:10])
			if err != nil || !bytes.HasPrefix(pdf[off:], []byte(fmt.Sprintf("%d 0 obj", i+1))) {
				t.Errorf("object %d is not at %q", i+1, line)
			}
		}
	}
}

func TestSheetSVG(t *testing.T) {
	s, err := calibrate.NewSheet(calibrate.Board{}, calibrate.Papers()[0])
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Width  string `xml:"width,attr"`
		Height string `xml:"height,attr"`
		Rects  []struct {
			X float64 `xml:"x,attr"`
			W float64 `xml:"width,attr"`
		} `xml:"rect"`
	}
	if err := xml.Unmarshal(s.SVG(), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Width != "297mm" || doc.Height != "210mm" {
		t.Errorf("%s x %s", doc.Width, doc.Height)
	}
	long := 0
	for _, r := range doc.Rects {
		if r.W == 100 {
			long++
		}
	}
	if long != 1 {
		t.Errorf("%d rulers of 100", long)
	}
}

func TestSheetFitsOrSays(t *testing.T) {
	if _, err := calibrate.NewSheet(calibrate.Board{Columns: 9, Rows: 6, SquareMM: 40}, calibrate.Papers()[0]); err == nil || !strings.Contains(err.Error(), "do") {
		t.Errorf("400 mm on A4: %v", err)
	}
	for _, b := range []calibrate.Board{{Columns: 5, Rows: 8, SquareMM: 25}, {Columns: 3, Rows: 4, SquareMM: 12}, {Columns: 11, Rows: 8, SquareMM: 20}} {
		for _, p := range calibrate.Papers() {
			if _, err := calibrate.NewSheet(b, p); err != nil {
				t.Errorf("%v on %s: %v", b, p.Name, err)
			}
		}
	}
	if b, err := (calibrate.Board{}).Printed(97); err != nil || math.Abs(b.SquareMM-24.25) > 1e-9 {
		t.Errorf("%v %v", b, err)
	}
	if _, err := (calibrate.Board{}).Printed(25); err == nil {
		t.Error("a ruler of 25 mm was accepted")
	}
}

// TestPrintedBoard renders the page by another program and looks at it with
// the board finder: the squares have their size.
func TestPrintedBoard(t *testing.T) {
	tool, err := exec.LookPath("pdftoppm")
	if err != nil {
		t.Skip("pdftoppm is not installed (Debian: poppler-utils)")
	}
	const dpi = 150
	for _, paper := range calibrate.Papers() {
		s, err := calibrate.NewSheet(calibrate.Board{}, paper)
		if err != nil {
			t.Fatal(err)
		}
		base := filepath.Join(t.TempDir(), "board")
		if err := os.WriteFile(base+".pdf", s.PDF(), 0o644); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(tool, "-png", "-singlefile", "-r", fmt.Sprint(dpi), base+".pdf", base).CombinedOutput(); err != nil || len(out) > 0 {
			t.Fatalf("%v: %s", err, out)
		}
		f, err := os.Open(base + ".png")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		pic, err := png.Decode(f)
		if err != nil {
			t.Fatal(err)
		}
		img := frame.FromImage(pic)
		v, err := calibrate.FindBoard(img, calibrate.Board{})
		if err != nil {
			t.Fatal(err)
		}
		const mm = dpi / 25.4
		for i, c := range v.Corners {
			want := plane.Point{X: (s.BoardX+25*float64(i%9+1))*mm - 0.5, Y: (s.BoardY+25*float64(i/9+1))*mm - 0.5}
			if c.Sub(want).Norm() > 0.5 { // px of 0.17 mm
				t.Fatalf("%s: corner %d at %v, want %v", paper.Name, i, c, want)
			}
		}
		// The ruler, measured in the picture.
		y := int((s.BoardY+175+4+0.17)*mm - 0.5)
		dark := func(x int) bool { return color.GrayModel.Convert(pic.At(x, y)).(color.Gray).Y < 128 }
		x0 := int((s.BoardX - 1) * mm)
		for !dark(x0) && x0 < img.Width-1 {
			x0++
		}
		x1 := x0
		for dark(x1) && x1 < img.Width-1 {
			x1++
		}
		if got := float64(x1-x0) / mm; math.Abs(got-s.Board.RulerMM()) > 0.25 {
			t.Errorf("%s: the ruler is %.2f mm long", paper.Name, got)
		}
	}
}
