package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"fairdeck/scripts/internal/accuracy/metric"
	"fairdeck/scripts/internal/markdown"
	"fairdeck/vision/frame"
	"fairdeck/vision/sleeve"
	"fairdeck/vision/sleeve/reference"
	"fairdeck/vision/visiontest"
)

// methodNames are ours and the references, in the order of the columns.
func methodNames() []string {
	names := []string{"fairdeck"}
	for _, m := range reference.Methods(0) {
		names = append(names, m.Name())
	}
	return names
}

// region is where a method is told to look.
type region int

const (
	inner region = iota // the sleeve without its rim
	whole
	regions
)

// rimMM is what "inner" leaves out: there the outline's own jitter is larger
// than any mark, and a user of the references would mask it.
const rimMM = 1.5

// regionOf is where marks of a kind lie.
func regionOf(k visiontest.Kind) region {
	switch k {
	case visiontest.CornerWear, visiontest.EdgeWear, visiontest.Nick:
		return whole
	}
	return inner
}

// scored is a deck with every method's scores. All are indexed by method.
type scored struct {
	*inspected
	on map[int]cell
	// cards[method][region][card]
	cards [][regions][]float32
	// clean[method][region] are the pixels of the unmarked sleeves.
	clean [][regions]*metric.Histogram
	// marks[method][card] are the pixels of each mark.
	marks []map[int][]float32
}

// scoreDeck runs the references over the views that package sleeve has
// registered and corrected for light, and asks each method for its scores.
func scoreDeck(ctx context.Context, in *inspected, on map[int]cell) (*scored, error) {
	out := &scored{inspected: in, on: on}
	var views []*frame.Image
	var index []int // of the views
	golden := -1
	for i, s := range in.result.Sleeves {
		if s.Aligned.Empty() {
			continue
		}
		if _, has := on[i]; !has && golden < 0 {
			golden = len(views)
		}
		views, index = append(views, s.Aligned), append(index, i)
	}
	if golden < 0 || len(views) < 10 {
		return nil, fmt.Errorf("only %d of %d views could be compared", len(views), len(in.inputs))
	}
	width, height := views[0].Width, views[0].Height
	maps := [][][]float32{ourScores(in.result, index, width, height)}
	for _, m := range reference.Methods(golden) {
		// The decks share the cores already.
		s, err := m.Scores(ctx, reference.Deck{Views: views, Workers: 1})
		if err != nil {
			return nil, err
		}
		maps = append(maps, s)
	}
	masks, err := markMasks(in, width, height)
	if err != nil {
		return nil, err
	}
	v := in.inputs[index[0]].View
	var inside [regions][]bool
	for g, rim := range [regions]float64{inner: rimMM, whole: 0} {
		inside[g] = make([]bool, width*height)
		for y := range height {
			for x := range width {
				px, py := (float64(x)+0.5)/in.result.PxPerMM-in.result.MarginMM, (float64(y)+0.5)/in.result.PxPerMM-in.result.MarginMM
				inside[g][y*width+x] = px >= rim && py >= rim && px <= v.WidthMM-rim && py <= v.HeightMM-rim
			}
		}
	}
	for m := range maps {
		var cards [regions][]float32
		var clean [regions]*metric.Histogram
		marks := map[int][]float32{}
		for g := range regions {
			cards[g] = make([]float32, len(in.inputs))
			clean[g] = new(metric.Histogram)
		}
		for k, i := range index {
			_, has := on[i]
			for g := range regions {
				best := float32(0)
				for p, s := range maps[m][k] {
					if !inside[g][p] {
						continue
					}
					best = max(best, s)
					if !has {
						clean[g].Add(s)
					}
				}
				cards[g][i] = best
				if m == 0 {
					// Ours judges sleeves itself and is not told where.
					cards[g][i] = ourCardScore(in.result.Sleeves[i])
				}
			}
			if mask := masks[i]; mask != nil {
				for p, is := range mask {
					if is && inside[whole][p] {
						marks[i] = append(marks[i], maps[m][k][p])
					}
				}
			}
		}
		out.cards, out.clean, out.marks = append(out.cards, cards), append(out.clean, clean), append(out.marks, marks)
	}
	// A finished deck keeps its scores, not its pictures.
	in.inputs, in.result = nil, nil
	return out, nil
}

// visibilityStep keeps the visibilities apart in ourCardScore: evidence is at
// most 300, the logarithm of the smallest float.
const visibilityStep = 1000

// ourCardScore ranks sleeves as the report lists them: by the most visible
// mark, then by the evidence for it; sleeves without a mark come last, by the
// evidence that was not enough for one.
func ourCardScore(s sleeve.Sleeve) float32 {
	if len(s.Marks) == 0 {
		return float32(s.BelowLimit)
	}
	best := 0.0
	for _, m := range s.Marks {
		best = math.Max(best, float64(visibilityStep*m.Visibility.Rank())+math.Log10(1+1/math.Max(m.PValue, 1e-300)))
	}
	return float32(best)
}

// ourScores are the heat maps of the result, the places of reported marks
// before all others.
func ourScores(res *sleeve.Result, index []int, width, height int) [][]float32 {
	out := make([][]float32, len(index))
	for k, i := range index {
		s := res.Sleeves[i]
		out[k] = make([]float32, width*height)
		for p, v := range s.DeltaE {
			out[k][p] = float32(v) / 10
		}
		px := func(mm float64) float64 { return (mm + res.MarginMM) * res.PxPerMM }
		for _, m := range s.Marks {
			for y := max(0, int(px(m.MinMM.Y))); y < min(height, int(math.Ceil(px(m.MaxMM.Y)))); y++ {
				for x := max(0, int(px(m.MinMM.X))); x < min(width, int(math.Ceil(px(m.MaxMM.X)))); x++ {
					// Once for each pixel, also where two boxes meet.
					if v := &out[k][y*width+x]; *v < reportedStep {
						*v += reportedStep
					}
				}
			}
		}
	}
	return out
}

// reportedStep is above any ΔE of a heat map, which ends at 25.5.
const reportedStep = 100

// markMasks are the pixels that each mark changes, found by rendering the
// marked sleeves again with and without marks, free of noise. A pixel belongs
// to a mark when it changes by a third of what the mark changes most.
func markMasks(in *inspected, width, height int) (map[int][]bool, error) {
	d := in.deck
	d.Sensor.FullWell, d.Sensor.ReadNoise, d.Sensor.JPEGQuality = -1, -1, -1
	with, err := visiontest.New(d)
	if err != nil {
		return nil, err
	}
	d.Marks = nil
	without, err := visiontest.New(d)
	if err != nil {
		return nil, err
	}
	out := map[int][]bool{}
	for i, f := range in.truth.Frames {
		if len(f.Cards[0].Marks) == 0 {
			continue
		}
		a, err := viewOf(with, i, in.inputs[i])
		if err != nil {
			return nil, err
		}
		b, err := viewOf(without, i, in.inputs[i])
		if err != nil {
			return nil, err
		}
		if a.Width != width || a.Height != height {
			return nil, fmt.Errorf("the views are %d x %d pixels, the aligned ones %d x %d", a.Width, a.Height, width, height)
		}
		diff := make([]int, width*height)
		most := 0
		for p := range diff {
			for c := range 3 {
				v := int(a.Pix[3*p+c]) - int(b.Pix[3*p+c])
				diff[p] = max(diff[p], v, -v)
			}
			most = max(most, diff[p])
		}
		mask := make([]bool, width*height)
		for p, v := range diff {
			mask[p] = v >= 2 && 3*v >= most
		}
		out[i] = mask
	}
	return out, nil
}

const referenceMarks = 20 // of 60

// referenceRow is one line of the table: a set of marks.
type referenceRow struct {
	name string
	has  func(c cell, m visiontest.TruthMark) bool
}

// references compares ours with three methods on the same views.
func (r *run) references(d *markdown.Document) error {
	ps := places()
	// Three decks: 120 clean sleeves a station, of which 1% is one.
	per := r.count(3, 1)
	if r.quick {
		ps = []place{ps[0], ps[1]}
	}
	names := methodNames()
	var cells []cell
	for _, c := range allCells() {
		if c.contrast < 3 && c.size < 2 { // the strong and large ones everybody finds
			cells = append(cells, c)
		}
	}
	var rows []referenceRow
	for k, ce := range contrasts()[:3] {
		rows = append(rows, referenceRow{fmt.Sprintf("ΔE %g", ce), func(c cell, _ visiontest.TruthMark) bool { return c.contrast == k }})
	}
	for _, g := range gauges() {
		rows = append(rows, referenceRow{string(g.kind), func(c cell, _ visiontest.TruthMark) bool { return c.kind == g.kind }})
	}
	for _, s := range []string{visiontest.Obvious, visiontest.Visible, visiontest.CameraOnly} {
		rows = append(rows, referenceRow{s, func(_ cell, m visiontest.TruthMark) bool { return m.Severity == s }})
	}
	rows = append(rows, referenceRow{"all", func(cell, visiontest.TruthMark) bool { return true }})

	// Scores of different stations are not compared with each other: each
	// figure is taken within a station and averaged over them by marks.
	byPlace := make([][]*scored, len(ps))
	scores := make([]*scored, per*len(ps))
	err := r.each("reference deck", per*len(ps), func(i int) (*inspected, error) {
		seed := r.base + uint64(i)
		rnd := rand.New(rand.NewPCG(seed, 5))
		var some []cell
		for range referenceMarks {
			some = append(some, cells[rnd.IntN(len(cells))])
		}
		deck, on := ps[i%len(ps)].marked(seed, 60, some)
		in, err := inspectWith(r.ctx, tight(deck, galleryPxPerMM), sleeve.Options{KeepMaps: true})
		if err != nil {
			return nil, err
		}
		scores[i], err = scoreDeck(r.ctx, in, on)
		return in, err
	}, func(i int, _ *inspected) {
		byPlace[i%len(ps)] = append(byPlace[i%len(ps)], scores[i])
	})
	if err != nil {
		return err
	}

	d.Para("Ours and three references on the same views, registered and corrected for light by ours; the references are told in addition whether a mark lies on the rim (within %g mm of the outline) or inside it, ours is not. "+
		"%d decks of 60 with %d marks each (the smaller and fainter half of the gallery), over %d stations; figures are taken within a station and averaged. "+
		"Card level: one score a sleeve, its worst pixel; ours ranks sleeves as its report lists them, by the most visible mark, then by the evidence for it, then by evidence that was not enough. %d clean sleeves in all, with dust, hairlines, smudges and fluff. Bold: no reference is better.",
		rimMM, per*len(ps), referenceMarks, len(ps), per*len(ps)*(60-referenceMarks))
	heads := []string{"marks", "n"}
	heads = append(heads, names...)
	cardTable := func(figure func(marked, clean *metric.Histogram) float64) (lines [][]string, better int, explained []string) {
		for _, row := range rows {
			values, n := cardFigures(byPlace, len(names), row, figure)
			if n == 0 {
				continue
			}
			line := []string{row.name, fmt.Sprint(n)}
			best := slices.Max(values[1:])
			for m, v := range values {
				text := fmt.Sprintf("%.3f", v)
				if m == 0 && v >= best {
					text = "**" + text + "**"
				}
				line = append(line, text)
			}
			if values[0] < best {
				explained = append(explained, row.name)
			} else {
				better++
			}
			lines = append(lines, line)
		}
		return lines, better, explained
	}
	lines, better, not := cardTable(metric.AUROC)
	d.Para("Card level, AUROC:")
	d.Table(heads, lines)
	r.target("card-level AUROC above all three references", "every line", met(better, len(lines), not), len(not) == 0 && better > 0)
	lines, better, not = cardTable(func(m, c *metric.Histogram) float64 { return metric.RecallAt(0.01, m, c) })
	d.Para("Card level, recall at 1%% false positives (of %d clean sleeves a station, rounded down: %d):", per*(60-referenceMarks), per*(60-referenceMarks)/100)
	d.Table(heads, lines)
	r.target("card-level recall at 1% above all three references", "every line", met(better, len(lines), not), len(not) == 0 && better > 0)

	d.Para("Pixel level. A mark's pixels are those that change by a third of its greatest change when the same picture is rendered without noise with and without it; clean pixels are all those of the unmarked sleeves. "+
		"PRO is the per-region overlap up to a false positive rate of %g (Bergmann et al. 2021). Ours is its heat map, with the boxes of reported marks before all other places.", metric.ProLimit)
	var pixel [][]string
	for g, name := range [regions]string{inner: "inner marks", whole: "rim marks"} {
		auroc, pro := pixelFigures(byPlace, len(names), region(g))
		a, p := []string{name + ", AUROC", ""}, []string{name + ", PRO", ""}
		n := 0
		for _, decks := range byPlace {
			for _, s := range decks {
				for i := range s.marks[0] {
					if regionOf(s.on[i].kind) == region(g) {
						n++
					}
				}
			}
		}
		a[1], p[1] = fmt.Sprint(n), fmt.Sprint(n)
		for m := range names {
			a, p = append(a, fmt.Sprintf("%.3f", auroc[m])), append(p, fmt.Sprintf("%.3f", pro[m]))
		}
		pixel = append(pixel, a, p)
	}
	d.Table(heads, pixel)
	return nil
}

func met(better, all int, not []string) string {
	s := fmt.Sprintf("%d of %d lines", better, all)
	if len(not) > 0 {
		s += fmt.Sprintf(" (not: %v)", not)
	}
	return s
}

// cardFigures is the figure of each method over the marks of a row.
func cardFigures(byPlace [][]*scored, methods int, row referenceRow, figure func(marked, clean *metric.Histogram) float64) (values []float64, n int) {
	values = make([]float64, methods)
	for _, decks := range byPlace {
		for g := range regions {
			marked, clean := make([]metric.Histogram, methods), make([]metric.Histogram, methods)
			k := 0
			for _, s := range decks {
				for i, f := range s.truth.Frames {
					c, has := s.on[i]
					switch {
					case !has:
						for m := range methods {
							clean[m].Add(s.cards[m][g][i])
						}
					case regionOf(c.kind) == g && len(f.Cards[0].Marks) > 0 && row.has(c, f.Cards[0].Marks[0]):
						k++
						for m := range methods {
							marked[m].Add(s.cards[m][g][i])
						}
					}
				}
			}
			if k == 0 {
				continue
			}
			n += k
			for m := range methods {
				values[m] += float64(k) * figure(&marked[m], &clean[m])
			}
		}
	}
	for m := range values {
		values[m] /= float64(max(1, n))
	}
	return values, n
}

// pixelFigures are AUROC and PRO of each method over the marks of a region.
func pixelFigures(byPlace [][]*scored, methods int, g region) (auroc, pro []float64) {
	auroc, pro = make([]float64, methods), make([]float64, methods)
	total := 0
	for _, decks := range byPlace {
		n := 0
		for m := range methods {
			var clean, marked metric.Histogram
			var each []*metric.Histogram
			for _, s := range decks {
				clean.Merge(s.clean[m][g])
				for i, pixels := range s.marks[m] {
					if regionOf(s.on[i].kind) != g {
						continue
					}
					h := new(metric.Histogram)
					for _, v := range pixels {
						h.Add(v)
						marked.Add(v)
					}
					each = append(each, h)
				}
			}
			n = len(each)
			if n > 0 {
				auroc[m] += float64(n) * metric.AUROC(&marked, &clean)
				pro[m] += float64(n) * metric.PRO(each, &clean)
			}
		}
		total += n
	}
	for m := range methods {
		auroc[m] /= float64(max(1, total))
		pro[m] /= float64(max(1, total))
	}
	return auroc, pro
}
