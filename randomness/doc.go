// Package randomness judges whether the order of a deck is random enough. It takes orders (from the
// station or from a file), knows nothing of cameras, and does no input or output of its own:
// readers take an io.Reader.
//
//	Order before (may be unknown) ─┐
//	Order after ───────────────────┤  encode: faces to numbers, names forgotten
//	classes, deck list ────────────┘          │
//	                                          ▼
//	battery: 22 statistics in two verdicts, "order memory" and "arrangement"
//	                                          │   against two nulls of 100,000 orders of these very cards:
//	                                          │   uniformly random, and seven riffles and a cut
//	                                          ▼
//	p-value, larger of the two ──► level: sufficient, questionable (1%), insufficient (0.1%)
//	findings ──► sentences a judge can read to a player, with how often a fair shuffle does the same
//	e-value  ──► evidence that multiplies over the shuffles of one player
//	estimate ──► "no better than about k average riffles"
//	range    ──► what unread and doubtful cards could change
//
// Begin with a Scorer:
//
//	s := randomness.NewScorer(randomness.Options{})
//	v, err := s.Score(ctx, randomness.Request{Before: &before, After: after, Classes: classes})
//
// # What a level means
//
// A deck that was shuffled fairly, in the sense of either null, is called questionable or worse at
// most once in 100 times and insufficient at most once in 1,000 times. Nothing is promised about
// how surely a poor shuffle is noticed: that depends on the deck, above all on how many cards can
// be told apart; Scorer.Power computes it. Levels advise; the judge decides.
//
// # Where things are
//
// The exact laws are in theory, the statistics and their null tables in battery, models of
// shuffling hands in simulate. docs/RANDOMNESS.md holds measured false-alarm rates, powers and
// times, written by scripts/evaluate-randomness.sh.
package randomness
