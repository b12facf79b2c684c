package pattern

import "math/big"

// node is one value of a feature in a family of nested features: a class with
// its faces below it, or a value without anything below. The ways in which a
// trait of m cards can fall on n cards are counted as whole numbers over the
// common denominator C(n, m), so that equal probabilities are equal and
// nothing is lost to rounding.
type node struct {
	feature Feature
	value   string
	of      int    // cards with the value
	both    int    // of them with the trait
	free    int    // cards of the value that lie in no child
	below   []node // disjoint parts of the value
}

// family is a set of nodes that do not overlap, over n cards of which m have
// the trait. Cards of no node make up the rest.
type family struct {
	n, m  int
	nodes []node

	known map[int][]*big.Int // tails by number of cards with the value
}

func (f family) tails(of int) []*big.Int {
	t, ok := f.known[of]
	if !ok {
		t = tails(f.n, f.m, of)
		f.known[of] = t
	}
	return t
}

// tails[x] is the number of ways in which at least x of the m cards fall on
// the given number of cards with the value.
func tails(n, m, of int) []*big.Int {
	top := min(of, m)
	out := make([]*big.Int, top+2)
	out[top+1] = new(big.Int)
	for x := top; x >= 0; x-- {
		w := new(big.Int)
		if m-x <= n-of {
			w.Mul(choose(of, x), choose(n-of, m-x))
		}
		out[x] = w.Add(w, out[x+1])
	}
	return out
}

func choose(n, k int) *big.Int {
	if k < 0 || k > n {
		return new(big.Int)
	}
	return new(big.Int).Binomial(int64(n), int64(k))
}

// ways is the number of ways to place the trait in which some node's tail is
// at most limit: C(n,m) less the ways that keep every node above it.
func (f family) ways(limit *big.Int) *big.Int {
	var product func(nodes []node) []*big.Int
	product = func(nodes []node) []*big.Int {
		p := []*big.Int{big.NewInt(1)}
		for _, v := range nodes {
			q := multiply(product(v.below), binomials(v.free), f.m)
			t := f.tails(v.of)
			for x := range q {
				// Counts that cannot occur have a tail of no ways at all.
				if x >= len(t) || t[x].Cmp(limit) <= 0 {
					q[x] = new(big.Int)
				}
			}
			p = multiply(p, q, f.m)
		}
		return p
	}
	covered := 0
	for _, v := range f.nodes {
		covered += v.of
	}
	all := multiply(product(f.nodes), binomials(f.n-covered), f.m)
	total := choose(f.n, f.m)
	if f.m < len(all) {
		return total.Sub(total, all[f.m])
	}
	return total
}

// least is the smallest number of ways that any node can reach at all.
func (f family) least() *big.Int {
	var best *big.Int
	var walk func([]node)
	walk = func(nodes []node) {
		for _, v := range nodes {
			t := f.tails(v.of)
			for x := len(t) - 1; x >= 0; x-- {
				if t[x].Sign() > 0 {
					if best == nil || t[x].Cmp(best) < 0 {
						best = t[x]
					}
					break
				}
			}
			walk(v.below)
		}
	}
	walk(f.nodes)
	return best
}

// binomials are the coefficients of (1+z)^n.
func binomials(n int) []*big.Int {
	out := make([]*big.Int, n+1)
	for k := range out {
		out[k] = choose(n, k)
	}
	return out
}

// multiply is the product of two polynomials up to the degree given.
func multiply(a, b []*big.Int, degree int) []*big.Int {
	n := min(len(a)+len(b)-2, degree)
	out := make([]*big.Int, n+1)
	for i := range out {
		out[i] = new(big.Int)
	}
	t := new(big.Int)
	for i, x := range a {
		if x.Sign() == 0 {
			continue
		}
		for j, y := range b {
			if i+j > n {
				break
			}
			out[i+j].Add(out[i+j], t.Mul(x, y))
		}
	}
	return out
}

// quotient is a/b as the nearest float64.
func quotient(a, b *big.Int) float64 {
	if b.Sign() == 0 {
		return 1
	}
	v, _ := new(big.Rat).SetFrac(a, b).Float64()
	return v
}
