package settle

import (
	"context"
	"fairdeck/vision/camera"
	"fairdeck/vision/card"
	"fairdeck/vision/frame"
	"fairdeck/vision/visiontest"
	"fmt"
	"image/png"
	"os"
	"strconv"
	"testing"
	"time"
)

func TestDump(t *testing.T) {
	seed, _ := strconv.ParseUint(os.Getenv("SEED"), 10, 64)
	d := visiontest.RandomDeal(seed, visiontest.DealRanges{Cards: 12, NoJPEG: true, Kinds: []visiontest.DealKind{visiontest.DealKind(os.Getenv("KIND"))}})
	s, err := visiontest.NewDealStream(d)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{}
	for _, z := range s.Truth().Zones {
		o.Zones = append(o.Zones, Zone{Name: z.Name})
		r := &o.Zones[len(o.Zones)-1].Rect
		r.Min.X, r.Min.Y, r.Max.X, r.Max.Y = z.Rect[0], z.Rect[1], z.Rect[2], z.Rect[3]
	}
	w := New(o)
	save := func(name string, m *frame.Image) {
		f, _ := os.Create("/tmp/s-settle/" + name)
		png.Encode(f, m)
		f.Close()
	}
	for k := 0; ; k++ {
		f, ok, _ := s.Next()
		if !ok {
			break
		}
		if k == 35 {
			save("frame5.png", f.Image)
			for i, z := range o.Zones {
				m := f.Image.Crop(z.Rect)
				save(fmt.Sprintf("zone%d.png", i), m)
				r, err := card.Find(context.Background(), m, card.Options{})
				fmt.Println(i, r, err)
				r, err = card.Find(context.Background(), f.Image, card.Options{})
				fmt.Println("whole", i, r, err)
				r, err = card.Find(context.Background(), f.Image, card.Options{PxPerMM: d.Deck.Camera.PxPerMM})
				fmt.Println("whole scaled", i, r, err)
			}
		}
		ev, _ := w.Add(context.Background(), &camera.Frame{Index: k, Image: f.Image, Time: time.Duration(f.Seconds * 1e9)})
		for _, e := range ev {
			if e.Sighting != nil {
				g := e.Sighting
				m := g.Image.Clone()
				for i, c := range g.Detection.Corners {
					n := g.Detection.Corners[(i+1)%4]
					for u := 0.0; u < 1; u += 0.002 {
						x, y := c.X+(n.X-c.X)*u-float64(g.Origin.X), c.Y+(n.Y-c.Y)*u-float64(g.Origin.Y)
						if int(x) >= 0 && int(y) >= 0 && int(x) < m.Width && int(y) < m.Height {
							m.SetBGR(int(x), int(y), 0, 255, 255)
						}
					}
				}
				save(fmt.Sprintf("sight_%s_%d.png", g.Zone, g.Index), m)
				fmt.Println(g.Zone, g.Index, g.Detection.Confidence, g.Detection.Size.Name)
			}
		}
	}
}
