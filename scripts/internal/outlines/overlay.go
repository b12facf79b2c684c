package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"fairdeck/internal/cv"
	"fairdeck/vision/frame"
	"fairdeck/vision/plane"
)

// list prints the sides that lie on a wrong line.
func (p *picture) list() {
	found, cards, refused, spurious := p.matches()
	if len(found)+refused < cards || spurious > 0 {
		fmt.Printf("%s: %d of %d found, %d refused, %d spurious\n", p.name, len(found), cards, refused, spurious)
	}
	for _, m := range found {
		if !m.wrong() {
			continue
		}
		fmt.Printf("%s:", p.name)
		for i, s := range m.sides {
			mark := ""
			if s.most > wrongPx {
				mark = "*"
			}
			fmt.Printf(" %s %+.1f px (%+.2f mm)%s sigma %.2f;", [4]string{"top", "right", "bottom", "left"}[i], s.outPx, s.outMM, mark, m.det.SigmaPx[i])
		}
		fmt.Printf(" conf %.2f\n", m.det.Confidence)
	}
}

// draw writes the middles of the sides that lie on a wrong line, enlarged:
// the truth is marked with green ticks at the ends, the found side with red.
func (p *picture) draw(dir string) error {
	found, _, _, _ := p.matches()
	for k, m := range found {
		if !m.wrong() {
			continue
		}
		const half, zoom, wide = 24, 6, 40
		out := &frame.Image{Width: 4 * (2*half + 2) * zoom, Height: 2 * wide * zoom}
		out.Pix = make([]byte, 3*out.Width*out.Height)
		for i, s := range m.sides {
			a, b := m.truth[i], m.truth[(i+1)%4]
			u := b.Sub(a).Mul(1 / b.Sub(a).Norm())
			n := plane.Point{X: u.Y, Y: -u.X}
			at := a.Add(b).Mul(0.5)
			for y := range 2 * wide * zoom {
				for x := range 2 * half * zoom {
					v := at.Add(u.Mul(float64(y)/zoom - wide)).Add(n.Mul(float64(x)/zoom - half))
					px, py := int(v.X+.5), int(v.Y+.5)
					if px < 0 || py < 0 || px >= p.img.Width || py >= p.img.Height {
						continue
					}
					bl, g, r := p.img.BGR(px, py)
					o := float64(x)/zoom - half
					edge := y < 8*zoom || y > (2*wide-8)*zoom
					if edge && o > -0.1 && o < 0.1 {
						bl, g, r = 0, 255, 0
					}
					if edge && o > s.outPx-0.1 && o < s.outPx+0.1 {
						bl, g, r = 0, 0, 255
					}
					out.SetBGR(i*(2*half+2)*zoom+x, y, bl, g, r)
				}
			}
		}
		data, err := cv.EncodeJPEG(out, 92)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		name := fmt.Sprintf("%s-%d.jpg", strings.NewReplacer("/", "-", ".jpg", "", ".png", "").Replace(p.name), k)
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
