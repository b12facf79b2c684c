// Package settle turns a stream of frames into sightings: one for each card
// that lay still.
//
//	camera.Source ──Frame──▶ Settler.Add ──▶ []Event: a Sighting, or a Notice
//
// It is a function of the frames and their times alone, without a clock and
// without goroutines of its own, so that a recording gives the same sightings
// as the pass that made it.
package settle
