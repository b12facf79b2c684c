// Package shufflestudy measures the shuffle scores: how often they speak up for decks that are fair
// and for decks that are not. It serves the tests and the program that writes docs/RANDOMNESS.md.
package shufflestudy

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"fairdeck/randomness/battery"
	"fairdeck/randomness/simulate"
)

// Deck is a deck composition.
type Deck struct {
	Name       string
	Counts     []int // copies of each face
	ClassFaces int   // the first so many faces form the class, the rest the other class; 0 for no classes
}

// N is the number of cards.
func (d Deck) N() int {
	n := 0
	for _, c := range d.Counts {
		n += c
	}
	return n
}

func repeat(m, times int) []int {
	c := make([]int, times)
	for i := range c {
		c[i] = m
	}
	return c
}

func join(parts ...[]int) (all []int) {
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

// Decks are the compositions of the reference tables: five kinds of tournament deck and decks of
// distinct cards.
func Decks() []Deck {
	return []Deck{
		{"distinct60", repeat(1, 60), 24},
		{"distinct52", repeat(1, 52), 0},
		{"distinct40", repeat(1, 40), 0},
		{"mtg60_4dual", join([]int{6, 6}, repeat(4, 12)), 5},
		{"pkmn60", join([]int{10}, repeat(4, 8), repeat(3, 4), repeat(2, 3)), 1},
		{"limited40", join([]int{9, 8}, repeat(1, 23)), 2},
		{"ygo40", join(repeat(3, 11), repeat(2, 2), repeat(1, 3)), 6},
		{"mtg60_15x4", repeat(4, 15), 6},
		{"mtg60_24mono", join([]int{24}, repeat(4, 9)), 1},
	}
}

// FindDeck looks a composition up by name.
func FindDeck(name string) (Deck, error) {
	for _, d := range Decks() {
		if d.Name == name {
			return d, nil
		}
	}
	return Deck{}, fmt.Errorf("no deck composition is called %q", name)
}

// Spec lays the deck in a random order that the seed fixes, or grouped by face.
func (d Deck) Spec(seed uint64, grouped bool) battery.Spec {
	var s battery.Spec
	for f, m := range d.Counts {
		for range m {
			s.Before = append(s.Before, uint8(f))
		}
	}
	if !grouped {
		rng := simulate.NewRand(seed, 0xdec)
		rng.Shuffle(len(s.Before), func(i, j int) { s.Before[i], s.Before[j] = s.Before[j], s.Before[i] })
	}
	// Faces are numbered by first place, as the scorer does.
	code := map[uint8]uint8{}
	if d.ClassFaces > 0 {
		s.Class = make([]uint8, len(d.Counts))
	}
	for i, f := range s.Before {
		k, ok := code[f]
		if !ok {
			k = uint8(len(code))
			code[f] = k
			if s.Class != nil && int(f) >= d.ClassFaces {
				s.Class[k] = 1
			}
		}
		s.Before[i] = k
	}
	s.Readings = append([]uint8(nil), s.Before...)
	return s
}

// Trials shuffles the deck by a model again and again and hands every judged order to each. Judge i
// of trial t depends on the seed alone. each is called from one goroutine at a time, in no
// particular order.
func Trials(ctx context.Context, b *battery.Battery, spec battery.Spec, model simulate.Model, trials int, seed uint64, tables []*battery.Table, each func(codes battery.Codes, j []battery.Judgement)) error {
	n := len(spec.Before)
	marked := make([]bool, n)
	for i, c := range spec.Before {
		marked[i] = spec.Class != nil && c != battery.Unread && spec.Class[c] == 0
	}
	const chunk = 256
	jobs := make(chan int)
	var mu sync.Mutex
	var wg sync.WaitGroup
	var failed error
	for range runtime.GOMAXPROCS(0) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			s := b.NewScratch()
			deck, order := make([]int, n), make([]uint8, n)
			js := make([]battery.Judgement, len(tables))
			for c := range jobs {
				rng := simulate.NewRand(seed, uint64(c))
				for t := c * chunk; t < min((c+1)*chunk, trials); t++ {
					for i := range deck {
						deck[i] = i
					}
					model.Shuffle(rng, deck, marked)
					for i, card := range deck {
						order[i] = spec.Before[card]
					}
					codes, err := b.Codes(order, s)
					for i, tb := range tables {
						js[i] = tb.Judge(codes)
					}
					mu.Lock()
					if err != nil {
						failed = err
					} else {
						each(codes, js)
					}
					mu.Unlock()
				}
			}
		}()
	}
	for c := 0; c*chunk < trials && ctx.Err() == nil; c++ {
		jobs <- c
	}
	close(jobs)
	wg.Wait()
	if failed != nil {
		return failed
	}
	return ctx.Err()
}
