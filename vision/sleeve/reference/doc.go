// Package reference holds three well-known ways to compare prints, against
// which package sleeve is measured. Only tests and scripts/evaluate.sh use it.
//
//		registered views, light taken out ──▶ Method.Scores ──▶ one score per pixel
//
//	  - [GoldenCard]: the difference from one card that is known to be good.
//	  - [Variation]: mean and standard deviation per pixel over the deck, the
//	    "standard" mode of HALCON's variation model.
//	  - [Robust]: median and median absolute deviation per pixel, its "robust"
//	    mode.
//
// Source: MVTec, HALCON operator reference, create_variation_model,
// train_variation_model and compare_variation_model.
//
// To make the comparison one of the methods and not of what comes before
// them, all three get the views that package sleeve itself has registered and
// corrected for light ([sleeve.Sleeve].Aligned), the same averaging over 3 x 3
// pixels and the same floor under the deviation. Where they differ from a
// common use they do so in their own favour: the golden card is always a
// clean one, and the mean leaves out the sleeve that is judged.
package reference
