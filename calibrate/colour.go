package calibrate

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"fairdeck/vision/colour"
	"fairdeck/vision/frame"
	"fairdeck/vision/plane"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
)

// Colour is how the camera's colours become true ones, in linear light.
type Colour struct {
	Evidence
	From string `json:"from"` // sheet or chart

	// Gains multiply red, green and blue such that white is white; green's is
	// 1.
	Gains [3]float64 `json:"gains"`

	// Matrix, when there was a chart, takes the camera's red, green and blue
	// to those of sRGB, the white balance included; rows are the results.
	Matrix *[3][3]float64 `json:"matrix,omitempty"`

	// Differences of the 24 patches from the chart's true colours (CIEDE2000,
	// exposure taken out), before any correction, with the gains, and with the
	// matrix: mean and largest.
	Before *Differences `json:"before,omitempty"`
	Gained *Differences `json:"with_gains,omitempty"`
	After  *Differences `json:"with_matrix,omitempty"`

	// LeftOut is the mean difference of each patch under a matrix fitted to
	// the others: what the matrix is worth for colours it has not seen.
	LeftOut float64 `json:"left_out,omitempty"`
}

// Differences are colour differences over the 24 patches, ΔE2000.
type Differences struct {
	Mean  float64 `json:"mean"`
	Worst float64 `json:"worst"`
	Patch string  `json:"patch"` // the worst
}

func (c *Colour) valid() error {
	if c == nil {
		return nil
	}
	for _, g := range c.Gains {
		if !within(g, 0.05, 20) {
			return fmt.Errorf("a colour gain of %g", g)
		}
	}
	if c.Matrix != nil {
		for _, row := range c.Matrix {
			for _, v := range row {
				if !within(v, -20, 20) {
					return fmt.Errorf("a colour matrix with %g", v)
				}
			}
		}
	}
	return nil
}

func (c *Colour) matrix() [3][3]float64 {
	if c.Matrix != nil {
		return *c.Matrix
	}
	return diagonal(c.Gains)
}

func diagonal(g [3]float64) [3][3]float64 {
	return [3][3]float64{{g[0], 0, 0}, {0, g[1], 0}, {0, 0, g[2]}}
}

// ColourOptions of a colour calibration; the zero value takes a chart where
// one is seen and a white sheet otherwise.
type ColourOptions struct {
	Edition Edition // of the chart; empty: [Since2014]
	White   bool    // the pictures show a white sheet; no chart is sought
	Chart   bool    // the pictures show a chart; without one they are refused

	// Corners, when not zero, are the centres of the chart's corner patches
	// in px: dark skin, bluish green, black, white.
	Corners plane.Quad
}

// ColourCalibration collects patches or sheets over frames.
type ColourCalibration struct {
	opt      ColourOptions
	profile  *Profile
	truth    [24][3]float64
	charts   []*Chart
	sheets   [][3]float64
	rejected []Rejected
}

// NewColour begins a colour calibration. The profile's flat field, where it
// has one, is taken out first; profile may be nil.
func NewColour(profile *Profile, o ColourOptions) (*ColourCalibration, error) {
	truth, err := ChartColours(o.Edition)
	if err != nil {
		return nil, err
	}
	if o.White && (o.Chart || o.Corners != (plane.Quad{})) {
		return nil, errors.New("colour: a white sheet and a chart exclude each other")
	}
	if profile == nil {
		profile = &Profile{}
	}
	return &ColourCalibration{opt: o, profile: profile, truth: truth}, nil
}

// ColourFeedback is what one frame brought.
type ColourFeedback struct {
	Rejected *Rejected
	Chart    *Chart      // when one was found
	White    *[3]float64 // linear light of the sheet, otherwise
}

// Add measures one frame.
func (c *ColourCalibration) Add(name string, img *frame.Image) (ColourFeedback, error) {
	if img.Empty() || !img.Valid() {
		return ColourFeedback{}, errors.New("colour: the picture has no pixels")
	}
	f, err := c.look(img)
	var r *Rejected
	if errors.As(err, &r) {
		r.Name = name
		c.rejected = append(c.rejected, *r)
		return ColourFeedback{Rejected: r}, nil
	}
	return f, err
}

func (c *ColourCalibration) look(img *frame.Image) (ColourFeedback, error) {
	// Saturation is judged before the flat field touches the codes.
	even, err := c.profile.ApplyFlat(img)
	if err != nil {
		return ColourFeedback{}, err
	}
	if !c.opt.White {
		var ch *Chart
		if c.opt.Corners != (plane.Quad{}) {
			ch, err = ChartFromCorners(even, c.opt.Corners)
		} else {
			ch, err = FindChart(even)
		}
		var r *Rejected
		switch {
		case err == nil:
			if ch.ClippedShare > 0.02 {
				return ColourFeedback{}, &Rejected{Reason: Overexposed, Text: fmt.Sprintf("%.0f %% of a patch of the chart is saturated", 100*ch.ClippedShare), Remedy: "expose less, or turn the chart so that the lamp does not mirror in it"}
			}
			c.charts = append(c.charts, ch)
			return ColourFeedback{Chart: ch}, nil
		case !errors.As(err, &r) || c.opt.Chart || c.opt.Corners != (plane.Quad{}):
			return ColourFeedback{}, err
		}
	}
	return c.sheet(img, even)
}

// sheet takes the middle third of the frame for white.
func (c *ColourCalibration) sheet(img, even *frame.Image) (ColourFeedback, error) {
	if img.Width < blockColumns*leastBlockPx || img.Height < blockRows*leastBlockPx {
		return ColourFeedback{}, &Rejected{Reason: TooSmall, Text: fmt.Sprintf("a picture of %d x %d pixels is too small", img.Width, img.Height), Remedy: "use the camera's full resolution"}
	}
	raw, b := blocksOf(img), blocksOf(even)
	var white [3]float64
	var light []float64
	n := 0.0
	for k := range b.light {
		if x, y := blockPlace(k); math.Abs(x) < 1.0/3 && math.Abs(y) < 1.0/3 {
			for ch := range 3 {
				white[ch] += b.light[k][ch]
			}
			light = append(light, b.light[k][1])
			n++
		}
	}
	for ch := range white {
		white[ch] /= n
	}
	switch {
	case raw.clipped > 0.02:
		return ColourFeedback{}, &Rejected{Reason: Overexposed, Text: fmt.Sprintf("%.0f %% of the pixels are saturated", 100*raw.clipped), Remedy: "expose less, until the sheet is light grey in the picture"}
	case white[1] < leastSheet:
		return ColourFeedback{}, &Rejected{Reason: Underexposed, Text: fmt.Sprintf("the middle of the picture is too dark to be a white sheet: %.0f %% of full light", 100*white[1]), Remedy: "fill the picture with white paper and expose it to light grey"}
	case spread(light) > 0.08*white[1]:
		return ColourFeedback{}, &Rejected{Reason: Uneven, Text: "the middle of the picture is not even", Remedy: "fill the picture with white paper, or show a colour chart"}
	}
	c.sheets = append(c.sheets, white)
	return ColourFeedback{White: &white}, nil
}

// Solve works out gains, and a matrix where charts were seen. It fails when no
// picture was of use.
func (c *ColourCalibration) Solve() (*Colour, error) {
	out := &Colour{}
	out.Rejected = slices.Clone(c.rejected)
	switch {
	case len(c.charts) > 0:
		out.From = "chart"
		c.fromCharts(out)
	case len(c.sheets) > 0:
		out.From = "sheet"
		var w [3]float64
		for _, s := range c.sheets {
			for ch := range w {
				w[ch] += s[ch] / float64(len(c.sheets))
			}
		}
		out.Gains = [3]float64{w[1] / w[0], 1, w[1] / w[2]}
	case len(c.rejected) > 0:
		return nil, fmt.Errorf("no picture is of use: %w", &c.rejected[len(c.rejected)-1])
	default:
		return nil, errors.New("no picture was given")
	}
	if lo, hi := slices.Min(out.Gains[:]), slices.Max(out.Gains[:]); hi > 1.5*lo {
		out.Warnings = append(out.Warnings, fmt.Sprintf("white is far from white in the camera's pictures (gains %.2f, 1, %.2f): set its white balance to the lamp and lock it", out.Gains[0], out.Gains[2]))
	}
	if err := out.valid(); err != nil {
		return nil, fmt.Errorf("the pictures give no white balance: %w", err)
	}
	return out, nil
}

// fromCharts averages the charts and fits.
func (c *ColourCalibration) fromCharts(out *Colour) {
	var seen [24][3]float64
	for _, ch := range c.charts {
		for k := range seen {
			for i := range 3 {
				seen[k][i] += ch.Colours[k][i] / float64(len(c.charts))
			}
		}
	}
	// White balance by the three neutrals that are neither near saturation nor
	// near black, through the origin.
	neutrals := []int{19, 20, 21}
	var gain [3]float64
	for i := range 3 {
		var st, ss float64
		for _, k := range neutrals {
			st += seen[k][i] * c.truth[k][i]
			ss += seen[k][i] * seen[k][i]
		}
		gain[i] = st / ss
	}
	out.Gains = [3]float64{gain[0] / gain[1], 1, gain[2] / gain[1]}
	// The chart at the exposure of the picture: gains and matrix leave the
	// brightness of grey alone.
	truth := c.truth
	for k := range truth {
		for i := range 3 {
			truth[k][i] /= gain[1]
		}
	}
	compare := func(m [3][3]float64) *Differences { return differences(m, &seen, &truth, gain[1]) }
	out.Before, out.Gained = compare(diagonal([3]float64{1, 1, 1})), compare(diagonal(out.Gains))
	m := fitMatrix(&seen, &truth, gain[1], out.Gains, -1)
	out.Matrix, out.After = &m, compare(m)
	for k := range seen {
		part := fitMatrix(&seen, &truth, gain[1], out.Gains, k)
		out.LeftOut += deltaE(part, seen[k], truth[k], gain[1]) / 24
	}
	c.warn(out, &seen, gain[1])
}

func (c *ColourCalibration) warn(out *Colour, seen *[24][3]float64, gain float64) {
	if out.After.Mean > 4 {
		out.Warnings = append(out.Warnings, fmt.Sprintf("with the matrix the patches are still off by ΔE %.1f on average: the camera's own picture style (contrast, saturation) may be on, or the chart is old or glossy; switch the style to neutral", out.After.Mean))
	}
	// Greys that are too dark or too light show a tone curve that is not sRGB.
	for _, k := range []int{19, 21, 22} {
		want := colour.ToLab(c.truth[k][0], c.truth[k][1], c.truth[k][2]).L
		g := seen[k][1] * gain
		got := colour.ToLab(g, g, g).L
		if math.Abs(got-want) > 5 {
			out.Warnings = append(out.Warnings, fmt.Sprintf("%s is seen with L* %.0f instead of %.0f: the camera's tone curve is not that of sRGB", PatchNames()[k], got, want))
			break
		}
	}
}

func apply(m [3][3]float64, v [3]float64) (out [3]float64) {
	for i := range 3 {
		out[i] = m[i][0]*v[0] + m[i][1]*v[1] + m[i][2]*v[2]
	}
	return out
}

// deltaE is the difference of a corrected patch from the truth, both brought
// to the chart's own exposure.
func deltaE(m [3][3]float64, seen, truth [3]float64, gain float64) float64 {
	v := apply(m, seen)
	return colour.DeltaE2000(colour.ToLab(v[0]*gain, v[1]*gain, v[2]*gain), colour.ToLab(truth[0]*gain, truth[1]*gain, truth[2]*gain))
}

func differences(m [3][3]float64, seen, truth *[24][3]float64, gain float64) *Differences {
	d := &Differences{}
	for k := range seen {
		e := deltaE(m, seen[k], truth[k], gain)
		d.Mean += e / 24
		if e > d.Worst {
			d.Worst, d.Patch = e, PatchNames()[k]
		}
	}
	return d
}

// fitMatrix is the matrix that keeps grey grey and leaves the least mean
// squared ΔE2000, without the patch but (-1: all). Rows sum such that a grey
// with the gains' balance stays: six free numbers (Finlayson & Drew 1997,
// "White-point preserving color correction").
func fitMatrix(seen, truth *[24][3]float64, gain float64, gains [3]float64, but int) [3][3]float64 {
	build := func(x []float64) (m [3][3]float64) {
		for i := range 3 {
			a, b := (i+1)%3, (i+2)%3
			m[i][a], m[i][b] = x[2*i]*gains[a], x[2*i+1]*gains[b]
			m[i][i] = (1 - x[2*i] - x[2*i+1]) * gains[i]
		}
		return m
	}
	cost := func(x []float64) float64 {
		m, s := build(x), 0.0
		for k := range seen {
			if k != but {
				e := deltaE(m, seen[k], truth[k], gain)
				s += e * e
			}
		}
		return s
	}
	x := linearMatrix(seen, truth, gains, but)
	res, err := optimize.Minimize(optimize.Problem{Func: cost}, x, &optimize.Settings{FuncEvaluations: 4000}, &optimize.NelderMead{})
	if res != nil && res.F < cost(x) && (err == nil || res.X != nil) {
		x = res.X
	}
	return build(x)
}

// linearMatrix is the least squares start in linear light.
func linearMatrix(seen, truth *[24][3]float64, gains [3]float64, but int) []float64 {
	x := make([]float64, 6)
	for i := range 3 {
		a, b := (i+1)%3, (i+2)%3
		d, y := mat.NewDense(24, 2, nil), mat.NewVecDense(24, nil)
		for k := range seen {
			if k == but {
				continue
			}
			own := seen[k][i] * gains[i]
			d.Set(k, 0, seen[k][a]*gains[a]-own)
			d.Set(k, 1, seen[k][b]*gains[b]-own)
			y.SetVec(k, truth[k][i]-own)
		}
		var s mat.VecDense
		if err := s.SolveVec(d, y); err == nil {
			x[2*i], x[2*i+1] = s.AtVec(0), s.AtVec(1)
		}
	}
	return x
}

// SetColour puts the colour correction into the profile.
func (p *Profile) SetColour(c *Colour, widthPx, heightPx int, e Evidence) {
	p.WidthPx, p.HeightPx = widthPx, heightPx
	e.Rejected, e.Warnings = c.Rejected, c.Warnings
	c.Evidence = e
	p.Colour = c
}
