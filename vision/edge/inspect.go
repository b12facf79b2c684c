package edge

import (
	"context"
	"fmt"
	"runtime"

	"fairdeck/vision/frame"
	"fairdeck/vision/sleeve"
)

// seen is everything Inspect knows while it works.
type seen struct {
	opt  Options
	img  *frame.Image // lying
	s    *strips
	reg  region
	f    *field
	from int // strips of the side: [from, to)
	to   int
	prof []float64 // mean straightened profile
	in   []float64 // per row: how surely it ends where the deck ends, 0 to 1; nil where unknown
	read *reading
	side *Side
}

// Inspect looks at one picture of a side of a squared deck. What cannot be
// counted is a refusal in the result, with its reason; the error is for a
// picture without pixels and for a cancelled context.
func Inspect(ctx context.Context, img *frame.Image, opt Options) (*Side, error) {
	s, _, err := inspectSeen(ctx, img, opt)
	return s, err
}

func inspectSeen(ctx context.Context, img *frame.Image, opt Options) (*Side, *seen, error) {
	if img.Empty() || !img.Valid() {
		return nil, nil, fmt.Errorf("inspect a side: %w", ErrPicture)
	}
	if opt.Workers <= 0 {
		opt.Workers = runtime.GOMAXPROCS(0)
	}
	if !(opt.Confidence > 0) {
		opt.Confidence = 0.99
	}
	if !(opt.FalseAlarmRate > 0) {
		opt.FalseAlarmRate = 0.01
	}
	w := &seen{opt: opt, img: img, side: &Side{Face: opt.Side, Layers: []Layer{}, Outliers: []Outlier{}, Warnings: []sleeve.Warning{}}}
	if min(img.Width, img.Height) < 64 {
		return w.refuse(TooSmall, "the picture is %d x %d px; a side needs some 1000 px across", img.Width, img.Height), w, nil
	}
	if !w.find() {
		return w.refuse(NoStack, "no layered side is in the picture; put the squared deck before the camera, side on, and light it from above"), w, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	w.f = trace(w.s, w.reg)
	w.ends()
	w.profile()
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if ref := w.count(); ref != nil {
		w.side.Count = Count{Refused: ref}
		return w.side, w, nil
	}
	return w.side, w, nil
}

func (w *seen) refuse(code RefusalCode, text string, args ...any) *Side {
	w.side.Count = Count{Refused: &Refusal{Code: code, Text: fmt.Sprintf(text, args...)}}
	return w.side
}

// find decides how the deck lies and where it is.
func (w *seen) find() bool {
	type try struct {
		img *frame.Image
		s   *strips
		reg region
		ok  bool
	}
	look := func(img *frame.Image) try {
		t := try{img: img, s: cutStrips(img, w.opt.Workers)}
		t.reg, t.ok = findRegion(t.s, w.opt.Workers)
		return t
	}
	var lying, standing try
	if w.opt.Standing == nil || !*w.opt.Standing {
		lying = look(w.img)
	}
	if w.opt.Standing == nil || *w.opt.Standing {
		standing = look(turned(w.img))
	}
	t := lying
	if standing.ok && (!lying.ok || standing.reg.strength > lying.reg.strength) {
		t, w.side.Standing = standing, true
	}
	w.img, w.s, w.reg = t.img, t.s, t.reg
	return t.ok
}

// ends finds the strips of the side: those that go on like the middle.
func (w *seen) ends() {
	const fits = 0.55
	w.from, w.to = w.f.ref, w.f.ref+1
	miss := 0
	for k := w.f.ref; k >= 0 && miss <= 4; k-- {
		if w.f.match[k] >= fits {
			w.from, miss = k, 0
		} else {
			miss++
		}
	}
	miss = 0
	for k := w.f.ref; k < w.s.n && miss <= 4; k++ {
		if w.f.match[k] >= fits {
			w.to, miss = k+1, 0
		} else {
			miss++
		}
	}
}

// straightStrip samples strip k along the layers.
func (w *seen) straightStrip(k int, out []float64) {
	p, u := w.s.at(k), w.f.at(k)
	for r := range out {
		out[r] += float64(lerpEdge(p, float32(w.f.top+r)+u[r]))
	}
}

// strip range to one mean profile.
func (w *seen) mean(from, to int) []float64 {
	p := make([]float64, w.f.rows)
	n := 0.0
	for k := from; k < to; k++ {
		if w.f.match[k] >= 0.5 {
			w.straightStrip(k, p)
			n++
		}
	}
	for i := range p {
		p[i] /= max(1, n)
	}
	return p
}

func (w *seen) profile() {
	w.prof = w.mean(w.from, w.to)
	w.in = w.inside(w.reg.top-w.f.top, w.reg.bottom-w.f.top)
}

// count reads the profile and states the number of layers.
func (w *seen) count() *Refusal {
	top, bottom := w.reg.top-w.f.top, w.reg.bottom-w.f.top
	var best *reading
	var reads []*reading
	most := 0.0
	for _, pitch := range candidates(w.prof, top, bottom) {
		r := read(w.prof, w.in, top, bottom, pitch)
		// Where the lines are unlike in turn, the multiple is the layer; it is
		// read too.
		if r == nil || r.period() > 1 || !w.plausible(pitch) {
			continue
		}
		reads = append(reads, r)
		most = max(most, r.score(top, bottom))
	}
	for _, r := range reads {
		// Two layers at a time fit nearly as well as one at a time; of
		// readings about as good the finest is right, since at a fraction of
		// the layer the lines would be unlike.
		if r.score(top, bottom) >= 0.8*most && (best == nil || r.model.pitch < best.model.pitch) {
			best = r
		}
	}
	if best == nil {
		return &Refusal{NoPeriod, "the lines seen do not repeat as layers of one thickness do; is this the side of a deck of equal sleeves?"}
	}
	logp := w.openOrClosed(best)
	best = w.read
	n := len(best.lines)
	w.side.PxPerLayer = (best.lines[n-1] - best.lines[0]) / float64(n-1)
	w.side.Regularity = best.regularity()
	w.side.rows = nil
	for _, l := range best.lines {
		w.side.rows = append(w.side.rows, l+float64(w.f.top))
	}
	c := &w.side.Count
	c.Low, c.High, c.Best, c.Confidence = interval(logp, w.opt.Confidence)
	if ref := w.doubt(n); ref != nil {
		return ref
	}
	w.measure()
	return nil
}

// plausible reports whether a layer of so many px can be a sleeved card, as
// far as the deck's length tells: 0.2 mm is a bare thin card, 1.3 mm a double
// sleeve with air.
func (w *seen) plausible(pitch float64) bool {
	length := float64(w.to-w.from) * w.s.width
	least, most := pitch*66/length, pitch*91/length
	switch {
	case w.opt.PxPerMM > 0:
		least, most = pitch/w.opt.PxPerMM, pitch/w.opt.PxPerMM
	case w.from <= 2 || w.to >= w.s.n-2:
		return true
	case w.opt.Side == LongSide:
		least = most
	case w.opt.Side.short():
		most = least
	}
	return most > 0.2 && least < 1.3
}

// doubt refuses a count that the picture does not carry.
func (w *seen) doubt(n int) *Refusal {
	s, c := w.side, w.side.Count
	switch {
	case s.PxPerLayer < 3:
		return &Refusal{TooCoarse, fmt.Sprintf("a layer is only %.1f px high; 3 are needed and 8 are good: go nearer or use a finer camera", s.PxPerLayer)}
	case n < 4:
		return &Refusal{TooFew, fmt.Sprintf("%d lines are too few to learn what a layer looks like", n)}
	case s.Regularity < 0.75 || w.read.score(w.reg.top-w.f.top, w.reg.bottom-w.f.top) < 0.35:
		return &Refusal{NoPeriod, "the layers seen are too uneven to be counted: one typical layer explains too little of them; square the deck, light it from above and focus on its side"}
	case w.reg.top <= 2 && s.rows[0] < 2*s.PxPerLayer:
		return &Refusal{CutOff, "the stack leaves the picture at its top; show the whole deck with some room around it"}
	case w.reg.bottom >= w.s.rows-2 || s.rows[n-1] > float64(w.s.rows)-1.5*s.PxPerLayer:
		return &Refusal{CutOff, "the stack leaves the picture at its bottom; show the whole deck with some room around it"}
	case c.High-c.Low > max(4, n/10):
		return &Refusal{Undecided, fmt.Sprintf("between %d and %d layers all fit; go nearer, focus on the side and light it from above", c.Low, c.High)}
	}
	return nil
}

// vote counts five parts of the side apart.
func (w *seen) vote(best *reading) []int {
	var votes []int
	top, bottom := w.reg.top-w.f.top, w.reg.bottom-w.f.top
	const parts = 5
	for i := range parts {
		a, b := w.from+i*(w.to-w.from)/parts, w.from+(i+1)*(w.to-w.from)/parts
		p := w.mean(a, b)
		raw := make([]float64, len(best.v))
		for j := range raw {
			raw[j] = sampleRow(p, float64(j)/best.scale, 0.5/best.scale)
		}
		v, black := normalise(raw, int(float64(top)*best.scale), int(float64(bottom)*best.scale))
		l, _ := best.model.best(signal{v, best.in, black})
		votes = append(votes, l.count())
	}
	return votes
}
