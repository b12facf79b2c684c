package battery

// Stat numbers a statistic of the battery. Every code grows with suspicion: "CyclicFew" is large
// when there are few cyclic descents.
type Stat int

// The battery. The first group needs an order before; the second looks at one order alone.
const (
	// Rising: few rising sequences, hence few riffles. Distinct cards: R itself, ties broken by
	// kept and nearly kept neighbours. Copies: the logarithm of a tilted sum over the assignments
	// of copies, see chain.go.
	Rising Stat = iota
	// Sticky: rising sequences and kept neighbours together, what clumsy riffles leave.
	Sticky
	// CyclicFew: few descents around the circle; a cut does not change it. Copies: averaged over
	// assignments.
	CyclicFew
	// CyclicMany: many of them, what an odd number of deals or a reversal leaves.
	CyclicMany
	// Kept: neighbours that stayed together, as a likelihood ratio for 3 in 10 kept.
	Kept
	// KeptLight: the same for 8 in 100 kept (copies only; with distinct cards it says the same as Kept).
	KeptLight
	// Turned: neighbours that stayed together with their order turned over.
	Turned
	// Stride: the best single distance that neighbours had before, as pile deals leave it.
	Stride
	// StrideWide: the same over neighbours up to three apart, for pile deals followed by a riffle.
	StrideWide
	// Block: the longest block that stayed together, in nats of surprise.
	Block
	// Ends: cards at the top and the bottom that did not move, in nats of surprise.
	Ends
	// Near: cards that stayed near their place, up to a cut (first circular moment).
	Near
	// ClassEven: the counts of each class from the top follow their average too closely (a weave,
	// also after riffles).
	ClassEven
	// ClassClump: the same counts stray too far.
	ClassClump
	// GapEven: small sum of squared gaps inside classes.
	GapEven
	// GapClump: large sum of squared gaps inside classes.
	GapClump
	// RunsFew: few changes between classes (Wald-Wolfowitz).
	RunsFew
	// RunsMany: many changes between classes.
	RunsMany
	// ClassEnds: too many or too few of a class among the top or bottom cards (hypergeometric).
	ClassEnds
	// CopyTouch: copies of one face next to each other.
	CopyTouch
	// CopyEven: copies of one face too evenly spaced.
	CopyEven
	// CopyClump: copies of one face too close together.
	CopyClump
	// NumStats is the number of statistics.
	NumStats
)

var statNames = [NumStats]string{
	"rising", "sticky", "cyclic-few", "cyclic-many", "kept", "kept-light", "turned", "stride", "stride-wide", "block", "ends", "near",
	"class-even", "class-clump", "gap-even", "gap-clump", "runs-few", "runs-many", "class-ends", "copy-touch", "copy-even", "copy-clump",
}

// String is the name used in files and messages.
func (s Stat) String() string {
	if s < 0 || s >= NumStats {
		return "unknown"
	}
	return statNames[s]
}

// Order tells whether the statistic needs the order before.
func (s Stat) Order() bool { return s <= Near }

// Codes is one evaluated order.
type Codes [NumStats]uint16

// logCode maps a value in [1, 65536) to 0..8191, monotone, with a relative step of 1/512: the
// exponent and the leading bits of the floating point number itself.
func logCode(v float32) uint16 {
	const one = 0x3f800000
	b := float32bits(v)
	if b <= one {
		return 0
	}
	c := (b - one) >> 14
	if c > logCodeMax {
		return logCodeMax
	}
	return uint16(c)
}

const logCodeMax = 8191

// clamp16 keeps a code inside 16 bits.
func clamp16(v int) uint16 {
	return uint16(min(max(v, 0), 65535))
}
