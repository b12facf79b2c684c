// Package edge looks at the sides of a squared deck, layer by layer.
//
//	frame.Image ──strips──▶ light of 240 narrow columns, lying or standing
//	      ──region──▶ where lines run across neighbouring columns
//	      ──trace───▶ every row followed from the middle to both ends:
//	                  tilt, bow and warp straightened
//	      ──inside──▶ which rows end where the deck ends (table and wall go on)
//	      ──model───▶ a typical layer learned from the side itself; the side is
//	                  read as layers one after another, some with gaps
//	      ──count───▶ the posterior of the number of layers: "60", "58-61"
//	                  or a refusal with its reason
//	      ──measure─▶ per layer: place, thickness, gap, warp, colour, protrusion
//	      ──outlier─▶ layers that can be told from the rest, at a stated
//	                  false alarm rate for the whole side
//
// [Inspect] does all of it for one picture; [Join] puts several sides of one
// deck together.
//
// What cannot be known from one picture is said: millimetres need the deck's
// own length (or a stated scale), and protrusion in millimetres needs the
// camera's height.
//
// On a closed side there is one line per layer. On an open side the lines are
// the films where two sleeves meet, so a layer lies between two of them and a
// gap parts one. Which of the two a side is, is a probability unless it is
// stated ([Options.Side]); both ways of reading are weighed by it, so that a
// side in doubt is counted as a range.
package edge
