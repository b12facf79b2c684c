package record

import (
	"fmt"
	"strings"
)

// PlacesText writes places in the deck, ascending, with runs as "4–9", in
// English.
func PlacesText(places []int) string { return JoinWords(Runs(places)) }

// Runs writes places in the deck, ascending, one word for each run of three
// or more ("4–9") and for each other place.
func Runs(places []int) []string {
	var parts []string
	for i := 0; i < len(places); {
		j := i
		for j+1 < len(places) && places[j+1] == places[j]+1 {
			j++
		}
		// Two neighbours read better as "4 and 5".
		if j < i+2 {
			j = i
			parts = append(parts, fmt.Sprint(places[i]))
		} else {
			parts = append(parts, fmt.Sprintf("%d–%d", places[i], places[j]))
		}
		i = j + 1
	}
	return parts
}

// JoinWords is "a", "a and b", "a, b and c".
func JoinWords(parts []string) string {
	if n := len(parts); n > 1 {
		return strings.Join(parts[:n-1], ", ") + " and " + parts[n-1]
	}
	return strings.Join(parts, "")
}
