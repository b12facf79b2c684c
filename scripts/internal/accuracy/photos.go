package main

import (
	"bytes"
	"fmt"
	"image"
	_ "image/jpeg"
	"math"
	"os"
	"path/filepath"
	"slices"

	"fairdeck/internal/cv"
	"fairdeck/scripts/internal/markdown"
	"fairdeck/vision/card"
	"fairdeck/vision/frame"
	"fairdeck/vision/plane"
	"fairdeck/vision/sleeve"
)

// fixture is the path of a file or folder of the fixtures, or an
// *absentError.
func (r *run) fixture(elem ...string) (string, error) {
	root := r.fixtures
	if root == "" {
		root = filepath.Join("..", "shared", "fixtures")
	}
	path := filepath.Join(append([]string{root}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		return "", &absentError{filepath.Join(elem...) + " of the fixtures (set FAIRDECK_FIXTURES)"}
	}
	return path, nil
}

func loadPicture(path string) (*frame.Image, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	c, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	m, err := cv.Decode(data, c.Width, c.Height)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// photographs are measured by scripts/internal/photos; here they are only
// joined to the document. The marked cards are inspected.
func (r *run) photographs(d *markdown.Document) error {
	if r.photos != "" {
		d.Para("Cards found in photographs by others, by `go run ./scripts/internal/photos`:")
		if err := join(d, r.photos); err != nil {
			return err
		}
	}
	return r.markedBacks(d)
}

// sides are measured by scripts/internal/edges.
func (r *run) sides(d *markdown.Document) error {
	if r.edges == "" {
		return &absentError{"the output of scripts/internal/edges"}
	}
	d.Para("By `go run ./scripts/internal/edges`:")
	return join(d, r.edges)
}

// liveDeals adds how deals were counted.
func (r *run) liveDeals(d *markdown.Document) error {
	if r.deals == "" {
		return &absentError{"the output of scripts/internal/deals"}
	}
	d.Para("By `go run ./scripts/internal/deals -markdown`:")
	return join(d, r.deals)
}

// join adds the tables that another program wrote.
func join(d *markdown.Document, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	d.Raw(string(bytes.TrimSpace(text)) + "\n\n")
	return nil
}

// markedBoxes are where the right-hand card of marked-backs is inked: x0, y0,
// x1, y1 in pixels, from the folder's GROUND_TRUTH.md.
func markedBoxes() map[string][4]float64 {
	return map[string][4]float64{"upper medallion": {2848, 818, 2898, 855}, "lower medallion": {2975, 1163, 3022, 1195}}
}

// markedBacks inspects the photo of three playing cards of which the right
// one is marked.
func (r *run) markedBacks(d *markdown.Document) error {
	path, err := r.fixture("real", "marked-backs", "1-right.jpg")
	if err != nil {
		return err
	}
	img, err := loadPicture(path)
	if err != nil {
		return err
	}
	size := card.Size{Name: "standard card", WidthMM: 63, HeightMM: 88}
	res, err := card.Find(r.ctx, img, card.Options{Size: size})
	if err != nil {
		return err
	}
	cards := res.Usable()
	slices.SortFunc(cards, func(a, b card.Detection) int {
		return int(math.Copysign(1, a.Corners.Centre().X-b.Corners.Centre().X))
	})
	const birds = "marked card: both groups of inked birds found, nothing visible there on the others"
	if len(cards) != 3 {
		d.Para("The photo of three playing cards of which the right one is marked: %d usable cards found, so nothing was compared.", len(cards))
		r.target(birds, "2 of 2, 0 on others", fmt.Sprintf("%d cards found instead of 3", len(cards)), false)
		return nil
	}
	scale := 0.0
	for _, c := range cards {
		scale = math.Max(scale, math.Ceil(c.PxPerMM))
	}
	var in []sleeve.Input
	for i, c := range cards {
		v, err := card.Rectify(img, c, card.RectifyOptions{Size: size, PxPerMM: scale, MarginMM: viewMarginMM})
		if err != nil {
			return err
		}
		in = append(in, sleeve.Input{Name: []string{"left", "middle", "right"}[i], View: v, Card: c})
	}
	out, err := sleeve.Inspect(r.ctx, in, sleeve.Options{})
	if err != nil {
		return err
	}
	d.Para("Three playing cards in one photo, the right one marked with ink at two places (each bird about 0.9 mm). A mark counts where it lies within 2 mm of the place:")
	var rows [][]string
	right, wrong := 0, 0
	names := []string{"upper medallion", "lower medallion"}
	for _, name := range names {
		b := markedBoxes()[name]
		inv, err := in[2].View.ToFrame.Inverse()
		if err != nil {
			return err
		}
		q := inv.ApplyQuad(plane.Rect(b[0], b[1], b[2]-b[0], b[3]-b[1]))
		if out.Sleeves[2].TurnedDeg == 180 {
			q = turnMM(q, size)
		}
		row := []string{name}
		for k := range in {
			word := ""
			for _, m := range out.Sleeves[k].Marks {
				if near(m, q, 2) && (word == "" || m.Visibility.Rank() > sleeve.Visibility(word).Rank()) {
					word = string(m.Visibility)
				}
			}
			switch {
			case k == 2 && word != "":
				right++
			case k != 2 && sleeve.Visibility(word).Rank() >= 2:
				wrong++
			}
			if word == "" {
				word = "–"
			}
			row = append(row, word)
		}
		rows = append(rows, row)
	}
	row := []string{"marks elsewhere that are visible or obvious"}
	for k := range in {
		n := 0
		for _, m := range out.Sleeves[k].Marks {
			if m.Visibility.Rank() >= 2 {
				n++
			}
		}
		row = append(row, fmt.Sprintf("%d in all", n))
	}
	rows = append(rows, row)
	d.Table([]string{"place", "left", "middle", "right"}, rows)
	for _, w := range out.Warnings {
		d.Para("Warning of the inspection: %s", w.Text)
	}
	r.target(birds, "2 of 2, 0 on others", fmt.Sprintf("%d of 2, %d on others", right, wrong), right == 2 && wrong == 0)
	return nil
}

// turnMM turns places on a sleeve by 180 degrees.
func turnMM(q plane.Quad, s card.Size) plane.Quad {
	for i := range q {
		q[i] = plane.Point{X: s.WidthMM, Y: s.HeightMM}.Sub(q[i])
	}
	return q
}

// near says whether a mark's box lies within mm of a quadrilateral's box.
func near(m sleeve.Mark, q plane.Quad, mm float64) bool {
	lo, hi := q[0], q[0]
	for _, p := range q[1:] {
		lo = plane.Point{X: math.Min(lo.X, p.X), Y: math.Min(lo.Y, p.Y)}
		hi = plane.Point{X: math.Max(hi.X, p.X), Y: math.Max(hi.Y, p.Y)}
	}
	dx := math.Max(0, math.Max(lo.X-m.MaxMM.X, m.MinMM.X-hi.X))
	dy := math.Max(0, math.Max(lo.Y-m.MaxMM.Y, m.MinMM.Y-hi.Y))
	return math.Hypot(dx, dy) <= mm
}
