package visiontest

import (
	"math"
	"math/rand/v2"
	"sort"

	"fairdeck/vision/colour"
	"fairdeck/vision/frame"
)

// stackSlab is one sheet of a layer in the cross-section: front at front mm
// towards the camera, from z1 (top) to z0 mm above the table.
type stackSlab struct {
	layer      int
	z0, z1     float64
	front      float64
	shift      float64 // along the side
	bgr, face  [3]float64
	shade      float64 // 0 dark to 1: how much of the direct light reaches the front
	paper, top bool    // paper has grain along the edge; top is the uppermost sheet
}

// Render draws the scene. The same scene gives the same picture.
func (s StackScene) Render() (*frame.Image, StackTruth) {
	rng := rand.New(rand.NewPCG(s.Seed, 0xd1ce))
	img := frame.New(s.Width, s.Height)
	truth := s.truth()
	const block = 8 // columns that share a cross-section
	ss := 3         // rays per row
	roll, yaw := s.RollDeg*math.Pi/180, s.YawDeg*math.Pi/180
	cx, cy := float64(s.Width)/2, float64(s.Height)/2
	light := make([][3]float64, s.Width*s.Height)
	grain := stackNoise(rng, s.Width/4+2, s.Height/3+2)
	fibre := stackNoise(rng, s.Width+2, len(s.Layers)*4+4)
	for x0 := 0; x0 < s.Width; x0 += block {
		xm := float64(x0) + block/2 - cx
		// A turned side is nearer at one end.
		lateral := xm * s.DistanceMM / s.FocalPx
		dist := s.DistanceMM + lateral*math.Tan(yaw)
		lateral = xm * dist / s.FocalPx
		slabs := s.slabs(lateral)
		for y := range s.Height {
			for x := x0; x < min(x0+block, s.Width); x++ {
				var sum [3]float64
				xr := (float64(x) - cx) * dist / s.FocalPx
				for k := range ss {
					fy := float64(y) + (float64(k)+0.5)/float64(ss) - 0.5 - cy - (float64(x)-cx)*math.Tan(roll)
					tan := math.Tan(math.Atan2(fy, s.FocalPx) + s.PitchDeg*math.Pi/180)
					c := s.cast(slabs, xr, dist, tan, grain, fibre, x, y)
					for j := range sum {
						sum[j] += c[j] / float64(ss)
					}
				}
				fall := s.Exposure * math.Exp2(-s.FalloffStop*(float64(x)-cx)/float64(s.Width))
				for j := range sum {
					sum[j] *= fall
				}
				light[y*s.Width+x] = sum
			}
		}
	}
	stackBlur(light, s.Width, s.Height, s.BlurPx)
	for i, c := range light {
		for j := range 3 {
			// Shot noise in light is nearly constant after the tone curve.
			v := colour.Encode(c[j]) + s.NoiseSigma*rng.NormFloat64()
			img.Pix[3*i+j] = uint8(math.Round(min(255, max(0, v))))
		}
	}
	return img, truth
}

// slabs builds the cross-section at a place along the side, top sheet first.
func (s StackScene) slabs(lateral float64) []stackSlab {
	t := 2 * lateral / s.SideMM // -1 to 1 along the side
	// A bowed deck rests on its middle or on its ends, never in the table.
	sag := s.BowMM * t * t
	if s.BowMM < 0 {
		sag = -s.BowMM * (1 - t*t)
	}
	z := 0.0
	for _, l := range s.Layers {
		z += l.ThicknessMM + l.WarpMM
	}
	total := z
	var out []stackSlab
	for i, l := range s.Layers {
		front := l.ProtrusionMM + l.JitterMM + s.LeanMM*(z/total-0.5)
		// A warped sheet lies on the one below at its ends and on its middle
		// leaves a gap; the gap above is the complement.
		lift := l.WarpMM * (1 - t*t)
		top := z + sag - l.WarpMM + lift
		face := [3]float64{l.EdgeBGR[0] * 0.8, l.EdgeBGR[1] * 0.7, l.EdgeBGR[2] * 0.7}
		add := func(from, to, back float64, bgr [3]float64, paper bool) {
			out = append(out, stackSlab{layer: i, z1: top - from*l.ThicknessMM, z0: top - to*l.ThicknessMM,
				front: front - back, bgr: bgr, shift: l.ShiftMM, face: face, paper: paper, top: i == 0 && len(out) == 0})
		}
		m := s.Material
		switch {
		case s.Open && !l.Turned:
			add(0, 0.18, 0, l.EdgeBGR, false)
			add(0.36, 0.68, m.RecessMM, m.PaperBGR, true)
			add(0.82, 1, 0.05, m.FilmBGR, false)
		case s.Double:
			inner := [3]float64{}
			for j := range inner {
				inner[j] = (1-m.InnerClear)*l.EdgeBGR[j] + m.InnerClear*m.FilmBGR[j]
			}
			add(0.08, 0.3, 0, l.EdgeBGR, false)
			add(0.55, 0.75, m.InnerRecessMM, inner, false)
		default:
			add(m.Edge[0], m.Edge[1], 0, l.EdgeBGR, false)
		}
		z -= l.ThicknessMM + l.WarpMM
	}
	// Each front is shaded by what sticks out farther just above it.
	for i := range out {
		lit := 1.0
		for k := i - 1; k >= max(0, i-6); k-- {
			over := out[k].front - out[i].front
			if over <= 0 {
				continue
			}
			covered := over*math.Tan(s.LightDeg*math.Pi/180) - (out[k].z0 - out[i].z1)
			lit = min(lit, 1-covered/(out[i].z1-out[i].z0))
		}
		out[i].shade = min(1, max(0, lit))
	}
	return out
}

// cast follows one ray to the first thing it meets.
func (s StackScene) cast(slabs []stackSlab, xr, dist, tan float64, grain, fibre []float64, x, y int) [3]float64 {
	// Height of the ray at d mm out of the side: camera at d = dist.
	at := func(d float64) float64 { return s.CameraMM - (dist-d)*tan }
	if s.Clip && xr > s.SideMM/2-9 && xr < s.SideMM/2+14 && at(5) > 2 && at(5) < 60 {
		return [3]float64{0.01, 0.01, 0.012}
	}
	best, hit := -1e9, [3]float64{}
	// Sheets lie in order of height; only those within reach of the ray (the
	// uppermost always) are asked.
	z := at(0)
	first := sort.Search(len(slabs), func(i int) bool { return slabs[i].z0 < z+3 })
	if len(slabs) > 0 && z > slabs[0].z0-3 {
		first = 0
	}
	for i := min(first, max(0, len(slabs)-1)); i < len(slabs); i++ {
		b := &slabs[i]
		if b.z1 < z-3 && !b.top {
			break
		}
		// What is nearer looks longer: the ends tell of protrusion too.
		if math.Abs(xr*(dist-b.front)/dist-b.shift) > s.SideMM/2 {
			continue
		}
		zf := at(b.front)
		switch {
		case zf <= b.z1 && zf >= b.z0 && b.front > best:
			best = b.front
			l := s.Ambient + (1-s.Ambient)*b.shade*math.Cos(s.LightDeg*math.Pi/180)
			if b.paper {
				l *= s.Material.PaperLight * (1 + 0.35*fibre[(b.layer*2%(len(s.Layers)*2))*(s.Width+2)+x])
			}
			for j := range hit {
				hit[j] = b.bgr[j] * l
			}
		case zf > b.z1 && tan > 0:
			// The ray passes over the front and may come down on the face.
			d := b.front - (zf-b.z1)/tan
			if d > b.front-s.depth(b) && d > best {
				best = d
				l := 1.0
				if !b.top {
					// Between two sheets light fades with depth.
					over := s.overhang(slabs, i)
					l = 0.75 * math.Exp(-max(0, over-d)/0.45)
				}
				for j := range hit {
					hit[j] = b.face[j] * l * (s.Ambient + (1-s.Ambient)*math.Sin(s.LightDeg*math.Pi/180))
				}
			}
		}
	}
	if best > -s.DepthMM {
		return hit
	}
	inside := math.Abs(xr) < s.SideMM/2-0.3
	if inside && at(-1.5) > slabs[len(slabs)-1].z0 && at(-1.5) < slabs[0].z1 {
		return [3]float64{0.002, 0.002, 0.002} // between sheets
	}
	if tan > 0 {
		d := dist - s.CameraMM/tan
		if d > -180 {
			g := grain[min(len(grain)-1, (y/3)*(s.Width/4+2)+x/4)]
			// Wood grain: lines along the picture, like layers.
			lines := s.TableGrain * math.Sin(d*1.3+0.4*math.Sin(xr*0.05))
			l := 1 + s.TableNoise*g + lines
			switch {
			case inside && d >= 0:
				l *= 1 - 0.75*math.Exp(-d/2.5) // contact shadow
				l *= 1 / (1 + 4*max(0, 0.1-d)) // and the dark below the lowest sleeve
			case inside:
				// Below the lowest sheet light fades within half a millimetre.
				l *= 0.18 * math.Exp(d/0.4)
			}
			return [3]float64{s.TableBGR[0] * l, s.TableBGR[1] * l, s.TableBGR[2] * l}
		}
	}
	return s.WallBGR
}

// depth is how far a sheet's face reaches back before the next thing stops the eye.
func (s StackScene) depth(b *stackSlab) float64 {
	if b.top {
		return s.DepthMM
	}
	return 2.5
}

// overhang is the front of the sheet that covers slab i.
func (s StackScene) overhang(slabs []stackSlab, i int) float64 {
	if i == 0 {
		return slabs[0].front
	}
	return slabs[i-1].front
}

// Truth is what Render would state, without the picture.
func (s StackScene) Truth() StackTruth { return s.truth() }

func (s StackScene) truth() StackTruth {
	t := StackTruth{LeftPx: float64(s.Width)/2 - s.SideMM/2*s.FocalPx/s.DistanceMM, RightPx: float64(s.Width)/2 + s.SideMM/2*s.FocalPx/s.DistanceMM}
	rows := map[int][2]float64{}
	for _, b := range s.slabs(0) {
		if r, ok := rows[b.layer]; ok {
			rows[b.layer] = [2]float64{b.z0, r[1]}
			continue
		}
		rows[b.layer] = [2]float64{b.z0, b.z1}
	}
	total := 0.0
	for _, l := range s.Layers {
		total += l.ThicknessMM + l.WarpMM
	}
	z := total
	for i, l := range s.Layers {
		front := l.ProtrusionMM + l.JitterMM + s.LeanMM*(z/total-0.5)
		z -= l.ThicknessMM + l.WarpMM
		mid := (rows[i][0] + rows[i][1]) / 2
		a := math.Atan2(s.CameraMM-mid, s.DistanceMM-front) - s.PitchDeg*math.Pi/180
		t.Layers = append(t.Layers, StackLayerTruth{
			ProtrusionMM: l.ProtrusionMM, FrontMM: front, ThicknessMM: l.ThicknessMM, WarpMM: l.WarpMM,
			Colour: l.Colour, Turned: l.Turned, YPx: float64(s.Height)/2 + s.FocalPx*math.Tan(a),
		})
	}
	return t
}

// stackNoise is white noise, smoothed a little along x.
func stackNoise(rng *rand.Rand, w, h int) []float64 {
	out := make([]float64, w*h)
	for y := range h {
		v := 0.0
		for x := range w {
			v = 0.6*v + 0.8*rng.NormFloat64()
			out[y*w+x] = v
		}
	}
	return out
}

// stackBlur is a separable Gaussian in linear light.
func stackBlur(p [][3]float64, w, h int, sigma float64) {
	if sigma <= 0 {
		return
	}
	r := int(math.Ceil(3 * sigma))
	k := make([]float64, 2*r+1)
	sum := 0.0
	for i := range k {
		k[i] = math.Exp(-0.5 * float64((i-r)*(i-r)) / (sigma * sigma))
		sum += k[i]
	}
	for i := range k {
		k[i] /= sum
	}
	line := make([][3]float64, max(w, h))
	pass := func(n, base, step int) {
		for i := range n {
			line[i] = p[base+i*step]
		}
		for i := range n {
			var a [3]float64
			for j, f := range k {
				q := line[min(n-1, max(0, i+j-r))]
				a[0], a[1], a[2] = a[0]+f*q[0], a[1]+f*q[1], a[2]+f*q[2]
			}
			p[base+i*step] = a
		}
	}
	for y := range h {
		pass(w, y*w, 1)
	}
	for x := range w {
		pass(h, x, w)
	}
}
