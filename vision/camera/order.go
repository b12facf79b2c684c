package camera

import "strings"

// naturalLess orders names as people do: back_2 before back_10. Runs of
// digits compare as numbers, the rest byte by byte; names that are equal so
// far ("7", "07") compare as plain text, so that the order is total.
func naturalLess(a, b string) bool {
	x, y := a, b
	for x != "" && y != "" {
		nx, ny := digits(x), digits(y)
		if nx > 0 && ny > 0 {
			p, q := strings.TrimLeft(x[:nx], "0"), strings.TrimLeft(y[:ny], "0")
			if len(p) != len(q) {
				return len(p) < len(q)
			}
			if p != q {
				return p < q
			}
			x, y = x[nx:], y[ny:]
			continue
		}
		if x[0] != y[0] {
			return x[0] < y[0]
		}
		x, y = x[1:], y[1:]
	}
	if x == "" && y == "" {
		return a < b
	}
	return x == ""
}

// digits is the length of the run of ASCII digits at the start.
func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}
