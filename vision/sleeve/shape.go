package sleeve

import (
	"math"
	"strings"
)

// Shape is a difference of outline and print, in mm, of a group's usual sleeve
// from group A's. Uncertainties are standard ones, for one side.
//
// The scale comes from the nominal size of the sleeves: where that is wrong by
// 1%, so are the differences. Where height over the table may explain a part
// of the size, it is in the figures.
type Shape struct {
	WidthMM     float64 `json:"width_mm"`  // wider (positive) or narrower
	HeightMM    float64 `json:"height_mm"` // higher or lower
	SizeSigmaMM float64 `json:"size_sigma_mm"`

	PrintRightMM float64 `json:"print_right_mm"` // print against the outline
	PrintDownMM  float64 `json:"print_down_mm"`
	PrintSigmaMM float64 `json:"print_sigma_mm"` // 0: there is no print to tell by
}

// describeShape adds the outline to what a batch differs in.
func (d *deck) describeShape(g *Group, main, part []int) {
	dw, dh, sigma := d.cutBetween(main, part)
	s := &Shape{WidthMM: dw, HeightMM: dh, SizeSigmaMM: sigma}
	if d.printed {
		s.PrintRightMM, s.PrintDownMM, s.PrintSigmaMM = d.printBetween(main, part)
	}
	sized := false
	for _, asp := range d.cutAspects() {
		var second []bool
		both := append(append([]int{}, main...), part...)
		var x [][]float64
		for i, k := range both {
			second = append(second, i >= len(main))
			x = append(x, asp.at(d.plates[k]))
		}
		sized = sized || differs(x, second, asp.least) && (asp.confirm == nil || asp.confirm(both, second))
	}
	if sized && sigma > 0 && math.Max(math.Abs(dw), math.Abs(dh)) > 4*sigma {
		if g.What != "" {
			g.What += ", "
		}
		g.What += "size"
	}
	if strings.Contains(g.What, "size") || strings.Contains(g.What, "print offset") {
		g.Shape = s
	}
}

// visibility is what a person sees of it on a group of n sleeves; empty for no
// shape. A size of up to fewOdd sleeves is listed and accuses nobody: a line of
// the table that runs along a side and looks like it may have been taken for
// the edge, which does not happen to many sleeves by the same amount.
func (s *Shape) visibility(what string, n int) Visibility {
	if s == nil {
		return ""
	}
	v := CameraOnly
	if strings.Contains(what, "size") && n > fewOdd {
		v = graded(math.Max(math.Abs(s.WidthMM), math.Abs(s.HeightMM)), visibleSizeMM, obviousSizeMM)
	}
	if strings.Contains(what, "print offset") {
		if p := graded(math.Hypot(s.PrintRightMM, s.PrintDownMM), visiblePrintMM, obviousPrintMM); p.Rank() > v.Rank() {
			v = p
		}
	}
	return v
}
