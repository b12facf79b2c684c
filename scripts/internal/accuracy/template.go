package main

import (
	"bufio"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"fairdeck/scripts/internal/accuracy/metric"
	"fairdeck/scripts/internal/markdown"
	"fairdeck/vision/card"
	"fairdeck/vision/frame"
	"fairdeck/vision/plane"
	"fairdeck/vision/sleeve"
)

// templatePxPerMM makes up a scale for pictures of circuit boards, which have
// none: a usual station's.
const templatePxPerMM = 6

// templateCopies of the template, each with noise of its own, are the deck
// that one test picture is compared with.
const templateCopies = 11

// templatePairs gives the comparison of sleeves pictures that are registered
// already and know no light: what is left is the residual stage.
func (r *run) templatePairs(d *markdown.Document) error {
	dir, err := r.fixture("real", "template-pairs")
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*_temp.jpg"))
	if err != nil {
		return err
	}
	if r.quick {
		files = files[:min(3, len(files))]
	}
	d.Para("Pictures of circuit boards by others (template, test picture and boxes around the faults; DeepPCB): a deck of %d copies of the template, each with noise of its own (sigma 1.5 codes), and the test picture as the last sleeve, at %d px/mm. "+
		"A fault is found where a reported mark touches its box; a mark is right where it touches a box; a mark on a copy of the template is a false one.", templateCopies, templatePxPerMM)
	var rows [][]string
	var recall, precision metric.Share
	falseMarks := 0
	for k, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), "_temp.jpg")
		res, boxes, err := r.templatePair(dir, name, r.base+uint64(k))
		if err != nil {
			r.fail(name, err)
			continue
		}
		var rec, pre metric.Share
		marks := res.Sleeves[templateCopies].Marks
		for _, b := range boxes {
			hit := false
			for _, m := range marks {
				hit = hit || near(m, b, 0)
			}
			rec.Add(hit)
		}
		for _, m := range marks {
			hit := false
			for _, b := range boxes {
				hit = hit || near(m, b, 0)
			}
			pre.Add(hit)
		}
		wrong := 0
		for _, s := range res.Sleeves[:templateCopies] {
			wrong += len(s.Marks)
		}
		falseMarks += wrong
		recall, precision = recall.Plus(rec), precision.Plus(pre)
		rows = append(rows, []string{name, rec.String(), pre.String(), fmt.Sprint(wrong)})
	}
	rows = append(rows, []string{"all", recall.WithInterval(), precision.WithInterval(), fmt.Sprint(falseMarks)})
	d.Table([]string{"pair", "recall", "precision", "marks on copies"}, rows)
	return nil
}

func (r *run) templatePair(dir, name string, seed uint64) (*sleeve.Result, []plane.Quad, error) {
	template, err := loadPicture(filepath.Join(dir, name+"_temp.jpg"))
	if err != nil {
		return nil, nil, err
	}
	test, err := loadPicture(filepath.Join(dir, name+"_test.jpg"))
	if err != nil {
		return nil, nil, err
	}
	boxes, err := readBoxes(filepath.Join(dir, name+".txt"))
	if err != nil {
		return nil, nil, err
	}
	rnd := rand.New(rand.NewPCG(seed, 7))
	var in []sleeve.Input
	for k := range templateCopies + 1 {
		m := template.Clone()
		if k == templateCopies {
			m = test.Clone()
		}
		grain(rnd, m)
		w, h := float64(m.Width)/templatePxPerMM, float64(m.Height)/templatePxPerMM
		q := plane.Rect(-0.5, -0.5, float64(m.Width), float64(m.Height))
		toFrame, err := plane.QuadToQuad(plane.Rect(0, 0, w, h), q)
		if err != nil {
			return nil, nil, err
		}
		in = append(in, sleeve.Input{Name: fmt.Sprint(k),
			Card: card.Detection{Corners: q, Size: card.Size{WidthMM: w, HeightMM: h}, PxPerMM: templatePxPerMM, Confidence: 1},
			View: &card.View{Image: m, PxPerMM: templatePxPerMM, WidthMM: w, HeightMM: h, ToFrame: toFrame, SourcePxPerMM: templatePxPerMM}})
	}
	res, err := sleeve.Inspect(r.ctx, in, sleeve.Options{})
	return res, boxes, err
}

// grain adds a camera's noise: scans of binary pictures have none, and two
// copies without noise are alike to the bit.
func grain(r *rand.Rand, m *frame.Image) {
	for i, v := range m.Pix {
		m.Pix[i] = uint8(math.Min(255, math.Max(0, math.Round(float64(v)+1.5*r.NormFloat64()))))
	}
}

// readBoxes reads "x1 y1 x2 y2 class" lines, in pixels, as places in mm.
func readBoxes(path string) ([]plane.Quad, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []plane.Quad
	for s := bufio.NewScanner(f); s.Scan(); {
		var x1, y1, x2, y2 float64
		var class int
		if strings.TrimSpace(s.Text()) == "" {
			continue
		}
		if _, err := fmt.Sscanf(strings.ReplaceAll(s.Text(), ",", " "), "%f %f %f %f %d", &x1, &y1, &x2, &y2, &class); err != nil {
			return nil, fmt.Errorf("%s: %q: %w", path, s.Text(), err)
		}
		const k = 1.0 / templatePxPerMM
		out = append(out, plane.Rect(x1*k, y1*k, (x2-x1)*k, (y2-y1)*k))
	}
	return out, nil
}
