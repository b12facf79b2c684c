// Package metric holds the measures of docs/ACCURACY.md: how well a score
// tells marked from clean, and how sure a counted share is.
//
//	scores of clean, scores of marked ──▶ Histogram ──▶ AUROC, RecallAt
//	one Histogram per true region     ──▶ PRO
//	k of n ──▶ Share (exact interval)
//
// A Histogram ranks scores by their float32 bits: ranks are exact to one part
// in 256 of the score, which moves no figure in its third digit, and tens of
// millions of pixels fit in a fixed 512 KiB.
package metric
