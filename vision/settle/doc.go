// Package settle turns a stream of frames into sightings: one for each card
// that lay still.
//
//	camera.Source ──Frame──▶ Settler.Add ──▶ []Event: a Sighting, or a Notice
//
// Inside, for each zone:
//
//	Frame ─▶ sketch: means of cells, 240 across ─▶ motion: what changed beyond light
//	   moving ───────────────────────────┐            │
//	      ▲                              │       quiet frames
//	      └────── something moves ── run: the frames of a quiet stretch
//	                                     │ frames that agree to 0.2 px, averaged
//	                                   still ──▶ judge:
//	                                     │         as before, light apart ─▶ nothing
//	                                     │         the bare zone          ─▶ the card is gone
//	                                     │         an arm on the card     ─▶ wait
//	                                     ▼
//	                           outline of the top card ─▶ another card, or pushed?
//
// # Where the top card lies
//
// A pile shows the sides of many cards. The top one is where the picture
// changed since the card before, has the size of the zone's cards, which grows
// with the pile (place.follow), and two pairs of sides (fitTop). Where another
// picture lies but its sides cannot be told from those below, the sighting
// counts and its Detection is unusable: nobody is accused by a guess.
//
// A zone in which a hand always is somewhere is judged by the frames in which
// nothing moved where the cards lie, once something moves there again
// (closeCore).
//
// # Another card, or the same one pushed
//
// On a pile of sleeves all cards look alike, so what counts is evidence, added
// up as logarithms of likelihood ratios (verdict.go): another picture; the side
// of the card below that is still there beside the new one, or was there before
// the old one left (rimOf); what is finer than print, against how much cards of
// this deck differ (habit.texture); whether most of the old card stayed in sight
// all the time (glimpse); by how much a card makes this pile higher or lower
// (pile); and how long there was time for it. Sums near nothing are told as a
// Notice, besides being decided.
//
// # Limits
//
// A deck that package card does not find in the first still counts as the bare
// zone until its first card leaves. A sleeve that comes to lie on its like to a
// tenth of a millimetre may be taken for that one pushed, and one that is pushed
// for another.
//
// A card that is put down and taken away again counts each time it is laid
// down on a bare zone. A place for cards printed on a mat may be seen once as a
// card before the first one is laid on it.
//
// Package settle is a function of the frames and their times alone, without a
// clock and without goroutines of its own, so that a recording gives the same
// sightings as the pass that made it.
package settle
