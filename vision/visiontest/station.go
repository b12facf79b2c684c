package visiontest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"fairdeck/vision/colour"
	"fairdeck/vision/frame"
	"fairdeck/vision/plane"
)

// Station is a deck with everything decided: it renders frames in any order,
// from several goroutines at once.
type Station struct {
	deck         Deck
	view         *viewer
	light        *lighting
	surface      *surface
	cards        []*card
	frames       []framePlan
	truth        *Truth
	overlayScale float64

	tableOnce    sync.Once
	table, empty *layer // in sharp light; as the sensor sees it
}

type framePlan struct {
	cards        []*card
	things       []*thing
	drift        Drift
	moveX, moveY float64 // px during the exposure
	hand         *handShadow
}

// New decides everything random of a deck and works out its truth. It
// returns an error for a deck that contradicts itself.
func New(d Deck) (*Station, error) {
	d, err := d.withDefaults()
	if err != nil {
		return nil, err
	}
	st := &Station{deck: d, view: newViewer(d.Camera), light: newLighting(d.Light)}
	// Twice the camera's resolution, so that four samples a pixel suffice;
	// beyond 28 px/mm nothing on a sleeve is finer.
	st.overlayScale = clamp(2*st.view.scale, 4, 28)
	if st.surface, err = newSurface(d.Table, mix(d.Seed)+streamTable); err != nil {
		return nil, err
	}
	if err := st.deal(); err != nil {
		return nil, err
	}
	if err := st.place(); err != nil {
		return nil, err
	}
	if err := st.mark(); err != nil {
		return nil, err
	}
	st.truth = st.tell()
	return st, nil
}

// deal makes the sleeves.
func (st *Station) deal() error {
	d := st.deck
	main, err := newLook(d.Sleeve, d.Seed, st.overlayScale)
	if err != nil {
		return err
	}
	for i := range d.Cards {
		c := &card{index: i, batch: "A", look: main, tint: [3]float64{1, 1, 1}, wear: 1}
		c.dress(d.Sleeve, d.Seed)
		st.cards = append(st.cards, c)
	}
	for k, b := range d.Batches {
		sleeve := d.Sleeve
		look := main
		if b.Finish != "" && b.Finish != d.Sleeve.Finish {
			sleeve.Finish = b.Finish
			if look, err = newLook(sleeve, d.Seed, st.overlayScale); err != nil {
				return err
			}
		}
		for _, i := range b.Cards {
			c := st.cards[i]
			c.batch, c.look = string(rune('B'+k)), look
			c.tint = labShift(look.plain, b.DeltaL, b.DeltaA, b.DeltaB)
		}
	}
	for k, o := range d.Odd {
		sleeve, look := d.Sleeve, main
		if o.Design != nil {
			sleeve = o.Design.withDefaults()
			if look, err = newLook(sleeve, d.Seed+uint64(k)+1, st.overlayScale); err != nil {
				return err
			}
		}
		sleeve.WidthMM += o.AddMM.X
		sleeve.HeightMM += o.AddMM.Y
		for _, i := range o.Cards {
			c := st.cards[i]
			c.look = look
			c.dress(sleeve, d.Seed)
			c.printOffset = c.printOffset.Add(o.PrintMM)
			c.wear = positive(o.Wear, 1)
		}
	}
	for _, i := range d.Turned {
		st.cards[i].orientation = 180
	}
	if d.Fronts != nil && !d.frontsInDeal {
		return st.turnUp(main)
	}
	return nil
}

// turnUp lets the cards show their faces.
func (st *Station) turnUp(back *look) error {
	d := st.deck
	prints := map[int]*look{}
	for i, c := range st.cards {
		face := d.Fronts.Of[i]
		if prints[face] == nil {
			l, err := newFront(*d.Fronts, face, d.Sleeve, back, st.overlayScale)
			if err != nil {
				return err
			}
			prints[face] = l
		}
		c.look = prints[face]
		if d.Fronts.Turned[i] {
			c.orientation = 180
		}
	}
	return nil
}

// newFront is the look of a sleeve's clear side with a face under it.
func newFront(f FaceDeck, face int, s Sleeve, back *look, pxPerMM float64) (*look, error) {
	t, err := paintFace(f.Game, f.Faces[face], s, back.plain, pxPerMM)
	if err != nil {
		return nil, err
	}
	t.soften()
	l := *back
	l.print = t
	if l.grain > 0.02 {
		l.roughness, l.grain = 0.2, 0.015 // the clear front is smoother than a matte back
	}
	return &l, nil
}

// dress gives the card its size and bow.
func (c *card) dress(s Sleeve, seed uint64) {
	r := stream(seed, streamPlan, c.index)
	c.width, c.height = s.WidthMM+s.SizeJitterMM*r.NormFloat64(), s.HeightMM+s.SizeJitterMM*r.NormFloat64()
	c.radius, c.thickness = s.CornerRadiusMM, s.ThicknessMM
	if s.OuterClear {
		c.width += 2 * outerBorderMM
		c.height += 2 * outerBorderMM
		c.thickness += 0.2
	}
	c.bow = [3]float64{s.BowMM * r.NormFloat64(), s.BowMM * 0.8 * r.NormFloat64(), s.BowMM * 0.3 * r.NormFloat64()}
	c.settle()
	c.printOffset = plane.Point{X: s.PrintJitterMM * r.NormFloat64(), Y: s.PrintJitterMM * r.NormFloat64()}
	c.grainShift = plane.Point{X: 1000 * r.Float64(), Y: 1000 * r.Float64()}
}

// labShift is the factor on linear light that shifts a colour in CIELAB.
func labShift(rgb [3]float64, l, a, b float64) [3]float64 {
	q := colour.ToLab(rgb[0], rgb[1], rgb[2])
	q.L, q.A, q.B = q.L+l, q.A+a, q.B+b
	var to [3]float64
	to[0], to[1], to[2] = q.ToLinear()
	for c := range 3 {
		to[c] = math.Max(0, to[c]) / math.Max(rgb[c], 1e-4)
	}
	return to
}

// place lays the cards into frames.
func (st *Station) place() error {
	d, l := st.deck, st.deck.Layout
	per := l.perFrame()
	cut := map[int]bool{}
	for _, i := range d.Cut {
		cut[i] = true
	}
	for first := 0; first < len(st.cards); first += per {
		f := st.newFrame()
		for k, c := range st.cards[first:min(first+per, len(st.cards))] {
			r := stream(d.Seed, streamPlan, 1<<20+c.index)
			c.centre = plane.Point{X: l.ShiftMM * r.NormFloat64(), Y: l.ShiftMM * r.NormFloat64()}
			if l.grid() {
				w, h := d.Sleeve.WidthMM+l.GapMM, d.Sleeve.HeightMM+l.GapMM
				if d.Sleeve.OuterClear {
					w, h = w+2*outerBorderMM, h+2*outerBorderMM
				}
				c.centre.X += w * (float64(k%l.Cols) - float64(l.Cols-1)/2)
				c.centre.Y -= h * (float64(k/l.Cols) - float64(l.Rows-1)/2)
			}
			turn := l.AngleDeg + l.TurnDeg*r.NormFloat64() + float64(c.orientation)
			c.rotation = turn * math.Pi / 180
			if cut[c.index] && !l.grid() {
				// A third of the height beyond the border.
				half := float64(st.view.height) / st.view.scale / 2
				c.centre.Y = math.Copysign(half-c.height/6, r.NormFloat64())
			}
			f.cards = append(f.cards, c)
		}
		st.frames = append(st.frames, f)
	}
	for range d.Empty {
		st.frames = append(st.frames, st.newFrame())
	}
	for _, a := range d.Aliens {
		t, err := newThing(a)
		if err != nil {
			return err
		}
		for i := range st.frames {
			if a.Frames == nil || slices.Contains(a.Frames, i) {
				st.frames[i].things = append(st.frames[i].things, t)
			}
		}
	}
	for _, i := range d.Hands {
		if i < 0 || i >= len(st.frames) {
			return fmt.Errorf("visiontest: a hand in frame %d of %d", i, len(st.frames))
		}
		st.frames[i].hand = newHandShadow(stream(d.Seed, streamPlan, 1<<21+i), st.view)
	}
	return nil
}

// newFrame draws what the camera does in the next frame. Everything is drawn
// whether it is used or not, so that a deck keeps its exposure when its
// motion is switched off.
func (st *Station) newFrame() framePlan {
	s := st.deck.Sensor
	r := stream(st.deck.Seed, streamNoise, len(st.frames))
	f := framePlan{drift: Drift{
		Exposure: math.Max(0.1, 1+s.ExposureDrift*r.NormFloat64()),
		RedGain:  math.Max(0.1, 1+s.WhiteDrift*r.NormFloat64()),
		BlueGain: math.Max(0.1, 1+s.WhiteDrift*r.NormFloat64()),
	}}
	f.drift.BlurSigmaPx = s.BlurPx + math.Abs(s.BlurDriftPx*r.NormFloat64())
	sin, cos := math.Sincos(2 * math.Pi * r.Float64())
	move := math.Abs(s.MotionPx * r.NormFloat64())
	f.moveX, f.moveY = move*cos, move*sin
	return f
}

// mark readies the marks and solves their contrast on the first card that
// has them.
func (st *Station) mark() error {
	for k, spec := range st.deck.Marks {
		for n, i := range spec.Cards {
			c := st.cards[i]
			m, err := spec.ready(&c.shape, c.look.plain, mix(st.deck.Seed)+uint64(k)<<20)
			if err != nil {
				return err
			}
			if n == 0 {
				st.solve(m, c)
				spec.strength = m.strength
			}
			m.strength = spec.strength
			// Shared marks are alike, not the same.
			m.seed += uint64(n)
			m.spec = k
			c.marks = append(c.marks, m)
		}
	}
	return nil
}

// tell writes down the truth.
func (st *Station) tell() *Truth {
	d := st.deck
	nominal := Pair{d.Sleeve.WidthMM, d.Sleeve.HeightMM}
	if d.Sleeve.OuterClear {
		nominal[0] += 2 * outerBorderMM
		nominal[1] += 2 * outerBorderMM
	}
	t := &Truth{Deck: d.Name, Seed: d.Seed, SleeveNominalMM: &nominal, Table: string(d.Table.Kind),
		Cameras: []TruthCamera{st.view.truth()},
		Convention: "OpenCV pixels of the final distorted picture, centre of the top-left pixel = (0,0); corners are the sleeve's outer corners " +
			"as if not rounded, on its top surface, TL TR BR BL in the sleeve's own frame; where_mm from TL, x right, y down, in the own frame"}
	seen := map[int]verdict{}
	odd := map[int][]TruthMark{}
	for _, o := range d.Odd {
		whole := func(i int, kind Kind, size float64) {
			c := st.cards[i]
			odd[i] = append(odd[i], TruthMark{Kind: string(kind), WholeSleeve: true, SizeMM: round(size, 3),
				WhereMM: &Pair{round(c.width/2, 3), round(c.height/2, 3)}, Severity: oddSeverity(kind, size)})
		}
		for _, i := range o.Cards {
			switch {
			case o.Design != nil:
				whole(i, OtherDesign, math.Max(d.Sleeve.WidthMM, d.Sleeve.HeightMM))
			default:
				if s := o.AddMM.Norm(); s > 0 {
					whole(i, OtherSize, s)
				}
				if s := o.PrintMM.Norm(); s > 0 {
					whole(i, PrintOffset, s)
				}
				if o.Wear > 1 {
					whole(i, OverallWear, o.Wear)
				}
			}
		}
	}
	for n, f := range st.frames {
		drift := f.drift
		tf := TruthFrame{File: st.FileName(n), Drift: &drift}
		if d.Sensor.JPEGQuality > 0 {
			tf.JPEGQuality = d.Sensor.JPEGQuality
		}
		if d.Layout.grid() {
			tf.LayoutRowsCols = []int{d.Layout.Rows, d.Layout.Cols}
		}
		for _, a := range f.things {
			tf.Aliens = append(tf.Aliens, a.truth(st.view))
		}
		for _, c := range f.cards {
			tc := TruthCard{Index: c.index, Orientation: c.orientation, SleeveBatch: c.batch,
				SizeMM: &Pair{round(c.width, 3), round(c.height, 3)}, CornerRadiusMM: c.radius,
				RotationDeg: round(c.rotation*180/math.Pi, 3), BowMM: c.bow[:],
				CentreMM:      &Pair{round(c.centre.X, 3), round(c.centre.Y, 3)},
				PrintOffsetMM: &Pair{round(c.printOffset.X, 3), round(c.printOffset.Y, 3)},
			}
			for i := range 4 {
				p := st.view.project(c.corner(i))
				tc.Corners = append(tc.Corners, Pair{round(p.X, 4), round(p.Y, 4)})
				if p.X < 0 || p.Y < 0 || p.X > float64(st.view.width-1) || p.Y > float64(st.view.height-1) {
					tc.Cut = true
				}
			}
			for k, m := range c.marks {
				measured, word := st.measure(m, c, seen)
				z, _, _ := c.surface(m.WhereMM.X, m.WhereMM.Y)
				p := st.view.project(c.toWorld(m.WhereMM.X, m.WhereMM.Y, z))
				tm := TruthMark{ID: fmt.Sprintf("%d_%d", c.index, k), Kind: string(m.Kind), SizeMM: m.SizeMM,
					WhereMM: &Pair{round(m.WhereMM.X, 3), round(m.WhereMM.Y, 3)}, Severity: word, Corner: m.Corner,
					ImageXY: &Pair{round(p.X, 2), round(p.Y, 2)}, Measured: &measured}
				switch m.Kind {
				case PenLine, Scratch, Crease, SurfacePrint:
					a, b := m.ends()
					tm.LineMM = []Pair{{round(a.X, 3), round(a.Y, 3)}, {round(b.X, 3), round(b.Y, 3)}}
				}
				tc.Marks = append(tc.Marks, tm)
			}
			tc.Marks = append(tc.Marks, odd[c.index]...)
			tf.Cards = append(tf.Cards, tc)
		}
		t.Frames = append(t.Frames, tf)
	}
	return t
}

// oddSeverity judges sleeves that differ as a whole: a size is felt and seen
// in a squared deck from about 0.4 mm (visible) and 1 mm (obvious); a print
// is seen against the border from 0.5 and 1.2 mm; wear shows in a row of
// sleeves from three times and eight times the others'.
func oddSeverity(k Kind, size float64) string {
	visible, obvious := 0.4, 1.0
	switch k {
	case OtherDesign:
		return Obvious
	case PrintOffset:
		visible, obvious = 0.5, 1.2
	case OverallWear:
		visible, obvious = 3, 8
	}
	switch {
	case size >= obvious:
		return Obvious
	case size >= visible:
		return Visible
	}
	return CameraOnly
}

// Frames is the number of pictures.
func (st *Station) Frames() int { return len(st.frames) }

// Truth is what is on the pictures. It must not be changed.
func (st *Station) Truth() *Truth { return st.truth }

// FileName is the name of a picture inside the deck's folder.
func (st *Station) FileName(i int) string {
	if st.deck.Sensor.JPEGQuality > 0 {
		return fmt.Sprintf("back_%03d.jpg", i)
	}
	return fmt.Sprintf("back_%03d.png", i)
}

// Frame renders picture i as a program sees it after decoding.
func (st *Station) Frame(i int) (*frame.Image, error) {
	m, err := st.expose(i)
	if err != nil || st.deck.Sensor.JPEGQuality < 0 {
		return m, err
	}
	data, err := encodeJPEG(m, st.deck.Sensor.JPEGQuality)
	if err != nil {
		return nil, err
	}
	return decodeJPEG(data)
}

// File renders picture i as the bytes of a JPEG or PNG file.
func (st *Station) File(i int) ([]byte, error) {
	m, err := st.expose(i)
	if err != nil {
		return nil, err
	}
	if q := st.deck.Sensor.JPEGQuality; q > 0 {
		return encodeJPEG(m, q)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		return nil, fmt.Errorf("visiontest: %w", err)
	}
	return b.Bytes(), nil
}

func (st *Station) prepareTable() {
	st.tableOnce.Do(func() {
		all := image.Rect(0, 0, st.view.width, st.view.height)
		st.table = paintTable(st.surface, st.light, st.view, all)
		st.empty = blur(st.table, all, st.deck.Sensor.BlurPx)
		vignette(st.empty, st.view, st.deck.Sensor.Vignetting)
	})
}

// copyTable returns the sharp empty table in r, grown by the blur's radius.
func (st *Station) copyTable(r image.Rectangle, sigma float64) *layer {
	st.prepareTable()
	r = r.Inset(-blurRadius(sigma)).Intersect(st.table.Rectangle)
	l := newLayer(r)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		copy(l.row(y), st.table.row(y)[3*r.Min.X:])
	}
	return l
}

// expose renders picture i before any file format.
func (st *Station) expose(i int) (*frame.Image, error) {
	if i < 0 || i >= len(st.frames) {
		return nil, fmt.Errorf("visiontest: frame %d of %d", i, len(st.frames))
	}
	st.prepareTable()
	f := &st.frames[i]
	noise := stream(st.deck.Seed, streamNoise, 1<<20+i)
	if f.moveX == 0 && f.moveY == 0 && f.hand == nil && f.drift.BlurSigmaPx == st.deck.Sensor.BlurPx {
		// The quick way: only where something lies on the table does the
		// frame differ from the empty one.
		r := st.changed(f).Intersect(st.empty.Rectangle)
		l := st.compose(f, r, f.drift.BlurSigmaPx)
		vignette(l, st.view, st.deck.Sensor.Vignetting)
		mixed := make([]float32, 3*st.view.width)
		row := func(y int) []float32 {
			if y < r.Min.Y || y >= r.Max.Y {
				return st.empty.row(y)
			}
			copy(mixed, st.empty.row(y))
			copy(mixed[3*r.Min.X:], l.row(y))
			return mixed
		}
		return develop(st.view.width, st.view.height, row, st.deck.Sensor, f.drift, noise), nil
	}
	out := st.compose(f, st.table.Rectangle, f.drift.BlurSigmaPx)
	if f.moveX != 0 || f.moveY != 0 {
		out = smear(out, f.moveX, f.moveY)
	}
	vignette(out, st.view, st.deck.Sensor.Vignetting)
	if f.hand != nil {
		f.hand.dim(out, st.view)
	}
	return develop(st.view.width, st.view.height, out.row, st.deck.Sensor, f.drift, noise), nil
}

// changed is where the frame differs from the empty table.
func (st *Station) changed(f *framePlan) image.Rectangle {
	if len(f.things) > 0 {
		return st.table.Rectangle
	}
	var r image.Rectangle
	for _, c := range f.cards {
		r = r.Union(newShader(c, st.light, st.view, nil).bounds())
	}
	if r.Empty() {
		return r
	}
	return r.Inset(-blurRadius(st.deck.Sensor.BlurPx))
}

// compose draws everything in r and blurs it.
func (st *Station) compose(f *framePlan, r image.Rectangle, sigma float64) *layer {
	if r.Empty() {
		return newLayer(r)
	}
	l := st.copyTable(r, sigma)
	for _, t := range f.things {
		t.draw(l, st.view, st.light)
	}
	for _, c := range f.cards {
		st.shaderFor(c).draw(l)
	}
	return blur(l, r, sigma)
}

// shaderFor paints what lies on the card and readies it.
func (st *Station) shaderFor(c *card) *shader {
	k := *c
	o := newOverlay(&k.shape, st.overlayScale)
	t := st.deck.Traces
	t.Dust, t.Hairlines, t.Smudges, t.Fluff = t.Dust*k.wear, t.Hairlines*k.wear, t.Smudges*k.wear, t.Fluff*k.wear
	paintTraces(o, &k.shape, t, stream(st.deck.Seed, streamBenign, c.index))
	for _, m := range c.marks {
		m.paint(o, &k.shape)
	}
	k.nicks = o.nicks
	return newShader(&k, st.light, st.view, o)
}

// Render renders the whole deck. The frames of a large deck fill memory; use
// New and Frame to take them one by one.
func (d Deck) Render(ctx context.Context) ([]*frame.Image, *Truth, error) {
	st, err := New(d)
	if err != nil {
		return nil, nil, err
	}
	frames := make([]*frame.Image, st.Frames())
	err = st.each(ctx, func(i int) (err error) {
		frames[i], err = st.Frame(i)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return frames, st.truth, nil
}

// WriteFolder writes the pictures and truth.json into dir, which it makes.
func (st *Station) WriteFolder(ctx context.Context, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("visiontest: %w", err)
	}
	err := st.each(ctx, func(i int) error {
		data, err := st.File(i)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, st.FileName(i)), data, 0o644)
	})
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := st.truth.Write(&b); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "truth.json"), b.Bytes(), 0o644)
}

// each runs work for every frame on all processors, until the first error or
// the end of ctx.
func (st *Station) each(ctx context.Context, work func(i int) error) error {
	var wg sync.WaitGroup
	errs := make([]error, st.Frames())
	next := make(chan int)
	for range min(runtime.GOMAXPROCS(0), st.Frames()) {
		wg.Go(func() {
			for i := range next {
				errs[i] = work(i)
			}
		})
	}
feed:
	for i := range st.Frames() {
		select {
		case next <- i:
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	wg.Wait()
	return errors.Join(append(errs, ctx.Err())...)
}
