// Package pattern asks whether marks go together with what the cards are.
//
//	cards with faces, classes, zones ─┐
//	marks on their sleeves ───────────┤
//	                                  ▼
//	gather    marks at the same place of the same kind ──▶ traits (sets of cards)
//	          turned, other batch, protruding ─────────────┘
//	                                  ▼
//	test      trait × face, class, zone, orientation   exact, conditional on all margins
//	          trait × place in the deck                exact rank sum and number of runs
//	                                  ▼
//	correct   for everything that was asked ──▶ Fact{8 of 12, 24 of 60, chance 1 in 85}
//
// A scuffed sleeve says nothing. Four scuffed sleeves that are the four copies
// of one card say a lot, and how much can be counted: if marks fell on cards
// without regard to what they are, every choice of four cards out of sixty is
// equally likely, and one in C(60,4)/15 = 32,509 of them hits all four copies of
// one of fifteen cards. Everything here is such a count. There is no model of
// wear, no fitted parameter and no random number, so the same deck gives the
// same figures everywhere.
//
// # What a chance is
//
// The chance of a [Fact] is the probability that a deck whose marks have
// nothing to do with its faces shows *any* association as unlikely as this
// one, over all faces and classes (or zones, ...) and all traits that were
// asked about. Within one family of nested features the probability is exact:
// the ways to place the trait that keep every face and every class below its
// own critical count are counted by multiplying polynomials, as in the
// inclusion of the multivariate hypergeometric law. Between families and
// traits it is Tarone's bound (R. E. Tarone, "A modified Bonferroni method for
// discrete data", Biometrics 46, 1990): questions that could not have answered
// so strongly do not count.
//
// The single test is Fisher's, one-sided (R. A. Fisher, "The logic of
// inductive inference", J. R. Stat. Soc. 98, 1935).
//
// A small chance is a fact about the deck and not about a person. Wear follows
// use: cards that are searched out, or played every game, wear more. Nothing
// here decides anything.
package pattern
