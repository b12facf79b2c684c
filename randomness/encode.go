package randomness

import (
	"slices"

	"fairdeck/randomness/battery"
)

// coded is a request in the battery's numbers.
type coded struct {
	spec    battery.Spec
	after   []uint8  // the order to judge, in the direction of spec
	faces   []string // name of each code
	classes []string // name of each class code
	turned  bool     // both orders are read from the bottom
}

// encode numbers faces by their first place in the order before. Names never enter: relabelling
// cards changes nothing. Both orders are read from that end of the deck which gives the smaller
// sequence of numbers, so reversing both changes nothing either. With one order alone the faces are
// numbered by class and number of copies, so that every order of a deck shares one null table.
func encode(before *Order, after Order, classes Classes) coded {
	var c coded
	index := map[string]uint8{}
	classIndex := map[string]uint8{}
	add := func(face string) uint8 {
		if face == Gap {
			return battery.Unread
		}
		if i, ok := index[face]; ok {
			return i
		}
		i := uint8(len(c.faces))
		index[face] = i
		c.faces = append(c.faces, face)
		class := uint8(battery.NoClass)
		if name := classes[face]; name != "" {
			k, ok := classIndex[name]
			if !ok {
				k = uint8(len(c.classes))
				classIndex[name] = k
				c.classes = append(c.classes, name)
			}
			class = k
		}
		c.spec.Class = append(c.spec.Class, class)
		return i
	}
	cards := after.Cards
	if before != nil {
		first := before.Cards
		if fingerprint(reversed(first), classes) < fingerprint(first, classes) {
			first, cards, c.turned = reversed(first), reversed(cards), true
		}
		for _, card := range first {
			c.spec.Before = append(c.spec.Before, add(card.Face))
		}
	} else {
		for _, f := range canonicalFaces(after, classes) {
			add(f)
		}
	}
	for _, card := range cards {
		c.after = append(c.after, add(card.Face))
	}
	c.spec.Readings = slices.Clone(c.after)
	slices.Sort(c.spec.Readings)
	if len(c.classes) == 0 {
		c.spec.Class = nil
	}
	return c
}

// fingerprint spells a sequence by first occurrence of faces and classes.
func fingerprint(cards []Card, classes Classes) string {
	faces, kinds := map[string]byte{}, map[string]byte{}
	out := make([]byte, 0, 2*len(cards))
	for _, c := range cards {
		f, ok := faces[c.Face]
		if !ok {
			f = byte(len(faces))
			faces[c.Face] = f
		}
		if c.Face == Gap {
			f = 255
		}
		name := classes[c.Face]
		k, ok := kinds[name]
		if !ok {
			k = byte(len(kinds))
			kinds[name] = k
		}
		out = append(out, f, k)
	}
	return string(out)
}

func reversed(cards []Card) []Card {
	r := slices.Clone(cards)
	slices.Reverse(r)
	return r
}

// canonicalFaces orders faces by size of their class, then by number of copies, then by first
// place. Faces that tie are interchangeable.
func canonicalFaces(o Order, classes Classes) []string {
	count, first, classSize, classFirst := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	var faces []string
	for i, c := range o.Cards {
		if c.Face == Gap {
			continue
		}
		if count[c.Face] == 0 {
			first[c.Face] = i
			faces = append(faces, c.Face)
		}
		count[c.Face]++
		k := classes[c.Face]
		if classSize[k] == 0 {
			classFirst[k] = i
		}
		classSize[k]++
	}
	slices.SortStableFunc(faces, func(a, b string) int {
		ka, kb := classes[a], classes[b]
		for _, d := range []int{classSize[kb] - classSize[ka], classFirst[ka] - classFirst[kb], count[b] - count[a], first[a] - first[b]} {
			if d != 0 {
				return d
			}
		}
		return 0
	})
	return faces
}
