package v4l2

import (
	"strings"
	"testing"
	"unicode"
)

// FuzzParse gives drivers' answers of any content to the parsers.
func FuzzParse(f *testing.F) {
	f.Add(make([]byte, 256))
	f.Add([]byte(strings.Repeat("\xff", 256)))
	f.Add(putFormat(Format{FourCC: MJPG, Width: 1920, Height: 1080}))
	f.Add(putRate(29.97))
	f.Add([]byte("\u0080")) // a control character beyond ASCII
	f.Fuzz(func(t *testing.T, data []byte) {
		b := make([]byte, 256) // the kernel writes whole structures
		copy(b, data)
		clean := func(s string) {
			if strings.ContainsFunc(s, unicode.IsControl) {
				t.Errorf("%q would reach a terminal", s)
			}
		}
		c := parseCapability(b)
		clean(c.Driver + c.Card + c.Bus)
		d := parseFmtDesc(b)
		clean(d.Description + d.FourCC.String())
		if s, _, ok := parseFrmSize(b); ok {
			w, h := s.Fit(1920, 1080)
			if w < s.MinWidth || w > s.MaxWidth || h < s.MinHeight || h > s.MaxHeight {
				t.Errorf("%+v fits %d x %d", s, w, h)
			}
		}
		if r, _, ok := parseFrmIval(b); ok && (r.Min <= 0 || r.Max > 10_000 || r.Min > r.Max) {
			t.Errorf("%+v", r)
		}
		if r := parseRate(b); r < 0 || r > 10_000 {
			t.Errorf("%g frames a second", r)
		}
		if p := parseFormat(b); p.Width < 0 || p.Height < 0 || p.BytesPerLine < 0 || p.SizeImage < 0 {
			t.Errorf("%+v", p)
		}
		q := parseQueryCtrl(b)
		clean(q.Name)
		if u := parseBuffer(b); u.index < 0 || u.used < 0 || u.length < 0 || u.Clock < 0 {
			t.Errorf("%+v", u)
		}
	})
}

func TestRate(t *testing.T) {
	for _, fps := range []float64{5, 15, 29.97, 30, 60} {
		b := putRate(fps)
		put(b, 4, capTimePerFrame) // the driver says that it can
		if got := parseRate(b); got < fps-0.001 || got > fps+0.001 {
			t.Errorf("%g became %g", fps, got)
		}
		put(b, 4, 0)
		if got := parseRate(b); got != 0 {
			t.Errorf("a driver that has no say in it says %g", got)
		}
	}
}
