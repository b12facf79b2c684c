package visiontest

import (
	"image"
	"math"
	"math/rand/v2"
	"slices"

	"fairdeck/vision/frame"
	"fairdeck/vision/plane"
)

// DealStream renders a deal frame by frame, for one goroutine.
type DealStream struct {
	// Codec compresses a frame at a quality of 1 to 100 and returns the data
	// and their decoding; nil: image/jpeg, which takes half of the time of a
	// frame. It is to be set before the first frame.
	Codec func(m *frame.Image, quality int) (data []byte, seen *frame.Image, err error)

	d    Deal
	plan *dealPlan
	st   *Station
	r    *rand.Rand

	bare, base, work *canvas // the resting cards; with their shadows; with what moves
	dirty            image.Rectangle
	backs            []*sheet
	faces            []*sheet
	faceLooks        map[int]*look
	piles            [][]pile
	next             int // op
	weather          *dealWeather

	frame   int // of the camera, dropped ones too
	index   int
	at      float64
	dropped int
	clear   map[*DealRest]int
	rest    []*DealRest
}

// pile is a resting card and what was there before it.
type pile struct {
	op
	r      image.Rectangle
	before []uint16
	bare   []uint16
}

// NewDealStream decides everything random of a deal. It returns an error for
// a deal that contradicts itself.
func NewDealStream(d Deal) (*DealStream, error) {
	d, err := d.withDefaults()
	if err != nil {
		return nil, err
	}
	st, err := New(d.Deck)
	if err != nil {
		return nil, err
	}
	s := &DealStream{d: d, st: st, r: stream(d.Deck.Seed, streamDeal, 4), faceLooks: map[int]*look{}, clear: map[*DealRest]int{}}
	s.plan = newPlan(d, st.view)
	slices.SortStableFunc(s.plan.ops, func(a, b op) int {
		if a.at < b.at {
			return -1
		} else if a.at > b.at {
			return 1
		}
		return 0
	})
	slices.SortStableFunc(s.plan.truth.Rests, func(a, b *DealRest) int {
		if a.From < b.From {
			return -1
		} else if a.From > b.From {
			return 1
		}
		return 0
	})
	s.weather = newWeather(d, s.plan)
	s.piles = make([][]pile, len(s.plan.zones))
	s.backs, s.faces = make([]*sheet, d.Deck.Cards), make([]*sheet, d.Deck.Cards)
	st.prepareTable()
	w, h := st.view.width, st.view.height
	s.bare, s.base, s.work = &canvas{w, h, make([]uint16, 3*w*h)}, &canvas{w, h, make([]uint16, 3*w*h)}, &canvas{w, h, make([]uint16, 3*w*h)}
	for i, v := range st.empty.pix {
		s.bare.pix[i] = toLight(float64(v))
	}
	copy(s.base.pix, s.bare.pix)
	copy(s.work.pix, s.base.pix)
	st.table, st.empty = nil, nil // not needed again
	return s, nil
}

// Truth is what happens. ClearFrames and dropped frames are known once Next
// has returned the last frame.
func (s *DealStream) Truth() *DealTruth { return s.plan.truth }

// Frames is about how many frames the deal has.
func (s *DealStream) Frames() int { return int(s.plan.end * s.d.FPS) }

// sheetScale: a little finer than the camera, so that bilinear looks lose
// little of its sharpness.
const sheetScale = 1.25

func (s *DealStream) sheetOf(i int, face bool) (*sheet, error) {
	list := s.backs
	if face {
		list = s.faces
	}
	if list[i] != nil {
		return list[i], nil
	}
	c := *s.st.cards[i]
	z := s.plan.zones[0]
	if face {
		z = s.plan.zones[len(s.plan.zones)-1]
		l, err := s.faceLook(s.d.Faces[i])
		if err != nil {
			return nil, err
		}
		c.look, c.marks = l, nil
		c.index += 1 << 16 // other dust
	}
	c.centre, c.rotation = z, 0
	sh := s.st.shaderFor(&c)
	list[i] = newSheet(sh, s.st.view.scale*sheetScale, s.d.Deck.Sensor.BlurPx)
	if f := s.d.Deck.Fronts; face && f != nil && f.Turned[i] {
		list[i].turnOver()
	}
	return list[i], nil
}

// faceLook paints the picture of a face.
func (s *DealStream) faceLook(face int) (*look, error) {
	if l := s.faceLooks[face]; l != nil {
		return l, nil
	}
	if f := s.d.Deck.Fronts; f != nil {
		l, err := newFront(*f, face, s.d.Deck.Sleeve, s.st.cards[0].look, 2*s.st.view.scale)
		if err != nil {
			return nil, err
		}
		s.faceLooks[face] = l
		return l, nil
	}
	r := stream(s.d.Deck.Seed, streamDeal, 1000+face)
	f := s.d.Deck.Sleeve
	f.Art = Art{Style: choose(r, []ArtStyle{Portrait, Landscape, Emblem, Geometric, Rosette}), Seed: r.Uint64()>>1 + 1, BorderMM: between(r, 2, 4)}
	f.Art.Border = choose(stream(s.d.Deck.Seed, streamDeal, 999), []Colour{White, Black, Black, Ivory})
	f.Colour = choose(r, []Colour{White, Grey, Blue, Pink, Red, Green, Purple, Yellow, Ivory, Oak})
	if f.Finish == Matte {
		f.Finish = Satin // the clear front is smoother than a matte back
	}
	l, err := newLook(f, s.d.Deck.Seed, 2*s.st.view.scale)
	if err != nil {
		return nil, err
	}
	s.faceLooks[face] = l
	return l, nil
}

// side returns the sheet that shows in a zone or during a flight.
func (s *DealStream) side(i int, zone int, flip float64) (*sheet, error) {
	switch s.d.Kind {
	case FacesDeal:
		return s.sheetOf(i, true)
	case OnePassDeal:
		return s.sheetOf(i, zone == 1 && flip >= 0)
	}
	return s.sheetOf(i, false)
}

// soft is the width of an outline as the lens shows it: a smoothstep of
// three sigmas has nearly a Gaussian's slope.
func (s *DealStream) soft() float64 { return max(1, 3*s.d.Deck.Sensor.BlurPx) }

// apply brings the resting cards to time t.
func (s *DealStream) apply(t float64) error {
	for ; s.next < len(s.plan.ops) && s.plan.ops[s.next].at <= t; s.next++ {
		o := s.plan.ops[s.next]
		switch o.kind {
		case put:
			sh, err := s.side(o.card, o.zone, 1)
			if err != nil {
				return err
			}
			thick := s.d.Deck.Sleeve.ThicknessMM
			top := o.pose
			top.z += thick
			p := place(sh, top, s.st.view, s.soft())
			r := p.bounds(6*thick + 2).Intersect(s.base.bounds())
			s.piles[o.zone] = append(s.piles[o.zone], pile{op: o, r: r, before: s.base.cut(r), bare: s.bare.cut(r)})
			if k := len(s.piles[o.zone]) - 4; k >= 0 && !(s.d.Kind == OnePassDeal && o.zone == 0) {
				s.piles[o.zone][k].before, s.piles[o.zone][k].bare = nil, nil // nobody digs so deep
			}
			place(sh, o.pose, s.st.view, s.soft()).darken(s.base, s.bare, thick)
			p.draw(s.base, nil, 1)
			p.draw(s.bare, nil, 1)
			s.dirty = s.dirty.Union(r)
		case take:
			k := len(s.piles[o.zone]) - 1
			p := s.piles[o.zone][k]
			s.base.paste(p.r, p.before)
			s.bare.paste(p.r, p.bare)
			s.dirty = s.dirty.Union(p.r)
			s.piles[o.zone] = s.piles[o.zone][:k]
		}
	}
	return nil
}

// Next renders the next frame; ok is false after the last.
func (s *DealStream) Next() (f DealFrame, ok bool, err error) {
	for s.at < s.plan.end {
		t := (float64(s.frame) + clamp(s.d.TimeJitter*s.r.NormFloat64(), -0.4, 0.4)) / s.d.FPS
		lost := s.frame > 0 && s.r.Float64() < s.d.DropRate
		s.frame++
		s.at = float64(s.frame) / s.d.FPS
		if lost {
			s.dropped++
			continue
		}
		f = DealFrame{Index: s.index, Seconds: max(0, t), Dropped: s.dropped}
		s.index++
		s.dropped = 0
		if err := s.render(&f); err != nil {
			return f, false, err
		}
		return f, true, nil
	}
	return f, false, nil
}

func (s *DealStream) render(f *DealFrame) error {
	t := f.Seconds
	if err := s.apply(t); err != nil {
		return err
	}
	s.work.copyFrom(s.base, s.dirty)
	s.dirty = image.Rectangle{}
	shutter := min(1.0/60, 0.6/s.d.FPS) * s.weather.shutter
	v := s.st.view

	h0, h1 := s.plan.hand.at(t), s.plan.hand.at(t+shutter)
	limbs := s.limbs(h0, t)
	var moving []*placed
	var flights []flight
	for _, fl := range s.plan.flights {
		if fl.from <= t && t < fl.to {
			flights = append(flights, fl)
			q := fl.path.at(t)
			sh, err := s.side(fl.card, len(s.plan.zones)-1, q.flip)
			if err != nil {
				return err
			}
			moving = append(moving, place(sh, q, v, s.soft()))
		}
	}
	s.watch(t, limbs, len(moving) > 0)
	shade := newDealShade(s, t, limbs, h0, moving)
	s.dirty = s.dirty.Union(shade.apply(s.work))
	for i, p := range moving {
		q := flights[i].path.at(min(t+shutter, flights[i].to))
		far := v.scale * (math.Hypot(q.x-p.x, q.y-p.y) + math.Abs(q.turn-p.turn)*p.high/2 + math.Abs(q.flip-p.flip)*p.wide/2)
		steps := min(5, 1+int(far/2.5))
		last := place(p.sheet, q, v, p.soft)
		r := p.bounds(0).Union(last.bounds(0)).Intersect(s.work.bounds())
		s.dirty = s.dirty.Union(r)
		if steps == 1 {
			p.draw(s.work, nil, 1)
			continue
		}
		acc := newSmearing(r)
		for k := range steps {
			m := p.pose.towards(q, (float64(k)+0.5)/float64(steps))
			place(p.sheet, m, v, p.soft+far/float64(steps)).draw(s.work, acc, 1/float32(steps))
		}
		acc.lay(s.work)
	}
	if limbs != nil {
		far := v.scale * math.Hypot(h1.x-h0.x, h1.y-h0.y)
		skin, _ := s.d.Skin.linear()
		cuff, _ := s.d.Cuff.linear()
		s.dirty = s.dirty.Union(paintHand(s.work, seen(limbs, h0.z, v), skin, cuff, s.soft()+0.8*far))
	}
	out := s.work
	if sigma := s.weather.defocus(t); sigma > 0.3 {
		out = defocus(s.work, sigma)
	}
	f.Image = s.weather.develop(out, s.d, t, stream(s.d.Deck.Seed, streamNoise, f.Index))
	if q := s.d.Deck.Sensor.JPEGQuality; q > 0 {
		codec := s.Codec
		if codec == nil {
			codec = throughJPEG
		}
		var err error
		if f.JPEG, f.Image, err = codec(f.Image, q); err != nil {
			return err
		}
	}
	return nil
}

// throughJPEG is the codec of this package.
func throughJPEG(m *frame.Image, quality int) (data []byte, seen *frame.Image, err error) {
	if data, err = encodeJPEG(m, quality); err != nil {
		return nil, nil, err
	}
	seen, err = decodeJPEG(data)
	return data, seen, err
}

// limbs is the hand at time t in mm, nil while it is nowhere near.
func (s *DealStream) limbs(h pose, t float64) []limb {
	v := s.st.view
	wide, high := float64(v.width)/v.scale/2, float64(v.height)/v.scale/2
	if math.Abs(h.x) > wide+70 || math.Abs(h.y) > high+70 {
		return nil
	}
	// Fingers are never quite still.
	return arm(h, s.plan.anchor, 0.3+0.2*math.Sin(2.1*t), 0.3*math.Sin(3.3*t+1))
}

// watch counts the frames in which the top cards are clear.
func (s *DealStream) watch(t float64, limbs []limb, flying bool) {
	for _, r := range s.plan.truth.Rests {
		if t < r.From || t >= r.To {
			continue
		}
		free := true
		sin, cos := math.Sincos(deg(r.TurnDeg))
		w, h := s.d.Deck.Sleeve.WidthMM, s.d.Deck.Sleeve.HeightMM
		for i := -2; i <= 2 && free; i++ {
			for j := -3; j <= 3 && free; j++ {
				x, y := float64(i)*w/4, float64(j)*h/6
				p := plane.Point{X: r.CentreMM[0] + cos*x - sin*y, Y: r.CentreMM[1] + sin*x + cos*y}
				free = !touches(limbs, p, 4)
			}
		}
		if free && flying {
			for _, fl := range s.plan.flights {
				if fl.from <= t && t < fl.to {
					q := fl.path.at(t)
					free = free && math.Hypot(q.x-r.CentreMM[0], q.y-r.CentreMM[1]) > math.Hypot(w, h)
				}
			}
		}
		if !free {
			s.clear[r] = 0
			continue
		}
		s.clear[r]++
		r.ClearFrames = max(r.ClearFrames, s.clear[r])
	}
}

// toneLevels is the resolution of the tone table: the light in steps of 4.
const toneShift = 2
