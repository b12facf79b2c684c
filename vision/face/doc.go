// Package face learns which cards of a deck are copies of one face, from
// pictures of their fronts alone. There is no card database: the deck teaches.
//
//	views of each card, in mm ──▶ plate   4 px/mm: print, colours, what is blown out   plate.go
//	                                │
//	      alike at 3 mm? ───────────┤     all pairs, as they lie and turned            plate.go
//	                                ▼
//	      which way round           orient   signs that fit most pairs                 learn.go
//	                                ▼
//	      pairs that may be copies  register  shift, then a homography                 register.go
//	                                ▼
//	                                compare   block by block: what is left of one      compare.go
//	                                          that the other does not explain
//	                                ▼         ÷ the noise that this pair has
//	      log-odds that they are copies       reflections, lint and focus apart        pair.go, skip.go, focus.go
//	                                ▼
//	      groups                    cluster   mean odds between groups                 learn.go
//	                                ▼
//	      each card beside the      settle    common pictures of its own face and of   settle.go, template.go
//	      common pictures                     look-alikes: confidence, margin, questions
//
// # What makes two faces different
//
// Copies differ everywhere a little: noise, focus, light, white balance, where
// the card lies in its sleeve. Look-alikes differ in one place by all there is
// to see: a word of the name, a figure of the strength. So the comparison is
// local. In each block of 3 mm one print is explained by the other, times a gain,
// plus an offset, moved by a fraction of a pixel; what is left over is compared
// with what is left in the middle of all blocks of equally fine print of the same
// pair. Most blocks of two look-alikes agree, so every pair measures its own noise.
//
// A reflection hides print, it does not change it: places that are lighter in
// one of the two than the light's slow change explains are left out where
// nothing is left of the print, and along the reflection's rim. Lint makes a place
// lighter or darker, other letters do both; a difference in one direction counts
// less.
//
// Colours are compared as ratios without what changes slowly, so that white
// balance and a foil's rainbow do not count and a red sign and a green one do.
// Foil and plain printings of one card are one face; which shine is noted.
//
// # What is not known
//
// A card whose difference lies under a reflection is like two faces, and one
// that is like none of its copies quite enough is neither: such readings come
// with low confidence and as a [Question] to lay two cards side by side. The
// answer of a person goes into the next run ([Answer]) and outweighs every picture.
//
// Cards that differ in nothing but the colour or the shade of a flat area, as
// those of some abstract games do, are not told apart reliably: a reflection can
// make a flat area lighter, too, and a foil can give it another colour. The
// measured share stands in docs/ACCURACY-faces.md, row "symbols".
//
// The package is pure Go and a function of its input: no random numbers, no clock,
// one goroutine.
package face
