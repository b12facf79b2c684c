package metric

import "math"

// ProLimit is the false positive rate up to which PRO is integrated, as in
// Bergmann et al. 2021.
const ProLimit = 0.3

// PRO is the per-region overlap of Bergmann, Batzner, Fauser, Sattlegger &
// Steger 2021, "The MVTec Anomaly Detection Dataset" (IJCV 129, 1038-1059,
// section 5.1): for every threshold the mean, over the true regions, of the
// part of the region that scores above it; integrated over the false positive
// rate of the clean pixels from 0 to ProLimit and divided by ProLimit. Large
// and small marks count alike. NaN without a region or a clean pixel.
func PRO(regions []*Histogram, clean *Histogram) float64 {
	if clean.total == 0 {
		return math.NaN()
	}
	// The mean overlap gained by each bin.
	var gain [bins]float64
	n := 0
	for _, r := range regions {
		if r.total == 0 {
			continue
		}
		n++
		for i, c := range r.count {
			if c != 0 {
				gain[i] += float64(c) / float64(r.total)
			}
		}
	}
	if n == 0 {
		return math.NaN()
	}
	area, rate, overlap := 0.0, 0.0, 0.0
	for i := bins - 1; i >= 0 && rate < ProLimit; i-- {
		c := clean.at(i)
		if c == 0 && gain[i] == 0 {
			continue
		}
		nextRate, nextOverlap := rate+float64(c)/float64(clean.total), overlap+gain[i]/float64(n)
		// A trapezoid: within a bin nothing is known of the order.
		if nextRate > ProLimit {
			part := (ProLimit - rate) / (nextRate - rate)
			nextOverlap = overlap + part*(nextOverlap-overlap)
			nextRate = ProLimit
		}
		area += (nextRate - rate) * (overlap + nextOverlap) / 2
		rate, overlap = nextRate, nextOverlap
	}
	return area / ProLimit
}
