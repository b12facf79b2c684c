package visiontest

import (
	"math"
	"math/rand/v2"

	"fairdeck/vision/plane"
)

// pose is where a card is: centre and turn on the table, height of its
// underside, and its breadth as seen while it is turned over (1 flat, 0 on
// edge, negative when the other side shows).
type pose struct {
	x, y, turn, z float64
	flip          float64
}

func (a pose) towards(b pose, t float64) pose {
	f := func(p, q float64) float64 { return p + (q-p)*t }
	return pose{f(a.x, b.x), f(a.y, b.y), f(a.turn, b.turn), f(a.z, b.z), f(a.flip, b.flip)}
}

// key is a pose at a time; track is eased from key to key.
type key struct {
	at float64
	pose
	linear bool // reached at even speed
}

type track []key

func (k track) at(t float64) pose {
	if len(k) == 0 {
		return pose{}
	}
	lo, hi := 0, len(k)
	for lo < hi { // first key after t
		mid := (lo + hi) / 2
		if k[mid].at <= t {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	switch lo {
	case 0:
		return k[0].pose
	case len(k):
		return k[len(k)-1].pose
	}
	a, b := k[lo-1], k[lo]
	s := clamp((t-a.at)/max(1e-9, b.at-a.at), 0, 1)
	if !b.linear {
		s = ease(s)
	}
	return a.towards(b.pose, s)
}

// flight is a card in motion.
type flight struct {
	card     int
	from, to float64
	path     track
}

// opKind is what happens to the cards at rest.
type opKind int

const (
	put   opKind = iota // a card comes to lie on a pile
	take                // the top card leaves
	shift               // the top card lies elsewhere from now on
)

type op struct {
	at   float64
	kind opKind
	zone int
	card int
	pose pose
}

// dealPlan is everything that happens, decided beforehand.
type dealPlan struct {
	end     float64
	hand    track // of the finger tips; far outside while there is none
	flights []flight
	ops     []op
	truth   *DealTruth

	anchor plane.Point // where the arm comes from
	home   pose        // the hand's place when it is not there
	zones  []plane.Point
}

// planner writes a plan down, action by action.
type planner struct {
	Deal
	*dealPlan
	r    *rand.Rand
	view *viewer
	t    float64   // now
	top  []float64 // heights of the piles
	rest []*DealRest
	on   [][]int // cards on each pile
	lie  map[int]pose
	wide float64 // half the table that the camera sees, mm
	high float64
}

func newPlan(d Deal, v *viewer) *dealPlan {
	p := &planner{Deal: d, dealPlan: &dealPlan{}, r: stream(d.Deck.Seed, streamDeal, 3), view: v, lie: map[int]pose{}}
	p.wide, p.high = float64(v.width)/v.scale/2, float64(v.height)/v.scale/2
	s := d.Deck.Sleeve
	p.zones = []plane.Point{{}}
	if d.Kind == OnePassDeal {
		gap := min(p.wide-s.WidthMM/2-8, s.WidthMM*0.9)
		p.zones = []plane.Point{{X: -gap}, {X: gap}}
		if p.r.Float64() < 0.5 {
			p.zones[0], p.zones[1] = p.zones[1], p.zones[0]
		}
	}
	for i := range p.zones {
		p.zones[i] = p.zones[i].Add(plane.Point{X: normal(p.r, 3), Y: normal(p.r, 3)})
	}
	p.top, p.rest, p.on = make([]float64, len(p.zones)), make([]*DealRest, len(p.zones)), make([][]int, len(p.zones))

	// The arm comes over the border nearest to the dealer; in a one-pass deal
	// from between the zones.
	side := []float64{-90, -90, 0, 180}[p.r.IntN(4)]
	if d.Kind == OnePassDeal {
		side = -90
	}
	a := deg(side + normal(p.r, 12))
	reach := math.Abs(math.Cos(a))*p.wide + math.Abs(math.Sin(a))*p.high
	p.anchor = plane.Point{X: (reach + 320) * math.Cos(a), Y: (reach + 320) * math.Sin(a)}
	away := reach + between(p.r, 70, 110)
	p.home = pose{x: away * math.Cos(a), y: away * math.Sin(a), z: 30}
	p.truth = &DealTruth{Format: dealTruthFormat, Name: d.Deck.Name, Seed: d.Deck.Seed, Kind: d.Kind, FPS: d.FPS,
		CardsPerSecond: d.CardsPerSecond, Cards: d.Deck.Cards, WidthPx: v.width, HeightPx: v.height,
		SleeveMM: Pair{s.WidthMM, s.HeightMM}, Faces: d.Faces}
	if d.Kind == SinglesDeal || d.Kind == BacksDeal {
		p.truth.Faces = nil
	}
	names := []string{"back"}
	switch d.Kind {
	case FacesDeal:
		names = []string{"face"}
	case OnePassDeal:
		names = []string{"back", "face"}
	}
	for i, z := range p.zones {
		p.truth.Zones = append(p.truth.Zones, DealZone{Name: names[i], Rect: p.zoneRect(z)})
	}
	p.play()
	return p.dealPlan
}

// zoneRect is the picture of the zone: a card and the pile's scatter on every
// side.
func (p *planner) zoneRect(z plane.Point) [4]int {
	s := p.Deck.Sleeve
	m := 8 + min(12, 2.5*p.ScatterMM)
	// A high pile comes nearer to the camera.
	grow := 1 + float64(p.Deck.Cards)*s.ThicknessMM/p.Deck.Camera.DistanceMM
	w, h := s.WidthMM/2*grow+m, s.HeightMM/2*grow+m
	lo, hi := plane.Point{X: math.Inf(1), Y: math.Inf(1)}, plane.Point{X: math.Inf(-1), Y: math.Inf(-1)}
	for _, c := range [][2]float64{{-w, -h}, {w, -h}, {w, h}, {-w, h}} {
		q := p.view.project(vec{z.X + c[0], z.Y + c[1], 0})
		lo = plane.Point{X: min(lo.X, q.X), Y: min(lo.Y, q.Y)}
		hi = plane.Point{X: max(hi.X, q.X), Y: max(hi.Y, q.Y)}
	}
	return [4]int{max(0, int(lo.X)), max(0, int(lo.Y)), min(p.view.width, int(hi.X)+1), min(p.view.height, int(hi.Y)+1)}
}

func (p *planner) play() {
	n := p.Deck.Cards
	p.hand = track{{at: 0, pose: p.home}}
	p.t = between(p.r, 0.4, 0.8)
	if p.Kind == OnePassDeal {
		for i := n - 1; i >= 0; i-- {
			q := pose{x: p.zones[0].X + normal(p.r, p.DeckScatterMM), y: p.zones[0].Y + normal(p.r, p.DeckScatterMM), turn: deg(normal(p.r, 0.3)), flip: 1}
			p.lay(0, 0, i, q)
		}
	}
	for i := 0; i < n; i++ {
		period := max(0.4, (1+normal(p.r, p.PaceJitter))/1) / p.CardsPerSecond
		start := p.t
		double := p.r.Float64() < p.Disturb.Double && i+1 < n && p.Kind != OnePassDeal && p.Kind != SinglesDeal
		if double {
			// The lower of the two is never seen.
			p.tell(p.t, "double", 0, i)
			p.truth.Hidden = append(p.truth.Hidden, i)
			i++
		}
		zone := len(p.zones) - 1
		p.bring(i, zone, period)
		p.disturb(zone, i)
		if p.t < start+period {
			p.t = start + period
		}
		if p.Kind == SinglesDeal {
			p.takeAway(zone, i, period)
		}
	}
	p.end = p.t + between(p.r, 0.5, 1)
	for z := range p.rest {
		p.cover(z, p.end)
	}
}

// lay lets a card come to rest at time t.
func (p *planner) lay(t float64, zone, card int, q pose) {
	p.cover(zone, t)
	q.z = p.top[zone]
	p.top[zone] += p.Deck.Sleeve.ThicknessMM
	p.ops = append(p.ops, op{at: t, kind: put, zone: zone, card: card, pose: q})
	p.on[zone] = append(p.on[zone], card)
	p.lie[card] = q
	p.see(t, zone, card)
}

// lift takes the top card off a pile at time t.
func (p *planner) lift(t float64, zone int) (card int, q pose) {
	k := len(p.on[zone]) - 1
	card = p.on[zone][k]
	p.on[zone] = p.on[zone][:k]
	p.top[zone] -= p.Deck.Sleeve.ThicknessMM
	p.ops = append(p.ops, op{at: t, kind: take, zone: zone, card: card})
	p.cover(zone, t)
	if k > 0 {
		p.see(t, zone, p.on[zone][k-1])
	}
	return card, p.lie[card]
}

// see begins a stretch in which the card is the top of its pile.
func (p *planner) see(t float64, zone, card int) {
	if p.Kind == OnePassDeal && zone == 0 && t == 0 && card != 0 {
		p.rest[zone] = nil // the deck before the deal: only its top is seen
		return
	}
	q := p.lie[card]
	p.rest[zone] = &DealRest{Zone: p.truth.Zones[zone].Name, Card: card, From: round(t, 4), CentreMM: Pair{round(q.x, 3), round(q.y, 3)},
		TurnDeg: round(q.turn*180/math.Pi, 3), HeightMM: round(q.z+p.Deck.Sleeve.ThicknessMM, 3), Corners: p.corners(q)}
}

// cover ends it.
func (p *planner) cover(zone int, t float64) {
	if r := p.rest[zone]; r != nil {
		r.To = round(t, 4)
		p.truth.Rests = append(p.truth.Rests, r)
		p.rest[zone] = nil
	}
}

func (p *planner) corners(q pose) (out []Pair) {
	s := p.Deck.Sleeve
	z := q.z + s.ThicknessMM
	for _, c := range [][2]float64{{-1, 1}, {1, 1}, {1, -1}, {-1, -1}} {
		x, y := c[0]*s.WidthMM/2, c[1]*s.HeightMM/2
		sin, cos := math.Sincos(q.turn)
		k := p.view.project(vec{q.x + cos*x - sin*y, q.y + sin*x + cos*y, z})
		out = append(out, Pair{round(k.X, 3), round(k.Y, 3)})
	}
	return out
}

func (p *planner) tell(t float64, kind string, zone, card int) {
	p.truth.Events = append(p.truth.Events, DealEvent{At: round(t, 4), Kind: kind, Zone: p.truth.Zones[zone].Name, Card: card})
}

// move brings the hand somewhere.
func (p *planner) move(at float64, q pose) {
	// It stays where it is until it starts.
	p.hand = append(p.hand, key{at: at, pose: q})
}

// wait keeps the hand where it is until t.
func (p *planner) wait(t float64) {
	if last := p.hand[len(p.hand)-1]; t > last.at {
		p.hand = append(p.hand, key{at: t, pose: last.pose, linear: true})
	}
}

// grip is where the fingers hold a card: over the side that points to the
// arm, some way inside.
func (p *planner) grip(q pose) pose {
	s := p.Deck.Sleeve
	d := plane.Point{X: p.anchor.X - q.x, Y: p.anchor.Y - q.y}
	d = d.Mul(1 / d.Norm())
	sin, cos := math.Sincos(q.turn)
	u, v := d.X*cos+d.Y*sin, d.Y*cos-d.X*sin
	k := min(s.WidthMM/2/max(1e-6, math.Abs(u)), s.HeightMM/2/max(1e-6, math.Abs(v))) - between(p.r, 8, 18)
	return pose{x: q.x + d.X*k, y: q.y + d.Y*k, z: q.z + 8}
}

// bring deals card i to the zone.
func (p *planner) bring(i, zone int, period float64) {
	goal := pose{x: p.zones[zone].X + normal(p.r, p.ScatterMM), y: p.zones[zone].Y + normal(p.r, p.ScatterMM), turn: deg(normal(p.r, p.ScatterDeg)), z: p.top[zone], flip: 1}
	in, out := period*between(p.r, 0.2, 0.3), period*between(p.r, 0.2, 0.28)
	dwell := between(p.r, 0, 0.06)
	var path track
	start := p.t
	arrive := start + in
	grip := p.grip(goal)
	offset := pose{x: goal.x - grip.x, y: goal.y - grip.y}
	if p.Kind == OnePassDeal {
		// To the deck, take the top card, turn it over on the way.
		reach := period * between(p.r, 0.14, 0.2)
		from := p.lie[p.on[0][len(p.on[0])-1]]
		hold := p.grip(from)
		p.wait(start)
		p.move(start+reach, hold)
		leave := start + reach + between(p.r, 0.02, 0.08)
		p.wait(leave)
		p.lift(leave, 0)
		arrive = leave + in
		from.flip = -1
		goal.flip = 1
		mid := from.towards(goal, 0.5)
		mid.z = max(from.z, goal.z) + between(p.r, 15, 40)
		mid.flip = 0
		path = track{{at: leave, pose: from}, {at: (leave + arrive) / 2, pose: mid, linear: true}, {at: arrive, pose: goal, linear: true}}
		hm := hold.towards(grip, 0.5)
		hm.z = mid.z + 8
		p.hand = append(p.hand, key{at: (leave + arrive) / 2, pose: hm, linear: true})
		start = leave
		out = period * between(p.r, 0.14, 0.2)
	} else {
		from := p.home
		from.x, from.y, from.turn, from.z, from.flip = from.x+offset.x, from.y+offset.y, goal.turn+deg(normal(p.r, 15)), goal.z+20, 1
		path = track{{at: start, pose: from}}
		p.wait(start)
	}
	if p.r.Float64() < p.ThrowShare {
		// Let go early: the hand stops short, the card slides on.
		d := plane.Point{X: p.anchor.X - goal.x, Y: p.anchor.Y - goal.y}
		d = d.Mul(between(p.r, 10, 35) / d.Norm())
		short := goal
		short.x, short.y, short.z, short.turn = goal.x+d.X, goal.y+d.Y, goal.z+2, goal.turn+deg(normal(p.r, 4))
		slide := between(p.r, 0.05, 0.12)
		path = append(path, key{at: arrive, pose: short}, key{at: arrive + slide, pose: goal})
		grip.x, grip.y = grip.x+d.X, grip.y+d.Y
		p.move(arrive, grip)
		p.flights = append(p.flights, flight{card: i, from: start, to: arrive + slide, path: path})
		p.lay(arrive+slide, zone, i, goal)
	} else {
		if len(path) == 1 {
			path = append(path, key{at: arrive, pose: goal})
		}
		p.move(arrive, grip)
		p.flights = append(p.flights, flight{card: i, from: start, to: arrive, path: path})
		p.lay(arrive, zone, i, goal)
	}
	if p.r.Float64() < p.Disturb.Held {
		p.tell(arrive, "held", zone, i)
		p.hold(arrive, zone, between(p.r, 0.4, 0.9))
		dwell = 0
	}
	last := p.hand[len(p.hand)-1].at
	p.wait(last + dwell)
	p.t = last + dwell + out
	away := p.home
	if p.Kind == OnePassDeal {
		// Waits beside the table, near enough.
		away = pose{x: 0.4*p.home.x + 0.05*p.anchor.X, y: p.home.y * 0.85, z: 30}
	}
	p.move(p.t, away)
}

// hold keeps the hand on the top card, which moves a little with it.
func (p *planner) hold(t float64, zone int, seconds float64) {
	k := len(p.on[zone]) - 1
	card := p.on[zone][k]
	q, h := p.lie[card], p.hand[len(p.hand)-1].pose
	dx, dy, turn := normal(p.r, 0.7), normal(p.r, 0.7), deg(normal(p.r, 0.3))
	p.slide(zone, card, q, pose{x: q.x + dx, y: q.y + dy, turn: q.turn + turn, z: q.z, flip: 1}, t+0.3*seconds, t+0.8*seconds)
	p.wait(t + 0.3*seconds)
	h.x, h.y = h.x+dx, h.y+dy
	p.move(t+0.8*seconds, h)
	p.wait(t + seconds)
}

// slide moves the top card of a pile from q to g, at the same height.
func (p *planner) slide(zone, card int, q, g pose, from, to float64) {
	p.ops = append(p.ops, op{at: from, kind: take, zone: zone, card: card})
	p.flights = append(p.flights, flight{card: card, from: from, to: to, path: track{{at: from, pose: q}, {at: to, pose: g}}})
	p.ops = append(p.ops, op{at: to, kind: put, zone: zone, card: card, pose: g})
	p.lie[card] = g
	if r := p.rest[zone]; r != nil {
		r.Moved = true
		r.Corners = p.corners(g)
		r.CentreMM, r.TurnDeg = Pair{round(g.x, 3), round(g.y, 3)}, round(g.turn*180/math.Pi, 3)
	}
}

// takeAway removes a single card from the table.
func (p *planner) takeAway(zone, i int, period float64) {
	q := p.lie[i]
	grip := p.grip(q)
	p.wait(p.t)
	p.t += period * between(p.r, 0.15, 0.25)
	p.move(p.t, grip)
	p.wait(p.t + 0.05)
	p.t += 0.05
	p.lift(p.t, zone)
	away := p.home
	to := pose{x: away.x + q.x - grip.x, y: away.y + q.y - grip.y, z: q.z + 25, turn: q.turn, flip: 1}
	end := p.t + period*between(p.r, 0.2, 0.3)
	p.flights = append(p.flights, flight{card: i, from: p.t, to: end, path: track{{at: p.t, pose: q}, {at: end, pose: to}}})
	p.move(end, away)
	p.t = end + between(p.r, 0.05, 0.2)
}

// disturb lets happen what may happen to a lying card.
func (p *planner) disturb(zone, card int) {
	chance := func(f float64) bool { return p.r.Float64() < f }
	settle := func() { p.t += between(p.r, 0.15, 0.5); p.wait(p.t) }
	q := p.lie[card]
	over := p.grip(q)
	over.z += 15
	if chance(p.Disturb.HandOver) {
		settle()
		p.tell(p.t, "hand over", zone, card)
		d := between(p.r, 0.15, 0.4)
		far := pose{x: q.x + normal(p.r, 15), y: q.y + normal(p.r, 15), z: q.z + 30}
		p.move(p.t+d, far)
		p.t += 2*d + between(p.r, 0, 0.1)
		p.move(p.t, p.home)
	}
	if chance(p.Disturb.HandRest) {
		settle()
		p.tell(p.t, "hand rest", zone, card)
		far := pose{x: q.x + normal(p.r, 12), y: q.y + normal(p.r, 12), z: q.z + 12}
		p.move(p.t+0.3, far)
		p.t += 0.3 + between(p.r, 0.5, 2)
		p.wait(p.t)
		p.t += 0.3
		p.move(p.t, p.home)
	}
	if chance(p.Disturb.Nudge) {
		settle()
		p.tell(p.t, "nudge", zone, card)
		p.move(p.t+0.25, over)
		from := p.t + 0.25 + between(p.r, 0, 0.1)
		to := from + between(p.r, 0.08, 0.3)
		size := logBetween(p.r, 0.05, 4)
		a := 2 * math.Pi * p.r.Float64()
		g := q
		g.x, g.y, g.turn = q.x+size*math.Cos(a), q.y+size*math.Sin(a), q.turn+deg(normal(p.r, 0.2+0.3*size))
		p.wait(from)
		p.slide(zone, card, q, g, from, to)
		over.x, over.y = over.x+g.x-q.x, over.y+g.y-q.y
		p.move(to, over)
		p.t = to + 0.25
		p.move(p.t, p.home)
	}
	if chance(p.Disturb.TakeBack) && p.Kind != OnePassDeal && p.Kind != SinglesDeal {
		settle()
		p.tell(p.t, "take back", zone, card)
		p.move(p.t+0.25, over)
		p.t += 0.3
		p.wait(p.t)
		_, q := p.lift(p.t, zone)
		grip := p.grip(q)
		to := pose{x: p.home.x + q.x - grip.x, y: p.home.y + q.y - grip.y, z: q.z + 25, turn: q.turn, flip: 1}
		out := p.t + between(p.r, 0.25, 0.4)
		back := out + between(p.r, 0.3, 1)
		goal := q
		goal.x, goal.y, goal.turn = q.x+normal(p.r, p.ScatterMM), q.y+normal(p.r, p.ScatterMM), q.turn+deg(normal(p.r, p.ScatterDeg))
		end := back + between(p.r, 0.25, 0.4)
		p.flights = append(p.flights, flight{card: card, from: p.t, to: end, path: track{{at: p.t, pose: q}, {at: out, pose: to}, {at: back, pose: to}, {at: end, pose: goal}}})
		p.move(out, p.home)
		p.wait(back)
		p.move(end, p.grip(goal))
		p.lay(end, zone, card, goal)
		p.t = end + 0.25
		p.move(p.t, p.home)
	}
}
