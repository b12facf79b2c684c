// Package capture runs a pass: a source's frames become a recording and
// sightings, and a person is told what was seen.
//
//	camera.Source ─Next─▶ reader ──frame──▶ pass ─1─▶ recording.Writer
//	               (a goroutine; encodes         ├─2─▶ settle.Settler ─▶ sightings, notices
//	                pixels where needed)         └─3─▶ acknowledger ─fsync─▶ Tell
//	person ─Do─▶ undo, pause, end ──────────────▶┘      (a goroutine)
//
// A frame is recorded before it is looked at, and nothing is looked at that
// was not recorded; so a replay sees what the pass saw, and comes to the same
// sightings. A sighting is told only when its frames are on stable storage:
// what a person has heard of is never lost.
//
// The disk may fail in the middle of a pass. The cards on the table come
// first: the pass goes on, says that it is no longer recorded, and its result
// says so, too.
package capture
