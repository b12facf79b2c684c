// Package theory holds the exact probability laws behind the shuffle scores: no simulation, no
// rounding before the last step.
//
//	question                                      law                                            file
//	how many rising sequences leave k riffles?    Eulerian numbers x riffle probability          eulerian.go, riffle.go
//	how far is the deck from random after k?      total variation, separation, bits              riffle.go
//	how well can any test see k riffles?          Neyman-Pearson test on rising sequences        optimal.go
//	and after a cut?                              cyclic descents                                cut.go
//	and with identical copies?                    sum over the assignments of copies             grouped.go
//	how many neighbours stay together by luck?    permutations by successions                    neighbours.go
//	how do the lands of a fair deck lie?          runs, squared gaps, top-k counts               runs.go, gaps.go, topk.go
//
// An order is described by pos: pos[i] is the place, counted from 0 at the top, that the card at
// place i before the shuffle has after it. A rising sequence is a maximal set of cards whose
// numbers (places before) follow one another and which still lie in that sequence after the
// shuffle; one riffle leaves at most two of them, k riffles at most 2^k.
//
// The riffle model is that of Gilbert, Shannon and Reeds (GSR): cut at a binomial place, then drop
// cards with probability proportional to the packet sizes. The laws are those of Bayer and
// Diaconis, "Trailing the dovetail shuffle to its lair", Annals of Applied Probability 2 (1992).
package theory
