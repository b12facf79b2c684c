package edge

import (
	"bytes"
	"context"
	"encoding/json"
	"fairdeck/internal/cv"
	"fairdeck/internal/cv/cvtest"
	"fairdeck/vision/frame"
	"fairdeck/vision/visiontest"
	"fmt"
	"image"
	_ "image/jpeg"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestMain(m *testing.M) { cvtest.Main(m) }
func load(p string) *frame.Image {
	b, _ := os.ReadFile(p)
	c, _, err := image.DecodeConfig(bytes.NewReader(b))
	if err != nil {
		panic(err)
	}
	im, err := cv.Decode(b, c.Width, c.Height)
	if err != nil {
		panic(err)
	}
	return im
}
func TestTmp(t *testing.T) {
	debug = func(s string) { fmt.Println("   ", s) }
	var fs []string
	a, _ := filepath.Glob("/work/shared/fixtures/decks/e*/*.jpg")
	fs = append(fs, a...)
	a, _ = filepath.Glob("/work/shared/fixtures/real/sheet-stacks/*.jpeg")
	fs = append(fs, a...)
	for _, f := range fs {
		im := load(f)
		t0 := time.Now()
		s, err := Inspect(context.Background(), im, Options{})
		_ = filepath.Base
		fmt.Println(f, err, time.Since(t0))
		if tr := truthLines(f); tr != nil {
			unmatched(tr, s.StraightRows)
		}
		fmt.Printf("  %v best %d conf %.4f votes %v pxl %.2f reg %.2f standing %v %+v\n", s.Count, s.Count.Best, s.Count.Confidence, s.Count.Votes, s.PxPerLayer, s.Regularity, s.Standing, s.Count.Refused)
	}
}
func TestSyn(t *testing.T) {
	n := 20
	if e := os.Getenv("SEEDS"); e != "" {
		n, _ = strconv.Atoi(e)
	}
	ok, in := 0, 0
	if os.Getenv("DBG") != "" {
		debug = func(s string) { fmt.Println("   ", s) }
	}
	i0 := 1
	if e := os.Getenv("FROM"); e != "" {
		i0, _ = strconv.Atoi(e)
	}
	for i := i0; i < i0+n; i++ {
		sc := visiontest.RandomStack(uint64(i))
		im, _ := sc.Render()
		t0 := time.Now()
		s, _ := Inspect(context.Background(), im, Options{})
		d := time.Since(t0)
		tr := len(sc.Layers)
		flag := "  "
		if s.Count.Exact() && s.Count.Low == tr {
			ok++
		} else {
			flag = "X "
		}
		if s.Count.Refused == nil && s.Count.Low <= tr && tr <= s.Count.High {
			in++
		} else if s.Count.Refused == nil {
			flag = "XX"
		}
		if debug != nil || os.Getenv("MISS") != "" {
			var tl []float64
			for _, l := range sc.Truth().Layers {
				tl = append(tl, l.YPx)
			}
			unmatched(tl, s.StraightRows)
		}
		fmt.Printf("%s %d true %d: %v conf %.4f votes %v pxl %.2f(%.2f) reg %.2f open %v/%v dbl %v %v %+v\n", flag, i, tr, s.Count, s.Count.Confidence, s.Count.Votes, s.PxPerLayer, sc.FocalPx/sc.DistanceMM*sc.Layers[0].ThicknessMM, s.Regularity, s.Open, sc.Open, sc.Double, d.Round(time.Millisecond), s.Count.Refused)
	}
	fmt.Println("exact", ok, "in", in, "of", n)
}

func unmatched(tr, got []float64) {
	used := map[int]bool{}
	p := (tr[len(tr)-1] - tr[0]) / float64(len(tr)-1)
	for i, a := range tr {
		bi, bd := -1, p/2
		for k, b := range got {
			d := b - a
			if d < 0 {
				d = -d
			}
			if !used[k] && d < bd {
				bi, bd = k, d
			}
		}
		if bi < 0 {
			fmt.Printf("   missing %d at %.1f (next %.1f)\n", i, a, func() float64 {
				if i+1 < len(tr) {
					return tr[i+1]
				}
				return 0
			}())
		} else {
			used[bi] = true
		}
	}
	for k, b := range got {
		if !used[k] {
			fmt.Printf("   extra %d at %.1f of %.1f..%.1f\n", k, b, tr[0], tr[len(tr)-1])
		}
	}
}
func truthLines(f string) []float64 {
	b, err := os.ReadFile(filepath.Join(filepath.Dir(f), "truth.json"))
	if err != nil {
		return nil
	}
	var d struct {
		Frames []struct {
			File   string
			Layers []struct {
				Line_px       [][2]float64
				At_x_px, Y_px float64
			}
		}
	}
	if err := json.Unmarshal(b, &d); err != nil {
		panic(err)
	}
	for _, fr := range d.Frames {
		if fr.File == filepath.Base(f) {
			var o []float64
			for _, l := range fr.Layers {
				o = append(o, l.Y_px)
			}
			return o
		}
	}
	return nil
}

func TestEnd(t *testing.T) {
	i, _ := strconv.Atoi(os.Getenv("FROM"))
	sc := visiontest.RandomStack(uint64(i))
	im, _ := sc.Render()
	hook = func(r *reading, top int) {
		tr := sc.Truth().Layers
		c := r.model.costsOf(r.v, r.in)
		for _, k := range []int{0, 1, len(tr) - 3, len(tr) - 2, len(tr) - 1} {
			y := (tr[k].YPx - float64(top)) * r.scale
			fmt.Printf("layer %d row %.1f sample %.1f: ", k, tr[k].YPx, y)
			for j := int(y) - 8; j < int(y)+10 && j < len(r.v); j++ {
				fmt.Printf(" %.2f", r.v[j])
			}
			fmt.Println()
			b := int(y + .5)
			fmt.Printf("    head %.2f last %.2f any(14) %.2f unit %.1f\n", c.head[b], c.last[b], c.any[min(c.n, b+7)]-c.any[b-7], c.unit[b])
		}
	}
	Inspect(context.Background(), im, Options{})
}

func cached(seed uint64, sc visiontest.StackScene) *frame.Image {
	p := fmt.Sprintf("/tmp/edgescratch/cache/%d.raw", seed)
	if b, err := os.ReadFile(p); err == nil && len(b) == 3*sc.Width*sc.Height {
		return &frame.Image{Width: sc.Width, Height: sc.Height, Pix: b}
	}
	im, _ := sc.Render()
	os.WriteFile(p, im.Pix, 0o644)
	return im
}
func TestDrop(t *testing.T) {
	i0, _ := strconv.Atoi(os.Getenv("FROM"))
	for i := i0; i < i0+6; i++ {
		sc := visiontest.RandomStack(uint64(i))
		im := cached(uint64(i), sc)
		hook = func(r *reading, top int) {
			c := r.model.costsOf(r.v, r.in)
			l, _ := r.model.best(r.v, r.in)
			n := len(l)
			u := func(a, b int) float64 {
				if b-a <= maxLen {
					return c.unit[a][b-a-minLen]
				}
				return 99
			}
			e := r.model.headEnd + 1
			fmt.Printf("seed %d true %d n %d dropfirst %.1f (pre %.1f unit %.1f) droplast %.1f (post %.1f unit %.1f last %.1f prelast %.1f) in %.2f..%.2f\n", i, len(sc.Layers), n, c.pre[l[1]]-c.pre[l[0]]-u(l[0], l[1]), c.pre[l[1]]-c.pre[l[0]], u(l[0], l[1]), c.last[l[n-2]]+c.post[l[n-1]+e]-c.post[l[n-2]+e]-u(l[n-2], l[n-1])-c.last[l[n-1]], c.post[l[n-1]+e]-c.post[l[n-2]+e], u(l[n-2], l[n-1]), c.last[l[n-1]], c.last[l[n-2]], r.in[l[0]], r.in[l[n-1]])
			worst := 1e9
			wi := 0
			for k := 1; k+1 < n; k++ {
				a, b := l[k-1], l[k+1]
				if b-a < samples {
					continue
				}
				g := c.head[a] + c.any[b-(samples-r.model.gapAt)] - c.any[a+r.model.gapAt] + c.tail[b]
				d := g - u(a, l[k]) - u(l[k], b)
				if d < worst {
					worst = d
					wi = k
				}
			}
			fmt.Printf("   least interior merge cost %.1f at %d (row %.0f)\n", worst, wi, float64(l[wi])/r.scale+float64(top))
		}
		Inspect(context.Background(), im, Options{})
	}
}

func TestTail(t *testing.T) {
	for _, e := range strings.Fields(os.Getenv("LIST")) {
		i, _ := strconv.Atoi(e)
		sc := visiontest.RandomStack(uint64(i))
		im := cached(uint64(i), sc)
		hook = func(r *reading, top int) {
			tr := sc.Truth().Layers
			c := r.model.costsOf(r.v, r.in)
			l, _ := r.model.best(r.v, r.in)
			n := len(l)
			fmt.Printf("seed %d true %d n %d open %v dbl %v typ %.2f\n", i, len(tr), n, sc.Open, sc.Double, r.model.typical)
			show := func(a, b int) {
				for j := max(0, a); j < b && j < c.n; j++ {
					m := " "
					for _, x := range l {
						if x == j {
							m = "|"
						}
					}
					for _, y := range tr {
						if int((y.YPx-float64(top))*r.scale+.5) == j {
							m += "T"
						}
					}
					fmt.Printf("%s%.2f/%.1f ", m, r.v[j], r.in[j])
				}
				fmt.Println()
			}
			show(l[0]-14, l[2]+2)
			show(l[n-3]-2, l[n-1]+24)
			e := r.model.headEnd + 1
			fmt.Printf("  last: unit %v last(n-1) %.1f last(n-2) %.1f post %.1f\n", l[n-1]-l[n-2], c.last[l[n-1]], c.last[l[n-2]], c.post[l[n-1]+e]-c.post[l[n-2]+e])
		}
		Inspect(context.Background(), im, Options{})
	}
}
