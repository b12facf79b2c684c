package record

// Ruling is what a rule book says about a check. It is there when a book was
// chosen. Everything in it is a code or an original phrase: a program needs no
// language, and the book renders it for a reader.
type Ruling struct {
	Book     string    `json:"book"`            // the book's id
	Origin   string    `json:"origin"`          // "built in", or the organiser's file
	SHA256   string    `json:"sha256"`          // of the book's text, lower-case hex
	Level    int       `json:"level,omitempty"` // of the tournament; absent: the book has none
	Findings []Finding `json:"findings"`
}

// Finding is a rule-level statement, made from evidence only. It never states
// intent.
type Finding struct {
	Kind       string      `json:"kind"`                 // such as mark.isolated
	Visibility string      `json:"visibility,omitempty"` // camera-only, visible, obvious
	Part       string      `json:"part,omitempty"`       // main, side, extra, across
	Sleeves    []int       `json:"sleeves"`              // places in the deck
	Evidence   []Evidenced `json:"evidence"`
	Withheld   string      `json:"withheld,omitempty"` // why no penalty is suggested although the book names one
	Ask        []string    `json:"ask"`                // what is not known and would change the outcome
	Outcomes   []Outcome   `json:"outcomes"`           // one for each different answer
}

// Evidenced points at something in the check that a judge can look at.
type Evidenced struct {
	Ref  string `json:"ref"`            // a path into this file such as sleeves/17
	Note string `json:"note,omitempty"` // a measured fact in English
}

// Outcome is what the book says under given answers. What only a camera sees
// falls under no clause: its outcome is empty.
type Outcome struct {
	Given     []map[string]string `json:"given"` // sets of answers under which it holds; empty: in any case
	Clauses   []Clause            `json:"clauses"`
	Suggested []Penalty           `json:"suggested"`           // lightest and gravest of the range; empty: none suggested
	Condition string              `json:"condition,omitempty"` // the suggestion holds only if the judge finds this
	Action    string              `json:"action,omitempty"`
	Remedies  []string            `json:"remedies"` // ids in the book
}

// Clause is a place in a rule book, with a short phrase in its own words.
type Clause struct {
	ID     string `json:"id"`
	Number string `json:"number"`
	Quote  string `json:"quote"`
}

// Penalty is a step on the book's scale, with the book's own word.
type Penalty struct {
	ID       string `json:"id"`
	Original string `json:"original"`
}

func (r *Ruling) normalise() {
	if r == nil {
		return
	}
	list(&r.Findings)
	for i := range r.Findings {
		f := &r.Findings[i]
		list(&f.Sleeves)
		list(&f.Evidence)
		list(&f.Ask)
		list(&f.Outcomes)
		for j := range f.Outcomes {
			o := &f.Outcomes[j]
			list(&o.Given)
			list(&o.Clauses)
			list(&o.Suggested)
			list(&o.Remedies)
		}
	}
}
