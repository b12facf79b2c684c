package card

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"fairdeck/internal/cv"
	"fairdeck/vision/plane"
	"fairdeck/vision/visiontest"
)

// A sample is one side: the clues of its rivals, and which is the edge.
type sample struct {
	clues [][]float64
	edge  int
}

// TestFitWeights prints the weights of judge.go, fitted to rendered decks in
// the folders that FAIRDECK_FIT lists (as a path list; scripts/internal/outlines
// keeps such folders in its cache). The clues of pairs are those that the other
// sides' true edges give. With FAIRDECK_FIT_TEST, other folders say how often
// the likeliest line is the right one.
func TestFitWeights(t *testing.T) {
	folders := os.Getenv("FAIRDECK_FIT")
	if folders == "" {
		t.Skip("FAIRDECK_FIT names no folders of rendered decks: nothing to fit")
	}
	train := samplesOf(t, folders)
	w := fitWeights(train)
	for i, v := range w {
		fmt.Printf("%d: %.2f\n", i, v)
	}
	t.Logf("fitted to %d sides: %.2f%% right", len(train), 100*rightShare(train, w))
	if folders = os.Getenv("FAIRDECK_FIT_TEST"); folders != "" {
		other := samplesOf(t, folders)
		t.Logf("%d other sides: %.2f%% right", len(other), 100*rightShare(other, w))
	}
}

// The fit finds the weights that samples were drawn with.
func TestFitWeightsFinds(t *testing.T) {
	var list []sample
	for i := range 400 {
		// Two lines; the first is the edge as its clue exceeds the other's.
		a, b := math.Sin(float64(i)*1.7), math.Cos(float64(i)*2.9)
		s := sample{clues: [][]float64{{a, 1}, {b, 1}}}
		if a < b {
			s.edge = 1
		}
		list = append(list, s)
	}
	w := fitWeights(list)
	if w[0] < 5 || math.Abs(w[1]) > 0.1 || rightShare(list, w) < 0.99 {
		t.Errorf("weights %v, %.2f right", w, rightShare(list, w))
	}
}

func samplesOf(t *testing.T, folders string) (out []sample) {
	t.Helper()
	for _, folder := range filepath.SplitList(folders) {
		files, err := filepath.Glob(filepath.Join(folder, "*", "truth.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			f, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			truth, err := visiontest.ReadTruth(f)
			f.Close()
			if err != nil {
				t.Fatal(err)
			}
			for i := range truth.Frames {
				out = append(out, samplesOfFrame(t, filepath.Dir(file), truth, i)...)
			}
		}
	}
	return out
}

func samplesOfFrame(t *testing.T, dir string, truth *visiontest.Truth, frame int) (out []sample) {
	t.Helper()
	tf := truth.Frames[frame]
	data, err := os.ReadFile(filepath.Join(dir, tf.File))
	if err != nil {
		t.Fatal(err)
	}
	cam := truth.Cameras[tf.Camera]
	img, err := cv.Decode(data, cam.WidthPx, cam.HeightPx)
	if err != nil {
		t.Fatal(err)
	}
	l, err := search(context.Background(), img, Options{})
	if err != nil {
		t.Fatal(err)
	}
	drafts, _, _ := draftsOf(l.level, l.chosen, img.Width, img.Height)
	newSampler(img).gather(drafts, l.level)
	for _, c := range tf.Cards {
		q, ok := c.Quad()
		if !ok || c.Cut {
			continue
		}
		for i := range drafts {
			if turned, far := turnTo(drafts[i].quad(), q); far < 0.2*math.Sqrt(q.Area()) {
				out = append(out, drafts[i].samples(turned)...)
			}
		}
	}
	return out
}

// turnTo turns the truth such that its corners lie next to those of q, and
// returns their mean distance.
func turnTo(q, truth plane.Quad) (plane.Quad, float64) {
	best, at := math.Inf(1), 0
	for turn := range 4 {
		sum := 0.0
		for i := range q {
			sum += truth[(i+turn)%4].Sub(q[i]).Norm() / 4
		}
		if sum < best {
			best, at = sum, turn
		}
	}
	return truth.Turn(at), best
}

// samples are the sides of a draft whose edge is among the rivals.
func (d *draft) samples(truth plane.Quad) (out []sample) {
	mm := d.width / 64
	edge := [4]int{-1, -1, -1, -1}
	for k := range d.sides {
		c := &d.sides[k]
		_, n, _ := c.frame()
		at := (truth[k].Sub(c.p).Dot(n) + truth[(k+1)%4].Sub(c.p).Dot(n)) / 2
		near := max(1.3, 0.2*mm)
		for i := range d.rivals[k].list {
			if off := math.Abs(d.rivals[k].list[i].middle() - at); off < near {
				near, edge[k] = off, i
			}
		}
	}
	for k := range d.sides {
		if edge[k] < 0 {
			continue
		}
		s := sample{edge: edge[k]}
		for i := range d.rivals[k].list {
			r := &d.rivals[k].list[i]
			var pair [numPairs]float64
			for j := range d.sides {
				if j == k || edge[j] < 0 {
					continue
				}
				for m, v := range pairOf(r, &d.rivals[j].list[edge[j]], &d.rivals[k], &d.rivals[j], mm) {
					pair[m] += v
				}
			}
			s.clues = append(s.clues, append(slices.Clone(r.clues[:]), pair[:]...))
		}
		out = append(out, s)
	}
	return out
}

// ridge keeps the weights of clues that go together from running apart.
const ridge = 0.3

// fitWeights climbs the likelihood with Adam (Kingma & Ba 2015).
func fitWeights(list []sample) []float64 {
	n := len(list[0].clues[0])
	w, m, v := make([]float64, n), make([]float64, n), make([]float64, n)
	for step := 1; step <= 1500; step++ {
		g := make([]float64, n)
		for i := range w {
			g[i] = -ridge * w[i]
		}
		for _, s := range list {
			for k, p := range odds(s, w) {
				y := -p
				if k == s.edge {
					y++
				}
				for i, x := range s.clues[k] {
					g[i] += y * x
				}
			}
		}
		rate := 0.05
		if step > 1000 {
			rate = 0.01
		}
		for i := range w {
			gi := g[i] / float64(len(list))
			m[i] = 0.9*m[i] + 0.1*gi
			v[i] = 0.999*v[i] + 0.001*gi*gi
			w[i] += rate * m[i] / (1 - math.Pow(0.9, float64(step))) / (math.Sqrt(v[i]/(1-math.Pow(0.999, float64(step)))) + 1e-8)
		}
	}
	return w
}

// odds is the probability of each line.
func odds(s sample, w []float64) []float64 {
	z := make([]float64, len(s.clues))
	for k, f := range s.clues {
		for i, x := range f {
			z[k] += w[i] * x
		}
	}
	top, sum := slices.Max(z), 0.0
	for k := range z {
		z[k] = math.Exp(z[k] - top)
		sum += z[k]
	}
	for k := range z {
		z[k] /= sum
	}
	return z
}

func rightShare(list []sample, w []float64) float64 {
	right := 0.0
	for _, s := range list {
		p := odds(s, w)
		if slices.Index(p, slices.Max(p)) == s.edge {
			right++
		}
	}
	return right / float64(len(list))
}
