// Package evidence writes a check with everything it rests on into one file,
// and finds any byte of such a file that has changed since.
//
//	record, pictures, report ──Write──▶ evidence file (a zip that every system opens)
//	                                      check.json           the record's body, byte for byte
//	                                      ledger/12.json       rulings that rest on it
//	                                      report.html, ...     what was rendered
//	                                      pictures/<sha256>    under their hash, whatever their name
//	                                      chain.json           envelopes and the chain's head
//	                                      person.json          only when not anonymous
//	                                      manifest.json        size and SHA-256 of each
//	                                      (comment)            seal: SHA-256 of all bytes before it
//	evidence file ──Verify──▶ what does not fit, part by part
//
// The zip is written in one form only: no compression, no dates, no extra
// fields, nothing between its parts. Verify checks that form byte by byte, so
// there is no place where a change goes unnoticed, and it can tell in which
// part it lies. Compression would save little: pictures are compressed
// already.
//
// What a seal proves: that the file is as it was written. Somebody who rewrites
// the whole file can make a new seal, but not one whose chain hash the store,
// or another evidence file of the same tournament, knows. Verify returns the
// record's hash for that comparison.
package evidence
