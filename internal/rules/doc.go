// Package rules says which clause of a tournament's rule book a finding falls
// under, what the book suggests for it and what puts it right. It measures
// nothing and decides nothing: the decision is the judge's.
//
//	books/*.toml ─┐                          ┌─▶ clauses, with a phrase of the original
//	              ├─Read──▶ Shelf ──▶ Book ──┤
//	a folder ─────┘                  │       └─▶ scale, parts, sleeves, times, accumulation
//	                                 │
//	what was seen ──▶ Finding ──▶ Book.Advise(finding, level) ──▶ Advice
//	                  kind, facts,               clauses, suggested range, remedies,
//	                  evidence                   and what has to be asked first
//
// A rule book is data: a TOML file with its penalty scale, its clauses and a
// mapping from each kind of finding to clauses, a range of penalties for each
// tournament level, and remedies. Read refuses a book that is not complete
// (every kind of finding must be mapped, or said to be unmentioned), that is
// ambiguous (for every combination of facts exactly one mapping must hold),
// or that would make fairdeck assert intent.
//
// Three properties hold for every book, whatever is in its file, because the
// code keeps them and Read checks them:
//
//   - What only a camera sees never leads to a suggested penalty.
//   - Intent is never asserted. A penalty that a book reserves for intent is
//     either shown as information, or carries the Condition that the judge has
//     found intent; it never follows from a finding alone.
//   - A fact that was not observed is asked, not guessed: Advice then holds
//     one outcome for each possible answer, and the question.
//
// The package ledger beneath it keeps what judges decided and adds it up as
// the book wants.
package rules
