package calibrate

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"fairdeck/vision/colour"
	"fairdeck/vision/frame"

	"gonum.org/v1/gonum/mat"
)

// Flat is the light of the lamp and the lens's falloff over the frame.
type Flat struct {
	Evidence

	// Columns x Rows nodes, row by row, spread over the frame from the centre
	// of its first pixel to that of its last.
	Columns int `json:"columns"`
	Rows    int `json:"rows"`

	// Light is the linear red, green and blue of a white sheet at each node,
	// divided by that in the frame's middle.
	Light [][3]float64 `json:"light"`

	// DarkestShare is the least light over the most; ResidualShare the root
	// mean square by which the sheet's blocks differ from this smooth field.
	DarkestShare  float64 `json:"darkest_share"`
	ResidualShare float64 `json:"residual_share"`

	// RepeatShare is by how much (root mean square) the fields of the single
	// pictures differ; 0 from one picture.
	RepeatShare float64 `json:"repeat_share,omitempty"`
}

func (f *Flat) valid() error {
	if f == nil {
		return nil
	}
	if f.Columns < 2 || f.Rows < 2 || f.Columns > 100 || f.Rows > 100 || len(f.Light) != f.Columns*f.Rows {
		return fmt.Errorf("a flat field of %d x %d nodes with %d values", f.Columns, f.Rows, len(f.Light))
	}
	for _, l := range f.Light {
		for _, v := range l {
			if !within(v, 0.02, 50) {
				return fmt.Errorf("a flat field with light %g", v)
			}
		}
	}
	if !within(f.DarkestShare, 0, 1) || !within(f.ResidualShare, 0, 1) || !within(f.RepeatShare, 0, 1) {
		return errors.New("a flat field whose shares are not 0 to 1")
	}
	return nil
}

// The grid of the stored field: linear between nodes, it follows a falloff of
// 40 % in the corners to 0.2 %.
const flatColumns, flatRows = 17, 13

// The blocks in which a sheet is measured, and the order of the smooth field
// (x^i y^j with i + j up to it): order 6 follows lamps and vignetting to a
// thousandth, and no shadow with an edge.
const (
	blockColumns, blockRows = 32, 24
	flatOrder               = 6
)

// Limits of a sheet's picture, as linear light of full scale or shares.
const (
	clippedCode  = 250   // and beyond counts as saturated
	maxClipped   = 0.002 // share of pixels
	leastSheet   = 0.10  // mean: darker, noise is a percent of a block's mean
	maxResidual  = 0.012 // rms of blocks: paper is even to half a percent
	maxTexture   = 0.008 // rms over a few pixels: noise leaves 0.002
	objectShare  = 0.05  // a block this far off is a thing or a shadow's edge
	goodRepeat   = 0.01
	levelSame    = 0.03 // two pictures this near in brightness make a pair
	leastBlockPx = 6
)

// FlatCalibration learns the flat field and the noise from pictures of a white
// sheet that fills the frame. Two and more pictures of one brightness give
// the noise in time; pictures at another brightness tell read and shot noise
// apart.
type FlatCalibration struct {
	width, height int
	fields        []*field
	last          *frame.Image
	lastLevel     float64
	noise         noiseFit
	rejected      []Rejected
}

// field is the smooth light of one sheet.
type field struct {
	coef     [3][]float64
	level    [3]float64 // mean linear light
	residual float64
}

// NewFlat begins a flat-field calibration.
func NewFlat() *FlatCalibration { return &FlatCalibration{} }

// FlatFeedback is what one frame brought.
type FlatFeedback struct {
	Rejected *Rejected
	Level    [3]float64 // mean linear red, green and blue of the sheet
	Darkest  float64    // least light over the most
}

// Add measures one picture of the sheet.
func (c *FlatCalibration) Add(name string, img *frame.Image) (FlatFeedback, error) {
	if img.Empty() || !img.Valid() {
		return FlatFeedback{}, errors.New("flat field: the picture has no pixels")
	}
	f, r := c.look(img)
	if r != nil {
		r.Name = name
		c.rejected = append(c.rejected, *r)
		return FlatFeedback{Rejected: r}, nil
	}
	c.width, c.height = img.Width, img.Height
	c.fields = append(c.fields, f)
	if c.last != nil && math.Abs(f.level[1]/c.lastLevel-1) < levelSame {
		c.noise.pair(c.last, img)
	}
	if len(c.fields) == 1 {
		c.noise.single(img)
	}
	c.last, c.lastLevel = img.Clone(), f.level[1]
	lo, hi := f.extremes()
	return FlatFeedback{Level: f.level, Darkest: lo / hi}, nil
}

func (c *FlatCalibration) look(img *frame.Image) (*field, *Rejected) {
	switch {
	case img.Width < blockColumns*leastBlockPx || img.Height < blockRows*leastBlockPx:
		return nil, &Rejected{Reason: TooSmall, Text: fmt.Sprintf("a picture of %d x %d pixels is too small", img.Width, img.Height), Remedy: "use the camera's full resolution"}
	case c.width != 0 && (img.Width != c.width || img.Height != c.height):
		return nil, &Rejected{Reason: FrameSize, Text: fmt.Sprintf("%d x %d pixels, the others have %d x %d", img.Width, img.Height, c.width, c.height), Remedy: "take all pictures with the camera at one resolution"}
	case c.last != nil && slices.Equal(c.last.Pix, img.Pix):
		return nil, &Rejected{Reason: Repeat, Text: "the same picture as the one before, to the last pixel", Remedy: "take a new picture"}
	}
	b := blocksOf(img)
	if b.clipped > maxClipped {
		return nil, &Rejected{Reason: Overexposed, Text: fmt.Sprintf("%.1f %% of the pixels are saturated", 100*b.clipped), Remedy: "expose less, until the sheet is light grey in the picture; and turn the sheet so that the lamp does not mirror in it"}
	}
	f := b.fit()
	switch {
	case f.level[1] < leastSheet:
		return nil, &Rejected{Reason: Underexposed, Text: fmt.Sprintf("the sheet is too dark: %.0f %% of full light", 100*f.level[1]), Remedy: "expose more, or switch the station's lamp on; the sheet has to fill the frame"}
	case b.worst > objectShare:
		return nil, &Rejected{Reason: Uneven, Text: fmt.Sprintf("something is on the sheet, or a shadow's edge falls on it, at the %s: %.0f %% off its surroundings", placeName(b.worstAt[0], b.worstAt[1]), 100*b.worst), Remedy: "show only the blank sheet, filling the whole frame, and step back from the lamp"}
	case f.residual > maxResidual || b.texture > maxTexture:
		return nil, &Rejected{Reason: Uneven, Text: fmt.Sprintf("the sheet has a texture or creases of %.1f %%", 100*max(f.residual, b.texture)), Remedy: "use smooth white paper, several sheets on top of each other"}
	}
	return f, nil
}

// More reasons, of white sheets.
const (
	Overexposed  Reason = "overexposed"
	Underexposed Reason = "underexposed"
	Uneven       Reason = "uneven" // a thing, a shadow or a texture
)

// placeName names a place of the frame, x and y from 0 to 1.
func placeName(x, y float64) string {
	return cellNames()[3*min(max(int(3*y), 0), 2)+min(max(int(3*x), 0), 2)]
}

// blocks are the mean linear light of a grid of blocks.
type blocks struct {
	light   [blockColumns * blockRows][3]float64
	clipped float64 // share of pixels
	texture float64 // rms second difference of cells of 8 px, as a share
	worst   float64 // largest residual of a block, as a share
	worstAt [2]float64
}

func blocksOf(img *frame.Image) *blocks {
	b := &blocks{}
	var n [blockColumns * blockRows]float64
	lin := colour.LinearTable()
	clipped := 0
	for y := range img.Height {
		row := img.Row(y)
		k0 := y * blockRows / img.Height * blockColumns
		for x := range img.Width {
			p := row[3*x : 3*x+3 : 3*x+3]
			if max(p[0], p[1], p[2]) >= clippedCode {
				clipped++
			}
			k := k0 + x*blockColumns/img.Width
			b.light[k][0] += lin[p[2]]
			b.light[k][1] += lin[p[1]]
			b.light[k][2] += lin[p[0]]
			n[k]++
		}
	}
	for k := range b.light {
		for c := range 3 {
			b.light[k][c] /= n[k]
		}
	}
	b.clipped = float64(clipped) / float64(img.Width*img.Height)
	b.texture = textureOf(img)
	return b
}

// textureOf is how uneven a sheet is over a few pixels: cells of 8 px are
// averaged against noise, and of three in a row the middle one is compared
// with the two others, which a slow change of light does not touch.
func textureOf(img *frame.Image) float64 {
	const cell = 8
	lin := colour.LinearTable()
	cols, rows := img.Width/cell, img.Height/cell
	sum, n := 0.0, 0.0
	means := make([]float64, cols)
	for j := range rows {
		clear(means)
		for y := j * cell; y < (j+1)*cell; y++ {
			row := img.Row(y)
			for x := range cols * cell {
				means[x/cell] += lin[row[3*x+1]]
			}
		}
		for i := 1; i+1 < cols; i++ {
			if m := (means[i-1] + means[i] + means[i+1]) / 3; m > 0 {
				d := (means[i-1] - 2*means[i] + means[i+1]) / m
				sum += d * d / 6
				n++
			}
		}
	}
	return math.Sqrt(sum / max(1, n))
}

// terms are the monomials of the smooth field at (x, y), both -1 to 1, as
// products of Legendre polynomials, which keeps the fit well conditioned.
func terms(x, y float64) []float64 {
	var px, py [flatOrder + 1]float64
	px[0], py[0], px[1], py[1] = 1, 1, x, y
	for i := 1; i < flatOrder; i++ {
		k := float64(i)
		px[i+1] = ((2*k+1)*x*px[i] - k*px[i-1]) / (k + 1)
		py[i+1] = ((2*k+1)*y*py[i] - k*py[i-1]) / (k + 1)
	}
	var out []float64
	for i := range px {
		for j := range flatOrder + 1 - i {
			out = append(out, px[i]*py[j])
		}
	}
	return out
}

// fit is the smooth field of the blocks, robustly: blocks far off count less
// and less (Tukey's biweight in four rounds).
func (b *blocks) fit() *field {
	f := &field{}
	weight := make([]float64, len(b.light))
	for k := range weight {
		weight[k] = 1
	}
	rows := make([][]float64, len(b.light))
	for k := range rows {
		rows[k] = terms(blockPlace(k))
	}
	n := len(rows[0])
	rel := make([]float64, len(b.light))
	const rounds = 4
	for round := range rounds {
		for c := range 3 {
			a, y := mat.NewDense(len(rows), n, nil), mat.NewVecDense(len(rows), nil)
			for k := range rows {
				for i, v := range rows[k] {
					a.Set(k, i, v*weight[k])
				}
				y.SetVec(k, b.light[k][c]*weight[k])
			}
			var x mat.VecDense
			if err := x.SolveVec(a, y); err != nil {
				var cond mat.Condition
				if !errors.As(err, &cond) {
					// A frame without any light: zero coefficients say so.
					x = *mat.NewVecDense(n, nil)
				}
			}
			f.coef[c] = slices.Clone(x.RawVector().Data)
		}
		for k := range rows {
			g := dot(f.coef[1], rows[k])
			if g > 0 {
				rel[k] = b.light[k][1]/g - 1
			}
		}
		// 6 times the median deviation, as biweight's usual reach; 1 % where
		// the sheet is very even.
		s := max(0.01, 6*1.4826*medianAbs(rel))
		if round == rounds-1 {
			break
		}
		for k := range weight {
			u := rel[k] / s
			weight[k] = 0
			if u > -1 && u < 1 {
				weight[k] = 1 - u*u
			}
			// A field must be held at every corner.
			weight[k] = max(weight[k], 1e-3)
		}
	}
	b.worst, f.residual = 0, 0
	for k, r := range rel {
		f.residual += r * r / float64(len(rel))
		if math.Abs(r) > b.worst {
			b.worst = math.Abs(r)
			x, y := blockPlace(k)
			b.worstAt = [2]float64{(x + 1) / 2, (y + 1) / 2}
		}
		for c := range 3 {
			f.level[c] += b.light[k][c] / float64(len(rel))
		}
	}
	f.residual = math.Sqrt(f.residual)
	return f
}

// blockPlace is the middle of a block, -1 to 1 over the frame.
func blockPlace(k int) (x, y float64) {
	i, j := k%blockColumns, k/blockColumns
	return (2*float64(i)+1)/blockColumns - 1, (2*float64(j)+1)/blockRows - 1
}

func dot(a, b []float64) float64 {
	s := 0.0
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}

func medianAbs(v []float64) float64 {
	a := make([]float64, len(v))
	for i, x := range v {
		a[i] = math.Abs(x)
	}
	slices.Sort(a)
	return a[len(a)/2]
}

// at is the field's light at (x, y), -1 to 1.
func (f *field) at(x, y float64) (rgb [3]float64) {
	t := terms(x, y)
	for c := range rgb {
		rgb[c] = dot(f.coef[c], t)
	}
	return rgb
}

func (f *field) extremes() (lo, hi float64) {
	lo, hi = math.Inf(1), 0
	for j := range flatRows {
		for i := range flatColumns {
			v := f.at(nodePlace(i, j))[1]
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	return lo, hi
}

func nodePlace(i, j int) (x, y float64) {
	return 2*float64(i)/(flatColumns-1) - 1, 2*float64(j)/(flatRows-1) - 1
}

// Solve gives the flat field and the noise. It fails when no picture was of
// use.
func (c *FlatCalibration) Solve() (*Flat, *Noise, error) {
	if len(c.fields) == 0 {
		if n := len(c.rejected); n > 0 {
			return nil, nil, fmt.Errorf("no picture of a white sheet is of use: %w", &c.rejected[n-1])
		}
		return nil, nil, errors.New("no picture of a white sheet was given")
	}
	f := &Flat{Columns: flatColumns, Rows: flatRows}
	single := make([][][3]float64, len(c.fields))
	for j := range flatRows {
		for i := range flatColumns {
			var node [3]float64
			for k, fl := range c.fields {
				v, m := fl.at(nodePlace(i, j)), fl.at(0, 0)
				for ch := range 3 {
					v[ch] /= m[ch]
					node[ch] += v[ch] / float64(len(c.fields))
				}
				single[k] = append(single[k], v)
			}
			f.Light = append(f.Light, node)
		}
	}
	sum, lo, hi := 0.0, math.Inf(1), 0.0
	for k := range single {
		for n, v := range single[k] {
			d := v[1]/f.Light[n][1] - 1
			sum += d * d
		}
		f.ResidualShare += c.fields[k].residual / float64(len(c.fields))
	}
	for _, v := range f.Light {
		lo, hi = min(lo, v[1]), max(hi, v[1])
	}
	f.DarkestShare = lo / hi
	if n := len(single); n > 1 {
		f.RepeatShare = math.Sqrt(sum / float64((n-1)*len(f.Light)))
	}
	f.Rejected = slices.Clone(c.rejected)
	f.warn(c)
	if err := f.valid(); err != nil {
		return nil, nil, fmt.Errorf("the sheet gives no flat field: %w", err)
	}
	return f, c.noise.solve(), nil
}

func (f *Flat) warn(c *FlatCalibration) {
	if f.RepeatShare > goodRepeat {
		f.Warnings = append(f.Warnings, fmt.Sprintf("the pictures' fields differ by %.1f %%: the light changes, or a shadow moves; shut daylight out and step back", 100*f.RepeatShare))
	}
	if f.DarkestShare < 0.5 {
		f.Warnings = append(f.Warnings, fmt.Sprintf("the darkest place has %.0f %% of the brightest's light, where noise is larger; move the lamp, or use two", 100*f.DarkestShare))
	}
	if len(c.fields) == 1 {
		f.Warnings = append(f.Warnings, "one picture only: shade of the sheet itself is taken for the lamp's. Take two more with the sheet turned by a quarter")
	}
	m := c.fields[0].level
	if lo, hi := min(m[0], m[1], m[2]), max(m[0], m[1], m[2]); hi > 2*lo {
		f.Warnings = append(f.Warnings, "the sheet is not white in the picture: lock the camera's white balance, and use white paper")
	}
}
