package record

import (
	"fmt"
	"strings"
)

// PlacesText writes places in the deck, ascending, with runs as "4–9".
func PlacesText(places []int) string {
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
	return JoinWords(parts)
}

// JoinWords is "a", "a and b", "a, b and c".
func JoinWords(parts []string) string {
	if n := len(parts); n > 1 {
		return strings.Join(parts[:n-1], ", ") + " and " + parts[n-1]
	}
	return strings.Join(parts, "")
}
