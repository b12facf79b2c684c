package face

import (
	"math"
	"slices"

	"fairdeck/vision/plane"
)

// card is a plate with everything that comparing needs.
type card struct {
	*plate
	band *band
	ink  *channel    // of print
	tone [2]*channel // of red and blue
}

func newCard(p *plate) *card {
	return &card{
		plate: p, band: newBand(p.half), ink: newChannel(p.print),
		tone: [2]*channel{newChannel(highPass(p.red, colourRadius)), newChannel(highPass(p.blue, colourRadius))},
	}
}

// colourRadius of the box that is taken from colours, in pixels at 2 px/mm: a
// foil's rainbow changes over a centimetre, printed colours at a line.
const colourRadius = 5

// pair is how two cards compare.
type pair struct {
	done bool
	m    projective
	// same is the logarithm of the odds that they are copies of one face.
	same  float64
	agree float64     // correlation of the pictures as a whole
	seen  float64     // share of blocks that could be compared
	total float64     // of what is different, in blocks
	at    plane.Point // mm on the card: where they differ most
	tint  float64     // spread of slow colour differences: foil
}

const (
	// A block counts when its excess is this much above that of all but 3% of
	// the pair's blocks: two copies without lint have none that is more than 0.7
	// above, a figure that differs is 2.3 and more. The bounds are of what that
	// share can be: a long name is 3% of a card.
	differsBy, leastDiffers, mostDiffers = 1.0, 1.2, 1.8
	// overlap is how many blocks cover a place.
	overlap = 4
	// evenTotal is the total at which copies and look-alikes are equally
	// likely, and steepTotal how fast the odds change with its logarithm. One
	// figure of a strength is a total of 1 to 2, a lint on a sleeve up to 1.
	evenTotal, steepTotal = 0.75, 4.0
	// restTotal is added to a total, so that none is a finite one.
	restTotal = 0.03
	// Prints that correlate less than otherAgree as a whole, or less than
	// otherPrint where nothing hides them, or leave more than otherShare of
	// themselves unexplained on most blocks, have another picture.
	otherAgree, otherPrint, otherShare = 0.6, 0.8, 0.22
	// sureLog bounds what one comparison can be sure of: 1 in 160,000.
	sureLog = 12.0
	// sureOther bounds what a difference within one art can be sure of.
	sureOther = 8.0
)

// compareBoth compares two cards that may be of one art, both ways round where
// the first leaves a doubt, and takes the mean of the two: what differs differs
// both ways, while pixels, and a registration that went astray, do not.
func compareBoth(a, b *card) pair {
	p := compareCards(a, b)
	if p.same > doubt || p.agree < otherAgree || p.same <= -sureLog {
		return p
	}
	q := compareCards(b, a)
	if q.same <= -sureLog {
		return p
	}
	q.at = p.at
	q.same = (p.same + q.same) / 2
	q.total = math.Sqrt((p.total + restTotal) * (q.total + restTotal))
	return q
}

// doubt is the logarithm of odds below which a second look is worth its time.
const doubt = 8.0

// compareCards compares b with a.
func compareCards(a, b *card) pair {
	p := pair{done: true, same: -sureLog}
	p.m, p.agree = register(a.band, b.band)
	if p.agree < otherAgree {
		return p
	}
	fine, veil, half := unseen(a.plate, b.plate, &p.m)
	ink := refocus(a.ink, b.ink.through(&p.m, 2, nil), fine)
	bs := a.ink.compare(ink, fine, veil, lumaFit)
	n, share := noiseOf(bs, 2, 0.015, 0.15)
	n.weigh(bs)
	limit := differsOf(bs)
	worst := -1
	seen := 0
	for k := range bs {
		if !bs[k].ok {
			continue
		}
		seen++
		if worst < 0 || bs[k].excess > bs[worst].excess {
			worst = k
		}
		if x := float64(bs[k].excess) - limit; x > 0 {
			p.total += x / overlap * sided(a.ink, ink, bs, k)
		}
	}
	p.seen = float64(seen) / float64(max(1, len(bs)))
	if worst >= 0 {
		c := a.ink.cols - 1
		p.at = plane.Point{X: rimMM + float64((worst%c+1)*cellPx)/finePxPerMM, Y: rimMM + float64((worst/c+1)*cellPx)/finePxPerMM}
	}
	p.agree = correlateSeen(a.band.fine, b.band.fine, &p.m, half)
	if seen < 20 {
		p.same = 0 // nothing to go by
		return p
	}
	if share > otherShare || p.agree < otherPrint {
		return p
	}
	colour := 0.0
	for c := range a.tone {
		other := b.tone[c].through(&p.m, 1, nil)
		cs := a.tone[c].compare(other, half, nil, colourFit)
		n, _ := noiseOf(cs, colourFloor, 0.04, 0.2)
		n.weigh(cs)
		for k := range cs {
			if x := float64(cs[k].excess) - differsColour; cs[k].ok && x > 0 {
				colour += x / overlap
			}
		}
	}
	p.total += colour
	p.tint = tint(a.plate, b.plate, &p.m, half)
	p.same = steepTotal * (math.Log(evenTotal) - math.Log(p.total+restTotal))
	// What was hidden may differ: the less was seen, the less can be sure.
	p.same = min(max(p.same, -sureOther), 2+(sureLog-2)*p.seen)
	return p
}

const (
	// colourFloor is the noise of a colour in hundredths of a logarithm,
	// squared: JPEG keeps colours at half resolution.
	colourFloor = 6.0
	// differsColour is higher than differs: colours have fewer and coarser
	// blocks, and noise of their own near every line.
	differsColour = 2.2
)

// differsOf is the excess above which a block of a pair counts.
func differsOf(bs []block) float64 {
	var z []float32
	for k := range bs {
		if bs[k].ok {
			z = append(z, bs[k].excess)
		}
	}
	if len(z) == 0 {
		return mostDiffers
	}
	slices.Sort(z)
	return min(max(float64(z[len(z)*97/100])+differsBy, leastDiffers), mostDiffers)
}

// sided says how much of a block's difference could be print. Lint, dust and
// scratches lie on top: they make a place lighter, or darker, and never both;
// other letters do both. 1: print; towards oneSided: dirt.
func sided(a *channel, b plane32, bs []block, k int) float64 {
	o := &bs[k]
	cols := a.cols - 1
	x0, y0 := k%cols*cellPx, k/cols*cellPx
	var rest [4 * cellPx * cellPx]float32
	peak := float32(0)
	n := 0
	for y := y0; y < y0+2*cellPx; y++ {
		for x := x0; x < x0+2*cellPx; x++ {
			i := y*a.w + x
			d := a.v[i] - o.ma - o.gain*(b.v[i]-o.mb) - o.u*(a.gx.v[i]-o.mu) - o.v*(a.gy.v[i]-o.mv)
			rest[n] = d
			n++
			peak = max(peak, d, -d)
		}
	}
	var up, down float64
	for _, d := range rest {
		switch {
		case d > 0.45*peak:
			up++
		case d < -0.45*peak:
			down++
		}
	}
	// Equal parts are 1; a quarter on one side is as good as print.
	return min(1, oneSided+(1-oneSided)*4*min(up, down)/(up+down+1e-9))
}

// oneSided is the weight of a difference in one direction only: a word that is
// there and not there is rarer than lint, and larger.
const oneSided = 0.35

// tint is the spread over the card of slow differences in colour, in
// hundredths of a logarithm: what a foil shows and paper does not.
func tint(a, b *plate, m *projective, skip []bool) float64 {
	cols, rows := a.half.w/cellPx, a.half.h/cellPx
	var sum, sum2 [2]float64
	n := 0.0
	for j := range rows {
		for i := range cols {
			if skip[j*cols+i] {
				continue
			}
			var d [2]float64
			for y := j*cellPx + 1; y < (j+1)*cellPx; y += 2 {
				v := 2*float64(y)/float64(a.half.h) - 1
				for x := i*cellPx + 1; x < (i+1)*cellPx; x += 2 {
					dx, dy := m.move(2*float64(x)/float64(a.half.w)-1, v, a.half.aspect())
					k := min(max(int(float64(y)+dy+0.5), 0), a.half.h-1)*a.half.w + min(max(int(float64(x)+dx+0.5), 0), a.half.w-1)
					d[0] += float64(a.red.v[y*a.half.w+x] - b.red.v[k])
					d[1] += float64(a.blue.v[y*a.half.w+x] - b.blue.v[k])
				}
			}
			n++
			for c := range 2 {
				d[c] /= (cellPx / 2) * (cellPx / 2)
				sum[c] += d[c]
				sum2[c] += d[c] * d[c]
			}
		}
	}
	if n < 10 {
		return 0
	}
	s := 0.0
	for c := range 2 {
		s += max(0, sum2[c]/n-sum[c]*sum[c]/(n*n))
	}
	return math.Sqrt(s)
}
