// Package shufflecli is what the shuffle commands do, without the command line library: reading
// files, scoring, and saying the result as text, JSON or a page. Each command is an options struct
// with a Run method.
//
//	fairdeck shuffle score     Score     orders -> verdict
//	fairdeck shuffle power     Power     deck, shuffle -> how surely it would be noticed
//	fairdeck shuffle simulate  Simulate  deck, shuffle -> orders
package shufflecli
