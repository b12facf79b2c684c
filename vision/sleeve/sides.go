package sleeve

import "math"

const (
	// sideAgrees is the least share of a side's mean profile that the deck's
	// own profile there explains. Sleeves of one batch on one table agree to
	// 95% and more; where a line of the table or of the sleeve was taken for
	// the side, the step is another.
	sideAgrees = 0.85
	// sideContrast: light and focus change a step by less than that factor.
	sideContrast = 1.7
	// sideStations must each show it: a side half of which lies on something
	// else is not placed by its middle.
	sideStations = 0.7
)

// sidesAgree reports whether all four sides of registered plate k look like
// the deck's: then they are where they were found.
func (d *deck) sidesAgree(o *order, k int) bool {
	pix := d.view(k)
	for s := range 4 {
		horizontal := s == sideTop || s == sideBottom
		length := d.hMM
		if horizontal {
			length = d.wMM
		}
		reach := math.Min(outlineReachMM, d.margin-1/d.px)
		rows := int(2 * reach * d.px)
		stations := int(length - 2*outlineCornerMM)
		if rows < 4 || stations < 8 {
			return false
		}
		// One profile for each millimetre: mean over the pixels along.
		var all profileFit
		mean := make([]float64, 3*rows)
		meanC := make([]float64, 3*rows)
		good := 0
		for a := range stations {
			var one profileFit
			for r := range rows {
				depth := reach - (float64(r)+0.5)/d.px
				along := int(math.Max(1, d.px))
				var v, c [3]float64
				for j := range along {
					x, y := outlineCornerMM+float64(a)+float64(j)/d.px, depth
					switch s {
					case sideRight:
						x, y = d.wMM-depth, x
					case sideBottom:
						y = d.hMM - depth
					case sideLeft:
						x, y = depth, x
					}
					i := 3 * (int((y+d.margin)*d.px)*d.w + int((x+d.margin)*d.px))
					for ch := range 3 {
						v[ch] += float64(pix[i+ch])
						c[ch] += float64(o.mid[i+ch]) / 256
					}
				}
				for ch := range 3 {
					v[ch], c[ch] = v[ch]/float64(along), c[ch]/float64(along)
					one.add(c[ch], v[ch])
					mean[3*r+ch] += v[ch]
					meanC[3*r+ch] += c[ch]
				}
			}
			if _, share := one.fit(); share > sideAgrees-0.2 {
				good++
			}
		}
		for i := range mean {
			all.add(meanC[i], mean[i])
		}
		b, share := all.fit()
		if share < sideAgrees || b < 1/sideContrast || b > sideContrast || float64(good) < sideStations*float64(stations) {
			return false
		}
	}
	return true
}

// profileFit is a regression of a view's profile on the deck's.
type profileFit struct{ n, x, y, xx, xy, yy float64 }

func (f *profileFit) add(x, y float64) {
	f.n++
	f.x += x
	f.y += y
	f.xx += x * x
	f.xy += x * y
	f.yy += y * y
}

// fit returns the slope and the share of the variance that it explains.
func (f *profileFit) fit() (slope, share float64) {
	if f.n < 2 {
		return 0, 0
	}
	xx, xy, yy := f.xx-f.x*f.x/f.n, f.xy-f.x*f.y/f.n, f.yy-f.y*f.y/f.n
	// Codes squared: no step to compare.
	if xx < f.n || yy < 1e-9 {
		return 0, 0
	}
	return xy / xx, xy * xy / (xx * yy)
}
