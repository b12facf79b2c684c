package main

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"fairdeck/vision/card"
	"fairdeck/vision/plane"
)

// wrongPx is a side that lies on something else than the card's edge, rather
// than being measured badly.
const wrongPx = 1.5

// A side is one side of a found card against the truth.
type side struct {
	outPx, outMM float64 // mean outward offset of its two corners
	most         float64 // of the two, absolute, px
}

// A match is a found card with its truth.
type match struct {
	det    card.Detection
	truth  plane.Quad
	sides  [4]side
	corner [4]float64 // distance, px
}

// compare turns the detection to the truth and measures its sides.
func compare(d card.Detection, truth plane.Quad) (match, bool) {
	best, turn := math.Inf(1), 0
	for t := 0; t < 4; t += 2 {
		sum := 0.0
		for i := range truth {
			sum += d.Corners[(i+t)%4].Sub(truth[i]).Norm()
		}
		if sum < best {
			best, turn = sum, t
		}
	}
	m := match{det: d, truth: truth}
	size := math.Sqrt(math.Abs(truth.Area()))
	mm := size / 77.5 // px per mm of a sleeve of 66 by 91
	var e [4]plane.Point
	for i := range truth {
		e[i] = d.Corners[(i+turn)%4].Sub(truth[i])
		m.corner[i] = e[i].Norm()
		m.det.Corners[i] = d.Corners[(i+turn)%4]
		m.det.SigmaPx[i] = d.SigmaPx[(i+turn)%4]
	}
	for i := range truth {
		u := truth[(i+1)%4].Sub(truth[i])
		n := plane.Point{X: u.Y, Y: -u.X}.Mul(1 / u.Norm())
		a, b := e[i].Dot(n), e[(i+1)%4].Dot(n)
		m.sides[i] = side{outPx: (a + b) / 2, outMM: (a + b) / 2 / mm, most: max(math.Abs(a), math.Abs(b))}
	}
	return m, best/4 < 0.12*size
}

func (m match) wrong() bool { return slices.Max(m.corner[:]) > wrongPx }

// matches pairs what was found with the truth; refused are those that the
// finder itself calls unusable.
func (p *picture) matches() (found []match, cards, refused, spurious int) {
	used := make([]bool, len(p.cards))
	for _, c := range p.truth.Cards {
		q, ok := quadOf(c)
		if !ok {
			continue
		}
		cards++
		for i, d := range p.cards {
			if used[i] {
				continue
			}
			if m, ok := compare(d, q); ok {
				used[i] = true
				if d.Unusable != "" {
					refused++
				} else {
					found = append(found, m)
				}
				break
			}
		}
	}
	for i := range used {
		if !used[i] && p.cards[i].Unusable == "" {
			spurious++
		}
	}
	return found, cards, refused, spurious
}

// A tally sums up pictures.
type tally struct {
	name                     string
	cards, refused, spurious int
	found                    []match
	ms                       []float64
}

func newTally(name string) *tally { return &tally{name: name} }

func (t *tally) add(p picture) {
	found, cards, refused, spurious := p.matches()
	t.found = append(t.found, found...)
	t.cards += cards
	t.refused += refused
	t.spurious += spurious
	t.ms = append(t.ms, float64(p.took.Microseconds())/1000)
}

func heads() string {
	return fmt.Sprintf("%-42s %5s %5s %5s %5s %6s %7s %8s %8s %8s", "", "cards", "found", "ref'd", "spur", "wrong", "median", "rms good", "sides w.", "ms")
}

func (t *tally) row() string {
	wrong, sides := 0, 0
	var all, good []float64
	for _, m := range t.found {
		rms := 0.0
		for _, c := range m.corner {
			rms += c * c / 4
		}
		all = append(all, math.Sqrt(rms))
		if m.wrong() {
			wrong++
		} else {
			good = append(good, rms)
		}
		for _, s := range m.sides {
			if s.most > wrongPx {
				sides++
			}
		}
	}
	return fmt.Sprintf("%-42s %5d %5d %5d %5d %6d %7.2f %8.2f %8d %8.1f", t.name, t.cards, len(t.found), t.refused, t.spurious, wrong, median(all), math.Sqrt(mean(good)), sides, median(t.ms))
}

// honesty compares the stated uncertainty with the error: coverage and how
// well it tells outlines on a wrong line.
func (t *tally) honesty() string {
	var z []float64
	var scores []scored
	for _, m := range t.found {
		worst := 0.0
		for i, c := range m.corner {
			s := m.det.SigmaPx[i]
			// Each axis has the standard uncertainty: a distance is over the
			// Rayleigh distribution's quantiles 1.51 (68%) and 2.15 (90%).
			z = append(z, c/s)
			worst = max(worst, s)
		}
		scores = append(scores, scored{worst, m.wrong()})
	}
	slices.Sort(z)
	var out string
	out += fmt.Sprintf("\ncorner distance over SigmaPx: z68 %.2f (1.51), z90 %.2f (2.15), z99 %.2f (3.03); AUROC of wrong outlines by SigmaPx %.3f\n", quantile(z, .68), quantile(z, .9), quantile(z, .99), auroc(scores))
	for _, limit := range []float64{0.5, 0.75, 1, 1.5} {
		in, bad := 0, 0
		for _, s := range scores {
			if s.score <= limit {
				in++
				if s.wrong {
					bad++
				}
			}
		}
		out += fmt.Sprintf("SigmaPx <= %.2f: %d of %d, %d of them wrong\n", limit, in, len(scores), bad)
	}
	return out
}

// causes counts the wrong sides by how far out they lie.
func (t *tally) causes() string {
	bounds := []float64{-1e9, -4, -2.5, -1.7, -0.9, -0.4, 0, 0.4, 0.9, 1.7, 4, 1e9}
	n := make([]int, len(bounds))
	for _, m := range t.found {
		for _, s := range m.sides {
			if s.most > wrongPx {
				for i := 1; i < len(bounds); i++ {
					if s.outMM < bounds[i] {
						n[i]++
						break
					}
				}
			}
		}
	}
	out := "\nwrong sides by outward offset, mm:"
	for i := 1; i < len(bounds); i++ {
		out += fmt.Sprintf(" <%.1f:%d", bounds[i], n[i])
	}
	return out + "\n"
}

type scored struct {
	score float64
	wrong bool
}

// auroc is the chance that a wrong outline has the greater score.
func auroc(s []scored) float64 {
	sort.Slice(s, func(i, j int) bool { return s[i].score < s[j].score })
	n, sum, bad := 0.0, 0.0, 0.0
	for _, v := range s {
		if v.wrong {
			bad++
			sum += n
		} else {
			n++
		}
	}
	return sum / max(1, n*bad)
}

func quantile(v []float64, p float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	return v[min(len(v)-1, int(p*float64(len(v))))]
}

func median(v []float64) float64 {
	v = slices.Clone(v)
	slices.Sort(v)
	return quantile(v, 0.5)
}

func mean(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += x
	}
	return s / float64(max(1, len(v)))
}
