// Package ruling joins a check with a rule book: it says which clauses the
// findings of a check fall under, in the reader's language.
//
//	record.Check ──Findings──▶ []rules.Finding ──Make──▶ Sheet ──Lines──▶ terminal, report
//	                            (evidence only)   book,           ──Receipt──▶ one page for the player
//	                                              level
//
// What a check does not know stays open. Without the cards' faces nobody
// knows whether the marked cards share a feature, so both readings are on the
// sheet, each with its answer, and the question before them.
package ruling
