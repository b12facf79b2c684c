// Package simulate shuffles decks the way people do: well, sloppily, and not at all.
//
//	Model        what the hands do                                   parameters
//	riffle:k     k riffles after Gilbert, Shannon and Reeds           number of riffles
//	sloppy:k     k riffles that drop packets of about 3 cards         number of riffles
//	mash:k       k times: cut, push the halves into each other        number of mashes
//	overhand:k   k times: peel packets off the top onto a new pile     number of overhand shuffles
//	pile:n       deal into n piles, stack them left to right          number of piles
//	pile:n:random  the same, piles stacked in random order
//	cut          one cut at a random place
//	cut:3        cut into three packets, restack them bottom up
//	weave        spread the marked cards evenly through a random deck ("mana weaving")
//	clump:m      m marked cards on top of a random deck
//	stack:m      m marked cards at the bottom of a random deck
//	top:m        the top m cards are not touched, the rest is random
//	bottom:m     the bottom m cards are not touched, the rest is random
//	random       a uniformly random order
//	none         nothing
//
// Models are joined with "+": "pile:7+riffle:1" or "riffle:4+cut". Every model draws from the
// source it is given, so a fixed seed gives a fixed shuffle. A deck is a slice of card numbers, top
// first; marked says which card numbers belong to the class that a cheat would care for (the lands,
// say).
//
// The riffle is exact. The others are descriptions, not measurements, of what hands do; their
// constants are documented where they stand and are the ones the project's reference powers were
// measured with.
package simulate
