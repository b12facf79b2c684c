package rules

// PartRule says how many cards a part of the deck may hold.
type PartRule struct {
	Part Part `toml:"part"`
	Min  int  `toml:"min"`
	// Max is the largest number allowed. 0 with ByGame unset means none.
	Max int `toml:"max"`
	// ByGame: the book leaves the numbers to the rules of the game; the
	// organiser states them (see Book.CheckCounts).
	ByGame bool   `toml:"by_game"`
	Clause string `toml:"clause"`
}

// CopyRule says how many copies of one card a deck may hold.
type CopyRule struct {
	Max    int    `toml:"max"`
	Across []Part `toml:"across"` // parts that are counted together
	Clause string `toml:"clause"`
}

// SleeveRule says which sleeves must be alike.
type SleeveRule struct {
	// Groups are sets of parts whose sleeves must all be the same; parts in
	// different groups may differ. A part in no group is not ruled by the book.
	Groups [][]Part `toml:"groups"`
	// Opaque says when the backs must be covered.
	Opaque Opaque `toml:"opaque"`
	// Required says when sleeves must be used at all.
	Required Opaque `toml:"required"`
	// MaxLayers is the largest number of sleeves on one card; 0 = not limited.
	MaxLayers int    `toml:"max_layers"`
	Clause    string `toml:"clause"`
}

// Opaque says when something is compulsory.
type Opaque string

// The cases. SeveralOnly: when cards in two or more languages are used.
const (
	Always      Opaque = "always"
	SeveralOnly Opaque = "several-languages"
	ByOrganiser Opaque = "organiser"
	Never       Opaque = "never"
)

// TimeRule is a time limit.
type TimeRule struct {
	ID      string `toml:"id"`
	Seconds int    `toml:"seconds"` // 0: the book asks for haste but gives no number
	Clause  string `toml:"clause"`
}

// The times a station can use. TimeBetweenGames covers side-decking and
// shuffling between two games of a match.
const (
	TimeMatch        = "match"
	TimeBetweenGames = "between-games"
	TimeThinking     = "thinking"
	TimeShuffle      = "shuffle"
)

// Accumulation says how penalties add up in the ledger.
type Accumulation struct {
	ID string `toml:"id"`
	// By says what is added up together: all of the tournament, only the same
	// category of clause, or only the same clause.
	By Scope `toml:"by"`
	// Weights gives each penalty that counts its weight.
	Weights   map[string]int `toml:"weights"`
	Threshold int            `toml:"threshold"`
	// From and To: what is reached at the threshold. With Raise set, it is one
	// step above the penalty given last.
	From  string `toml:"from"`
	To    string `toml:"to"`
	Raise bool   `toml:"raise"`
	// Binding: the book says it follows directly. Otherwise the book lets a
	// judge raise, and the ledger only says so.
	Binding bool   `toml:"binding"`
	Clause  string `toml:"clause"`
}

// Scope is what an accumulation adds up together.
type Scope string

// The scopes.
const (
	ByTournament Scope = "tournament"
	ByCategory   Scope = "category"
	ByClause     Scope = "clause"
)
