package main

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"fairdeck/vision/card"
	"fairdeck/vision/plane"
)

// magicCentres are the centres of the whole cards that each photo of
// tables-mtg shows, read by eye as fractions of the photo's width and height.
// counterspell_bgs is one card in a grader's slab: the card counts, the slab
// does not. The cards of black.jpg have dice on them; alpha_deck is a grid.
func magicCentres() map[string][]plane.Point {
	var alpha []plane.Point
	top := [8]float64{.085, .208, .333, .448, .565, .681, .798, .915}
	bottom := [8]float64{.080, .204, .325, .442, .557, .675, .794, .916}
	for row, y := range [5]float64{.116, .313, .504, .696, .890} {
		for col := range top {
			f := float64(row) / 4
			alpha = append(alpha, plane.Point{X: top[col] + f*(bottom[col]-top[col]), Y: y})
		}
	}
	return map[string][]plane.Point{
		"alpha_deck.jpg":              alpha,
		"black.jpg":                   {{X: .537, Y: .170}, {X: .251, Y: .505}, {X: .535, Y: .511}, {X: .803, Y: .518}, {X: .137, Y: .833}, {X: .378, Y: .839}, {X: .629, Y: .839}, {X: .878, Y: .842}},
		"counterspell_bgs.jpg":        {{X: .440, Y: .614}},
		"dragon_whelp.jpg":            {{X: .502, Y: .508}},
		"geyser_twister_fireball.jpg": {{X: .190, Y: .519}, {X: .506, Y: .515}, {X: .815, Y: .519}},
		"instill_energy.jpg":          {{X: .480, Y: .480}},
		"lands_and_fatties.jpg":       {{X: .367, Y: .159}, {X: .702, Y: .264}, {X: .197, Y: .427}, {X: .783, Y: .610}, {X: .447, Y: .744}},
		"ruby.jpg":                    {{X: .520, Y: .474}},
	}
}

// centreShare is how far a found card's centre may be from the one read by
// eye, as a share of the card's mean side: half a card misses by a quarter.
const centreShare = 0.15

func (r *run) magic(root string) error {
	fmt.Println("\nA card counts as found where a usable one has its centre there (within 15% of its mean side, read by eye).")
	fmt.Println("\n| photo | cards | found | missed | spurious | refused | ms |\n|---|---|---|---|---|---|---|")
	files, err := filepath.Glob(filepath.Join(root, "real", "tables-mtg", "*.jpg"))
	if err != nil {
		return err
	}
	known := magicCentres()
	for _, f := range files {
		res, img, took, err := r.find(f)
		if err != nil {
			return err
		}
		centres := known[filepath.Base(f)]
		usable := res.Usable()
		found := matchCentres(centres, usable, img.Width, img.Height)
		fmt.Printf("| %s | %d | %d | %d | %d | %d | %.0f |\n", filepath.Base(f), len(centres), found,
			len(centres)-found, len(usable)-found, len(res.Cards)-len(usable), ms(took))
	}
	return nil
}

// matchCentres counts the centres that have a card of their own.
func matchCentres(centres []plane.Point, cards []card.Detection, width, height int) int {
	used := make([]bool, len(cards))
	found := 0
	for _, c := range centres {
		at := plane.Point{X: c.X * float64(width), Y: c.Y * float64(height)}
		for i, d := range cards {
			if !used[i] && d.Corners.Centre().Sub(at).Norm() < centreShare*math.Sqrt(d.Corners.Area()) {
				used[i] = true
				found++
				break
			}
		}
	}
	return found
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func (r *run) marked(root string) error {
	res, _, took, err := r.find(filepath.Join(root, "real", "marked-backs", "1-right.jpg"))
	if err != nil {
		return err
	}
	fmt.Printf("\n| photo | cards | found | usable | ms |\n|---|---|---|---|---|\n| 1-right.jpg | 3 | %d | %d | %.0f |\n", len(res.Cards), len(res.Usable()), ms(took))
	return nil
}

func (r *run) set(root string) error { return r.count(root, "set-game/*.png", 12) }

func (r *run) moving(root string) error { return r.count(root, "one-card-moving/card*.jpg", 1) }

func (r *run) count(root, pattern string, want int) error {
	files, err := filepath.Glob(filepath.Join(root, "real", pattern))
	if err != nil {
		return err
	}
	hist := map[int]int{}
	var total time.Duration
	for _, f := range files {
		res, _, took, err := r.find(f)
		if err != nil {
			return err
		}
		hist[len(res.Usable())]++
		total += took
	}
	fmt.Printf("\n%s: %d pictures of at most %d cards; usable cards found: %v, mean %.1f ms\n", pattern, len(files), want, hist, ms(total)/float64(max(1, len(files))))
	return nil
}

type voc struct {
	Objects []struct {
		Name string  `xml:"name"`
		X0   float64 `xml:"bndbox>xmin"`
		Y0   float64 `xml:"bndbox>ymin"`
		X1   float64 `xml:"bndbox>xmax"`
		Y1   float64 `xml:"bndbox>ymax"`
	} `xml:"object"`
}

// playing matches the bounding boxes of what was found with the boxes of the
// XML, best intersection over union first, at 0.5 or more.
func (r *run) playing(root string) error {
	files, err := filepath.Glob(filepath.Join(root, "real", "tables-playing-cards", "*.xml"))
	if err != nil {
		return err
	}
	fmt.Println("\n| photo | cards | found | of these usable | missed | spurious | spurious usable | ms |\n|---|---|---|---|---|---|---|---|")
	var sum [6]int
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		var v voc
		if err := xml.Unmarshal(data, &v); err != nil {
			return fmt.Errorf("%s: %w", f, err)
		}
		pic := strings.TrimSuffix(f, ".xml") + ".JPG"
		if _, err := os.Stat(pic); err != nil {
			pic = strings.TrimSuffix(f, ".xml") + ".jpg"
		}
		res, _, took, err := r.find(pic)
		if err != nil {
			return err
		}
		type pair struct {
			iou  float64
			a, b int
		}
		var pairs []pair
		for i, o := range v.Objects {
			for j, d := range res.Cards {
				if iou := plane.Rect(o.X0, o.Y0, o.X1-o.X0, o.Y1-o.Y0).IoU(bounds(d.Corners)); iou >= 0.5 {
					pairs = append(pairs, pair{iou, i, j})
				}
			}
		}
		slices.SortFunc(pairs, func(a, b pair) int { return int(math.Copysign(1, b.iou-a.iou)) })
		ua, ub := map[int]bool{}, map[int]bool{}
		usable := 0
		for _, p := range pairs {
			if !ua[p.a] && !ub[p.b] {
				ua[p.a], ub[p.b] = true, true
				if res.Cards[p.b].Unusable == "" {
					usable++
				}
			}
		}
		spuriousUsable := 0
		for j, d := range res.Cards {
			if !ub[j] && d.Unusable == "" {
				spuriousUsable++
			}
		}
		n := [6]int{len(v.Objects), len(ua), usable, len(v.Objects) - len(ua), len(res.Cards) - len(ub), spuriousUsable}
		for i := range n {
			sum[i] += n[i]
		}
		fmt.Printf("| %s | %d | %d | %d | %d | %d | %d | %.0f |\n", filepath.Base(pic), n[0], n[1], n[2], n[3], n[4], n[5], ms(took))
	}
	fmt.Printf("| all | %d | %d | %d | %d | %d | %d | |\n", sum[0], sum[1], sum[2], sum[3], sum[4], sum[5])
	return nil
}

func bounds(q plane.Quad) plane.Quad {
	x0, y0, x1, y1 := q[0].X, q[0].Y, q[0].X, q[0].Y
	for _, p := range q {
		x0, x1 = min(x0, p.X), max(x1, p.X)
		y0, y1 = min(y0, p.Y), max(y1, p.Y)
	}
	return plane.Rect(x0, y0, x1-x0, y1-y0)
}

type truth struct {
	Deck    string      `json:"deck"`
	Nominal [2]float64  `json:"-"`
	Frames  []truthPage `json:"frames"`
}

type truthPage struct {
	File  string `json:"file"`
	Cards []struct {
		Corners [4][2]float64 `json:"corners"`
		Size    [2]float64    `json:"size_mm"`
		Cut     bool          `json:"cut"`
	} `json:"cards"`
}

func (r *run) decks(root string) error {
	files, err := filepath.Glob(filepath.Join(root, "decks", "*", "truth.json"))
	if err != nil {
		return err
	}
	fmt.Println("\n| deck | cards | found | missed | spurious | corner RMS px | corner max px | ms |\n|---|---|---|---|---|---|---|---|")
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		var t truth
		if err := json.Unmarshal(data, &t); err != nil {
			return fmt.Errorf("%s: %w", f, err)
		}
		cards, found, spurious, n := 0, 0, 0, 0
		sq, worst := 0.0, 0.0
		var total time.Duration
		var mean [4]plane.Point
		for _, page := range t.Frames {
			res, _, took, err := r.find(filepath.Join(filepath.Dir(f), page.File))
			if err != nil {
				return err
			}
			total += took
			hit := 0
			for _, c := range page.Cards {
				if c.Cut {
					continue
				}
				cards++
				var q plane.Quad
				for i, p := range c.Corners {
					q[i] = plane.Point{X: p[0], Y: p[1]}
				}
				d, dist, at, ok := nearest(q, res.Cards)
				if !ok {
					continue
				}
				hit++
				for i := range dist {
					n++
					sq += dist[i] * dist[i]
					worst = max(worst, dist[i])
					e := d.Corners[(i+at)%4].Sub(q[i])
					mean[i] = mean[i].Add(e)
					if r.verbose && dist[i] > 1 {
						fmt.Fprintf(os.Stderr, "%s corner %d off by (%.2f, %.2f), sigma %.2f\n", page.File, i, e.X, e.Y, d.SigmaPx[(i+at)%4])
					}
				}
			}
			found += hit
			spurious += len(res.Usable()) - hit
		}
		fmt.Printf("| %s | %d | %d | %d | %d | %.3f | %.3f | %.1f |\n", t.Deck, cards, found, cards-found, spurious, math.Sqrt(sq/float64(max(1, n))), worst, ms(total)/float64(len(t.Frames)))
		if r.verbose {
			for i := range mean {
				fmt.Fprintf(os.Stderr, "mean error of corner %d: (%.3f, %.3f)\n", i, mean[i].X/float64(max(1, n/4)), mean[i].Y/float64(max(1, n/4)))
			}
		}
	}
	return nil
}

// nearest finds the usable card whose corners are all within 5% of the side
// of the truth's, over a half turn.
func nearest(q plane.Quad, cards []card.Detection) (card.Detection, [4]float64, int, bool) {
	limit := 0.05 * math.Sqrt(q.Area())
	for _, d := range cards {
		if d.Unusable != "" {
			continue
		}
		for _, turn := range []int{0, 2} {
			var dist [4]float64
			for i := range q {
				dist[i] = d.Corners[(i+turn)%4].Sub(q[i]).Norm()
			}
			if slices.Max(dist[:]) < limit {
				return d, dist, turn, true
			}
		}
	}
	return card.Detection{}, [4]float64{}, 0, false
}
