// Package ledger keeps what judges decided during a tournament and adds it up
// as the rule book wants.
//
//	decision ──Append──▶ entry 1, entry 2, ... ──Standing──▶ what is due, what may be raised,
//	                     (never edited)                      what the next one would tip over
//
// The ledger is append-only. A mistake is put right by a further entry that
// refers to the first; both stay. A penalty that needs several judges is
// pending until enough of them have signed it off by entries of their own.
//
// It never gives a penalty. Where the book says that one follows (two warnings
// are a game loss) it is shown as outstanding, and the judge enters it; where
// the book lets a judge raise a penalty, that is all it says.
//
// Players are named by opaque tokens; who they are is kept apart, in the local
// store only.
package ledger
