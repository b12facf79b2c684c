// Package store keeps checks, ledger entries and their pictures so that any
// later change shows.
//
//	Draft ──Append──▶ pictures to disk ──▶ envelope ──hash──▶ record in the database
//	 body, pictures    by their SHA-256    names every hash,   committed with a full sync:
//	 player's token                        and the previous    what Append acknowledged stays
//	                                       record's
//	Verify ──▶ every envelope, body, picture and link, and what does not fit
//
// The chain. Each record has an envelope, a JSON text that holds the SHA-256
// of the record's body and pictures and the hash of the record before it; the
// record's hash is that of its envelope. Whoever changes a picture, a number
// or a ruling must change every later hash, and any evidence file or receipt
// that was given out holds one of them (see Head). The end of a chain cannot
// prove that nothing followed it; Verify therefore takes heads that are known
// from elsewhere.
//
// Personal data. Names and player IDs stand in one table only, never in a
// body. The chain holds a commitment to them: a hash of a random salt and the
// data. Forget deletes data and salt; what remains in the chain says nothing
// any more, and still verifies.
//
// Databases. SQLite (in the user's data folder, write-ahead log, synchronous
// = FULL) by default; PostgreSQL when several stations share one. Both run
// one conformance suite. Pictures are files in both cases, so stations that
// share a PostgreSQL must share the folder too.
package store
