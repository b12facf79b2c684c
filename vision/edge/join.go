package edge

import (
	"fmt"
	"sort"

	"fairdeck/vision/sleeve"
)

// Joined is several sides of one deck together.
type Joined struct {
	Count    Count            `json:"count"`
	Outliers []JoinedOutlier  `json:"outliers"` // one per layer and kind
	Warnings []sleeve.Warning `json:"warnings"`
}

// JoinedOutlier is a layer that stands out on one or more sides.
type JoinedOutlier struct {
	Outlier       // the strongest side's
	Sides   []int `json:"sides"` // indices into the sides joined
}

// Join puts the sides of one deck together. Counts are intersected: the true
// number is in every side's interval. Where sides contradict each other the
// whole range is stated and a warning says so. The same layer standing out in
// the same way on two sides is one outlier; layers are matched by number when
// the sides counted the same number, else each side's stay apart.
func Join(sides []*Side) Joined {
	j := Joined{Outliers: []JoinedOutlier{}, Warnings: []sleeve.Warning{}}
	var first *Refusal
	same := true
	for _, s := range sides {
		c := s.Count
		if c.Refused != nil {
			if first == nil {
				first = c.Refused
			}
			continue
		}
		if j.Count.Best == 0 {
			j.Count = Count{Low: c.Low, High: c.High, Best: c.Best, Confidence: c.Confidence}
			continue
		}
		same = same && j.Count.Best == c.Best
		low, high := max(j.Count.Low, c.Low), min(j.Count.High, c.High)
		if low > high {
			j.Warnings = append(j.Warnings, warning("sides_disagree", fmt.Sprintf("one side shows %s layers, another %s; a layer may be hidden on one of them, or they are not of one deck", j.Count, c)))
			low, high = min(j.Count.Low, c.Low), max(j.Count.High, c.High)
		}
		if c.Confidence > j.Count.Confidence {
			j.Count.Best = c.Best
		}
		j.Count.Low, j.Count.High = low, high
		j.Count.Best = min(high, max(low, j.Count.Best))
		j.Count.Confidence = min(j.Count.Confidence, c.Confidence)
	}
	if j.Count.Best == 0 {
		if first == nil {
			first = &Refusal{NoStack, "no side was given"}
		}
		j.Count = Count{Refused: first}
		return j
	}
	if !same {
		j.Warnings = append(j.Warnings, warning("numbers_differ", "the sides were not counted alike, so a layer's number may differ by a few from side to side"))
	}
	type key struct {
		layer, side int
		kind        Kind
	}
	at := map[key]int{}
	for i, s := range sides {
		for _, o := range s.Outliers {
			k := key{o.Layer, -1, o.Kind}
			if !same {
				k.side = i
			}
			n, ok := at[k]
			if !ok {
				at[k] = len(j.Outliers)
				j.Outliers = append(j.Outliers, JoinedOutlier{o, []int{i}})
				continue
			}
			q := &j.Outliers[n]
			q.Sides = append(q.Sides, i)
			if o.PValue < q.PValue {
				q.Outlier = o
			}
		}
	}
	sort.SliceStable(j.Outliers, func(a, b int) bool { return j.Outliers[a].Layer < j.Outliers[b].Layer })
	return j
}
