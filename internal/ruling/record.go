package ruling

import "fairdeck/internal/record"

// Record is the sheet for programs, as it is kept in the check.
func (s *Sheet) Record() *record.Ruling {
	r := &record.Ruling{Book: s.Book.ID, Origin: s.Book.Origin, SHA256: s.Book.SHA256, Level: int(s.Level), Findings: []record.Finding{}}
	if len(s.Book.Levels) == 0 {
		r.Level = 0
	}
	for i, a := range s.Advice {
		f := record.Finding{
			Kind: string(a.Finding.Kind), Visibility: string(a.Finding.Facts.Visibility), Part: string(a.Finding.Facts.Part),
			Sleeves: append([]int{}, s.Places[i]...), Withheld: string(a.Withheld),
			Evidence: []record.Evidenced{}, Ask: []string{}, Outcomes: []record.Outcome{},
		}
		for _, e := range a.Finding.Evidence {
			f.Evidence = append(f.Evidence, record.Evidenced{Ref: e.Ref, Note: e.Note})
		}
		for _, name := range a.Ask {
			f.Ask = append(f.Ask, string(name))
		}
		for _, o := range a.Outcomes {
			out := record.Outcome{
				Given: []map[string]string{}, Clauses: []record.Clause{}, Suggested: []record.Penalty{}, Remedies: []string{},
				Condition: string(o.If), Action: string(o.Action),
			}
			for _, given := range o.Given {
				answers := map[string]string{}
				for _, name := range a.Ask {
					answers[string(name)] = given.Value(name)
				}
				out.Given = append(out.Given, answers)
			}
			for _, c := range o.Clauses {
				out.Clauses = append(out.Clauses, record.Clause{ID: c.ID, Number: c.Number, Quote: c.Quote})
			}
			if o.Suggested != nil {
				out.Suggested = []record.Penalty{
					{ID: o.Suggested.From.ID, Original: o.Suggested.From.Original}, {ID: o.Suggested.To.ID, Original: o.Suggested.To.Original},
				}
			}
			for _, m := range o.Remedies {
				out.Remedies = append(out.Remedies, m.ID)
			}
			f.Outcomes = append(f.Outcomes, out)
		}
		r.Findings = append(r.Findings, f)
	}
	return r
}
