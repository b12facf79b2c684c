// Package wording puts a check into words, in the reader's language.
//
//	record.Check ──Verdict──▶ three sentences   ┐
//	             ──Problem, Warning──▶ text     ├──▶ report, terminal, table
//	record.Mark  ──Mark, Size, Place──▶ words   ┘
//
// Everything here reads the record alone, so that words can never say more
// than what was recorded, and a stored check reads in every language. The
// record itself keeps the English sentences beside its codes and numbers.
package wording
