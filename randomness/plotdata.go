package randomness

// PlotData is what the report draws, in the direction of the deck as given, top first.
type PlotData struct {
	// Dots holds, for each place before, the place after (copies matched in order), -1 where the
	// card was not read.
	Dots []int `json:"dots,omitempty"`
	// Strand numbers the rising sequence each dot belongs to.
	Strand []int `json:"strand,omitempty"`
	// Class is the class of each place after, "" for none; Face its name.
	Class []string `json:"class,omitempty"`
	Face  []string `json:"face"`
}

func plotData(req Request, c coded, classes Classes) *PlotData {
	p := &PlotData{}
	for _, card := range req.After.Cards {
		p.Face = append(p.Face, card.Face)
		if len(c.classes) > 0 {
			p.Class = append(p.Class, classes[card.Face])
		}
	}
	if req.Before == nil {
		return p
	}
	code := map[string]uint8{}
	number := func(o Order) []uint8 {
		out := make([]uint8, len(o.Cards))
		for i, card := range o.Cards {
			if card.Face == Gap {
				out[i] = 255
				continue
			}
			k, ok := code[card.Face]
			if !ok {
				k = uint8(len(code))
				code[card.Face] = k
			}
			out[i] = k
		}
		return out
	}
	p.Dots = matchInOrder(number(*req.Before), number(req.After))
	strand, last := 0, -1
	for _, pos := range p.Dots {
		if pos >= 0 {
			if pos < last {
				strand++
			}
			last = pos
		}
		p.Strand = append(p.Strand, strand)
	}
	return p
}
