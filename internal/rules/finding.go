package rules

import "fmt"

// Finding is a rule-level statement about a deck, made from evidence only.
type Finding struct {
	Kind     Kind       `json:"kind"`
	Facts    Facts      `json:"facts"`
	Evidence []Evidence `json:"evidence"`
	// Provisional: a person has to look before any penalty may be suggested,
	// such as at cards that were counted in pictures.
	Provisional bool `json:"provisional,omitempty"`
}

// Evidence points at something in the check that a judge can look at: a
// sleeve, a mark, a picture, a count, a statistic. Ref is a path into
// check.json such as "sleeves/17/marks/0", or the name of a stored picture.
type Evidence struct {
	Ref string `json:"ref"`
	// Note is a short measured fact in English, for logs and programs (for
	// example "sleeve 2: dent, 3.1 mm, ΔE 14.0"). A reader's language is made
	// of it by locale.Printer.Said.
	Note string `json:"note,omitempty"`
}

// Validate reports why the finding cannot stand: an unknown kind, facts that
// contradict the kind, or no evidence.
func (f Finding) Validate() error {
	if !knownKind(f.Kind) {
		return fmt.Errorf("finding: no such kind %q", f.Kind)
	}
	if len(f.Evidence) == 0 {
		return fmt.Errorf("finding %s: no evidence; a finding is made from evidence only", f.Kind)
	}
	for _, e := range f.Evidence {
		if e.Ref == "" {
			return fmt.Errorf("finding %s: evidence that points at nothing", f.Kind)
		}
	}
	if err := f.Facts.check(); err != nil {
		return fmt.Errorf("finding %s: %w", f.Kind, err)
	}
	switch {
	case f.Kind == MarkIsolated && f.Facts.Shared == Yes:
		return fmt.Errorf("finding %s: its cards share a feature, which makes it %s", f.Kind, MarkPattern)
	case f.Kind == MarkPattern && f.Facts.Shared == No:
		return fmt.Errorf("finding %s: its cards share no feature, which makes it %s", f.Kind, MarkIsolated)
	case f.Kind == MarkObvious && f.Facts.Visibility != Obvious && f.Facts.Visibility != "":
		return fmt.Errorf("finding %s: its visibility is %s", f.Kind, f.Facts.Visibility)
	case f.Kind == DeckList && f.Facts.List == ListNone:
		return fmt.Errorf("finding %s: no list was registered", f.Kind)
	case f.Kind == DeckCount && f.Facts.Part == Across:
		return fmt.Errorf("finding %s: a number of cards belongs to one part", f.Kind)
	}
	return nil
}

// facts returns what is known, including what the kind itself says.
func (f Finding) facts() Facts {
	known := f.Facts
	switch f.Kind {
	case MarkIsolated:
		known.Shared = No
	case MarkPattern:
		known.Shared = Yes
	case MarkObvious:
		known.Visibility = Obvious
	}
	return known
}
