// Package battery is the engine below the shuffle scores: it turns an order into a row of small
// whole numbers, one for each statistic, and a hundred thousand random orders of the same cards
// into the law those numbers follow in a fair deck.
//
//	Spec (codes of the cards before, readings after, classes)
//	  │ New: look-up tables for this very deck
//	  ▼
//	Battery ── Evaluate(order) ──────────────► 22 codes, larger = more suspicious
//	  │                                             │
//	  │ Null(fair | riffles): draw, evaluate        │
//	  ▼                                             ▼
//	Table (one tail per statistic, laws of the combined scores) ── Judge(codes) ──► P
//
// Everything inside the loop is integer codes, bit masks and tables; nothing is allocated. A code
// is a monotone function of its statistic that fits 16 bits, so the empirical law of a statistic is
// a histogram and a p-value a look-up.
//
// The null is conditional on the cards themselves: it permutes the readings as they are, unread
// cards and misread ones included. If a reading error does not depend on the place of the card in
// the deck, the p-values stay exact.
package battery
