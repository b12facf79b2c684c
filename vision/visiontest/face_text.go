package visiontest

import (
	"image"
	"image/draw"
	"math"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goitalic"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// lettering is what is printed in letters on a face: coverage of ink at the
// texture's resolution, one layer for each colour.
type lettering struct {
	pxPerMM float64
	mask    *image.Alpha
	colour  [3]float64
}

// typeface is one of the fonts that come with x/image (the Go fonts, BSD
// licence): their letters differ as little as those of real cards.
type typeface int

const (
	regular typeface = iota
	bold
	italic
)

var parsed = sync.OnceValue(func() (out [3]*opentype.Font) {
	for i, data := range [][]byte{goregular.TTF, gobold.TTF, goitalic.TTF} {
		f, err := opentype.Parse(data)
		if err != nil {
			panic("visiontest: a font of x/image cannot be read: " + err.Error())
		}
		out[i] = f
	}
	return out
})

// write sets text with its baseline at (x, y) mm; size is the em in mm. Text
// longer than fit is set smaller. It returns the width in mm.
func (l *lettering) write(text string, tf typeface, x, y, size, fit float64) float64 {
	for {
		f, err := opentype.NewFace(parsed()[tf], &opentype.FaceOptions{Size: size * l.pxPerMM, DPI: 72, Hinting: font.HintingNone})
		if err != nil {
			panic("visiontest: " + err.Error()) // the size is ours
		}
		wide := float64(font.MeasureString(f, text)) / 64 / l.pxPerMM
		if fit > 0 && wide > fit {
			size *= fit / wide * 0.999
			continue
		}
		d := font.Drawer{Dst: l.mask, Src: image.Opaque, Face: f, Dot: fixed.Point26_6{X: fix(x * l.pxPerMM), Y: fix(y * l.pxPerMM)}}
		d.DrawString(text)
		return wide
	}
}

func fix(v float64) fixed.Int26_6 { return fixed.Int26_6(math.Round(v * 64)) }

func newLettering(w, h int, pxPerMM float64, colour [3]float64) *lettering {
	l := &lettering{pxPerMM: pxPerMM, mask: image.NewAlpha(image.Rect(0, 0, w, h)), colour: colour}
	draw.Draw(l.mask, l.mask.Rect, image.Transparent, image.Point{}, draw.Src)
	return l
}
