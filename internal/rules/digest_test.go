package rules

import (
	"fmt"
	"slices"
	"testing"
)

// want is what the digest of the rule books says about one finding in one
// book. Its clauses are the book's own numbers; ranges are by level, "" for a
// book without levels. A range of "" means that nothing is suggested.
type want struct {
	book    string
	finding Finding
	numbers []string         // clause numbers that must be cited (prefixes are enough)
	ranges  map[Level]string // "from..to"
	action  Action
	onlyIf  Condition
	named   string // penalty shown as information
	see     string // clause shown as information
	remedy  string
}

func levels(l1, l2 string) map[Level]string { return map[Level]string{1: l1, 2: l2, 3: l2} }
func any1(r string) map[Level]string        { return map[Level]string{0: r} }

func found(k Kind, f Facts) Finding {
	return Finding{Kind: k, Facts: f, Evidence: []Evidence{{Ref: "sleeves/1"}}}
}

var (
	visible       = Facts{Visibility: Visible}
	obvious       = Facts{Visibility: Obvious}
	isolatedBush  = levels("verbal-caution..warning", "warning..warning")
	patternBush   = levels("warning..round-loss", "round-loss..round-loss")
	deckListsBush = levels("warning..round-loss", "round-loss..disqualification")
	bothWrongBush = levels("round-loss..round-loss", "round-loss..disqualification")
	cautionWarn   = levels("verbal-caution..verbal-caution", "warning..warning")
)

// digest holds the rows of the digest, in its order.
var digest = map[string][]want{
	"mark.isolated": {
		{book: "bushiroad-floor", finding: found(MarkIsolated, visible), numbers: []string{"5.11.1"}, ranges: isolatedBush, remedy: "change-sleeves"},
		{book: "cnc-2011", finding: found(MarkIsolated, visible), numbers: []string{"第二部分 罚则 6", "第一部分 禁止事项 11", "第一部分 禁止事项 13"}, ranges: any1("caution..caution"), remedy: "unmark"},
		{book: "cnc-2011", finding: found(MarkIsolated, obvious), numbers: []string{"第二部分 罚则 6"}, ranges: any1("caution..caution"), remedy: "unmark"},
		{book: "konami-asia-2008", finding: found(MarkIsolated, visible), numbers: []string{"1-6", "4-11", "4-13"}, action: ActionProhibited, remedy: "replace-until-uniform"},
	},
	"mark.pattern": {
		{book: "bushiroad-floor", finding: found(MarkPattern, visible), numbers: []string{"5.11.2"}, ranges: patternBush, see: "6.3", remedy: "name-shared-feature"},
		{book: "cnc-2011", finding: found(MarkPattern, obvious), numbers: []string{"第二部分 罚则 6"}, ranges: any1("game-loss..game-loss"), onlyIf: ConditionDeliberate, remedy: "name-shared-feature"},
		{book: "cnc-2011", finding: found(MarkPattern, visible), numbers: []string{"第二部分 罚则 6"}, ranges: any1("caution..caution"), remedy: "name-shared-feature"},
		{book: "konami-asia-2008", finding: found(MarkPattern, visible), numbers: []string{"1-6", "4-11"}, action: ActionProhibited, remedy: "name-shared-feature"},
	},
	"mark.obvious": {
		{book: "cnc-2011", finding: found(MarkObvious, obvious), numbers: []string{"第二部分 罚则 6"}, ranges: any1("game-loss..game-loss"), onlyIf: ConditionDeliberate, remedy: "unmark"},
		{book: "bushiroad-floor", finding: found(MarkObvious, Facts{Visibility: Obvious, Shared: No}), numbers: []string{"5.11.1"}, ranges: isolatedBush, remedy: "change-sleeves"},
		{book: "bushiroad-floor", finding: found(MarkObvious, Facts{Visibility: Obvious, Shared: Yes}), numbers: []string{"5.11.2"}, ranges: patternBush, remedy: "change-sleeves"},
		{book: "konami-asia-2008", finding: found(MarkObvious, obvious), numbers: []string{"1-6"}, action: ActionProhibited, remedy: "replace-until-uniform"},
	},
	"orientation.mixed": {
		{book: "bushiroad-floor", finding: found(OrientationMixed, Facts{Visibility: Visible, Shared: Yes, Ordered: No}), numbers: []string{"5.11.2"}, ranges: patternBush, see: "6.3", remedy: "turn-cards"},
		{book: "bushiroad-floor", finding: found(OrientationMixed, Facts{Visibility: Visible, Shared: No, Ordered: No}), numbers: []string{"5.11.1"}, ranges: isolatedBush, see: "6.3", remedy: "turn-cards"},
		{book: "bushiroad-floor", finding: found(OrientationMixed, Facts{Visibility: Visible, Shared: No, Ordered: Yes}), numbers: []string{"5.6.2"}, ranges: cautionWarn, remedy: "same-as-rest"},
		{book: "cnc-2011", finding: found(OrientationMixed, visible), action: ActionUnmentioned, remedy: "turn-cards"},
		{book: "konami-asia-2008", finding: found(OrientationMixed, visible), action: ActionUnmentioned, remedy: "turn-cards"},
	},
	"intent.question": {
		{book: "bushiroad-floor", finding: found(IntentQuestion, Facts{}), numbers: []string{"6.2", "6.3"}, action: ActionHeadJudge, named: "disqualification", remedy: "evidence"},
		{book: "cnc-2011", finding: found(IntentQuestion, Facts{}), numbers: []string{"第二部分 罚则 4"}, action: ActionHeadJudge, named: "prizes-forfeited", see: "第一部分 裁判守则 5", remedy: "evidence"},
		{book: "konami-asia-2008", finding: found(IntentQuestion, Facts{}), action: ActionHeadJudge, numbers: []string{"4-9"}, remedy: "evidence"},
	},
	"sleeve.mixed": {
		{book: "cnc-2011", finding: found(SleeveMixed, Facts{Visibility: Visible, Part: Across}), numbers: []string{"第一部分 关于卡套的使用"}, ranges: any1("caution..caution"), remedy: "replace-sleeves"},
		{book: "cnc-2011", finding: found(SleeveMixed, Facts{Visibility: Obvious, Part: MainDeck, Shared: Yes}), numbers: []string{"第一部分 关于卡套的使用"}, ranges: any1("game-loss..game-loss"), onlyIf: ConditionDeliberate, remedy: "replace-sleeves"},
		{book: "cnc-2011", finding: found(SleeveMixed, Facts{Visibility: Obvious, Part: MainDeck, Shared: No}), numbers: []string{"第一部分 关于卡套的使用"}, ranges: any1("caution..caution"), remedy: "replace-sleeves"},
		{book: "konami-asia-2008", finding: found(SleeveMixed, Facts{Visibility: Visible, Part: Across}), numbers: []string{"1-6", "3"}, action: ActionProhibited, remedy: "replace-until-uniform"},
		{book: "bushiroad-floor", finding: found(SleeveMixed, Facts{Visibility: Visible, Part: MainDeck, Shared: No}), numbers: []string{"5.11.1", "3.2"}, ranges: isolatedBush, action: ActionMayForbid, remedy: "replace-sleeves"},
		{book: "bushiroad-floor", finding: found(SleeveMixed, Facts{Visibility: Visible, Part: MainDeck, Shared: Yes}), numbers: []string{"5.11.2", "3.2"}, ranges: patternBush, action: ActionMayForbid, remedy: "replace-sleeves"},
		{book: "bushiroad-floor", finding: found(SleeveMixed, Facts{Visibility: Obvious, Part: ExtraDeck, Shared: No}), numbers: []string{"3.2"}, action: ActionAllowed},
	},
	"sleeve.worn": {
		{book: "bushiroad-floor", finding: found(SleeveWorn, visible), numbers: []string{"3.2"}, action: ActionMayForbid, remedy: "replace-sleeves"},
		{book: "cnc-2011", finding: found(SleeveWorn, visible), action: ActionUnmentioned, remedy: "replace-sleeves"},
		{book: "konami-asia-2008", finding: found(SleeveWorn, visible), action: ActionUnmentioned, remedy: "replace-sleeves"},
	},
	"sleeve.layers": {
		{book: "bushiroad-floor", finding: found(SleeveLayers, Facts{Layers: LayersMany}), numbers: []string{"3.2"}, action: ActionMayForbid, remedy: "resleeve"},
		{book: "bushiroad-floor", finding: found(SleeveLayers, Facts{Layers: LayersUneven}), numbers: []string{"3.2"}, action: ActionMayForbid, remedy: "resleeve"},
		{book: "konami-asia-2008", finding: found(SleeveLayers, Facts{Layers: LayersMany}), numbers: []string{"1-6"}, action: ActionJudge, remedy: "resleeve"},
		{book: "konami-asia-2008", finding: found(SleeveLayers, Facts{Layers: LayersUneven}), numbers: []string{"1-6"}, action: ActionProhibited, remedy: "resleeve"},
		{book: "cnc-2011", finding: found(SleeveLayers, Facts{Layers: LayersUneven}), numbers: []string{"第一部分 关于卡套的使用"}, action: ActionProhibited, remedy: "resleeve"},
		{book: "cnc-2011", finding: found(SleeveLayers, Facts{Layers: LayersMany}), action: ActionUnmentioned, remedy: "resleeve"},
	},
	"sleeve.overprint": {
		{book: "bushiroad-floor", finding: found(SleeveOverprint, Facts{}), numbers: []string{"3.2"}, action: ActionMayForbid, remedy: "remove-outer"},
		{book: "cnc-2011", finding: found(SleeveOverprint, Facts{}), action: ActionUnmentioned, remedy: "remove-outer"},
		{book: "konami-asia-2008", finding: found(SleeveOverprint, Facts{}), action: ActionUnmentioned, remedy: "remove-outer"},
	},
	"sleeve.insert": {
		{book: "cnc-2011", finding: found(SleeveInsert, Facts{}), numbers: []string{"第一部分 关于卡套的使用", "第一部分 禁止事项 12", "第一部分 大赛必要细则（卡底）"}, action: ActionProhibited, remedy: "open-sleeve"},
		{book: "konami-asia-2008", finding: found(SleeveInsert, Facts{}), numbers: []string{"3", "4-12"}, action: ActionProhibited, remedy: "open-sleeve"},
		{book: "bushiroad-floor", finding: found(SleeveInsert, Facts{}), numbers: []string{"3.2"}, action: ActionProhibited, remedy: "open-sleeve"},
	},
	"sleeve.transparent": {
		{book: "cnc-2011", finding: found(SleeveTransparent, Facts{Languages: SeveralLanguages}), numbers: []string{"第一部分 大赛必要细则"}, action: ActionProhibited, remedy: "opaque-sleeves"},
		{book: "cnc-2011", finding: found(SleeveTransparent, Facts{Languages: OneLanguage}), numbers: []string{"第一部分 关于卡套的使用"}, action: ActionAllowed},
		{book: "konami-asia-2008", finding: found(SleeveTransparent, Facts{Languages: SeveralLanguages}), numbers: []string{"1-6 ※"}, action: ActionProhibited, remedy: "opaque-sleeves"},
		{book: "konami-asia-2008", finding: found(SleeveTransparent, Facts{Languages: OneLanguage}), numbers: []string{"1-6"}, action: ActionProhibited, remedy: "opaque-sleeves"},
		{book: "bushiroad-floor", finding: found(SleeveTransparent, Facts{}), numbers: []string{"2.1", "3.2"}, action: ActionProhibited, remedy: "opaque-sleeves"},
	},
	"edge.distinct": {
		{book: "bushiroad-floor", finding: found(EdgeDistinct, Facts{Visibility: Visible, Shared: No}), numbers: []string{"2.1", "3.2"}, ranges: isolatedBush, remedy: "straighten"},
		{book: "bushiroad-floor", finding: found(EdgeDistinct, Facts{Visibility: Visible, Shared: Yes}), numbers: []string{"2.1", "3.2"}, ranges: patternBush, remedy: "straighten"},
		{book: "cnc-2011", finding: found(EdgeDistinct, visible), action: ActionUnmentioned, remedy: "straighten"},
		{book: "konami-asia-2008", finding: found(EdgeDistinct, visible), action: ActionUnmentioned, remedy: "straighten"},
	},
	"deck.count": {
		{book: "cnc-2011", finding: found(DeckCount, Facts{Part: MainDeck, Count: TooFew}), numbers: []string{"第二部分 罚则 3A", "第一部分 禁止事项 15", "第一部分 大会中的礼仪 7"}, ranges: any1("game-loss..game-loss"), remedy: "fill-to-40"},
		{book: "cnc-2011", finding: found(DeckCount, Facts{Part: MainDeck, Count: TooMany}), numbers: []string{"第一部分 大赛必要细则"}, action: ActionProhibited, remedy: "fix-count"},
		{book: "cnc-2011", finding: found(DeckCount, Facts{Part: SideDeck, Count: TooMany}), numbers: []string{"第一部分 决斗顺序 2"}, action: ActionProhibited, remedy: "fix-count"},
		{book: "konami-asia-2008", finding: found(DeckCount, Facts{Part: MainDeck, Count: TooFew}), numbers: []string{"3", "4-15"}, action: ActionProhibited, remedy: "fix-count"},
		{book: "konami-asia-2008", finding: found(DeckCount, Facts{Part: ExtraDeck, Count: TooMany}), numbers: []string{"3", "4-14"}, action: ActionProhibited, remedy: "fix-count"},
		{book: "bushiroad-floor", finding: found(DeckCount, Facts{Part: MainDeck, Count: TooFew, List: ListNone}), numbers: []string{"5.1.1"}, ranges: patternBush, remedy: "repair-unlisted"},
		{book: "bushiroad-floor", finding: found(DeckCount, Facts{Part: MainDeck, Count: TooMany, List: ListRight}), numbers: []string{"5.1.3"}, ranges: deckListsBush, remedy: "repair-deck"},
		{book: "bushiroad-floor", finding: found(DeckCount, Facts{Part: MainDeck, Count: TooMany, List: ListWrong}), numbers: []string{"5.1.4"}, ranges: bothWrongBush, remedy: "repair-both"},
	},
	"deck.list": {
		{book: "cnc-2011", finding: found(DeckList, Facts{List: ListRight}), numbers: []string{"第二部分 罚则 3B"}, ranges: any1("game-loss..game-loss"), remedy: "match-list"},
		{book: "konami-asia-2008", finding: found(DeckList, Facts{}), numbers: []string{"2B", "4-5"}, action: ActionProhibited, remedy: "match-list"},
		{book: "bushiroad-floor", finding: found(DeckList, Facts{List: ListWrong, Deck: DeckRight}), numbers: []string{"5.1.2"}, ranges: levels("warning..warning", "round-loss..disqualification"), remedy: "repair-list"},
		{book: "bushiroad-floor", finding: found(DeckList, Facts{List: ListRight, Deck: DeckWrong}), numbers: []string{"5.1.3"}, ranges: deckListsBush, remedy: "repair-deck"},
		{book: "bushiroad-floor", finding: found(DeckList, Facts{List: ListWrong, Deck: DeckWrong}), numbers: []string{"5.1.4"}, ranges: bothWrongBush, remedy: "repair-both"},
	},
	"deck.copies": {
		{book: "cnc-2011", finding: found(DeckCopies, Facts{}), numbers: []string{"第二部分 罚则 3A"}, ranges: any1("game-loss..game-loss"), remedy: "remove-copies"},
		{book: "konami-asia-2008", finding: found(DeckCopies, Facts{}), numbers: []string{"1-2"}, action: ActionProhibited, remedy: "remove-copies"},
		{book: "bushiroad-floor", finding: found(DeckCopies, Facts{List: ListNone}), numbers: []string{"5.1.1"}, ranges: patternBush, remedy: "remove-copies"},
	},
	"order.insufficient": {
		{book: "bushiroad-floor", finding: found(OrderInsufficient, Facts{}), numbers: []string{"2.4", "5.12"}, ranges: patternBush, remedy: "opponent-shuffles"},
		{book: "cnc-2011", finding: found(OrderInsufficient, Facts{}), numbers: []string{"第一部分 决斗顺序 3"}, action: ActionJudge, remedy: "shuffle-again"},
		{book: "konami-asia-2008", finding: found(OrderInsufficient, Facts{}), numbers: []string{"2D-3"}, action: ActionJudge, remedy: "shuffle-again"},
	},
	"order.arranged": {
		{book: "bushiroad-floor", finding: found(OrderArranged, Facts{Persisted: No}), numbers: []string{"5.13"}, ranges: cautionWarn, remedy: "shuffle-again"},
		{book: "bushiroad-floor", finding: found(OrderArranged, Facts{Persisted: Yes}), numbers: []string{"5.12", "5.13"}, ranges: patternBush, remedy: "shuffle-again"},
		{book: "cnc-2011", finding: found(OrderArranged, Facts{}), numbers: []string{"第一部分 决斗顺序 3 注"}, action: ActionProhibited, remedy: "shuffle-again"},
		{book: "konami-asia-2008", finding: found(OrderArranged, Facts{}), numbers: []string{"2D-3 ※"}, action: ActionProhibited, remedy: "shuffle-again"},
	},
	"order.stacked": {
		{book: "bushiroad-floor", finding: found(OrderStacked, Facts{}), numbers: []string{"6.2"}, action: ActionHeadJudge, named: "disqualification", remedy: "evidence"},
		{book: "cnc-2011", finding: found(OrderStacked, Facts{}), numbers: []string{"第一部分 禁止事项 9"}, action: ActionHeadJudge, named: "prizes-forfeited", remedy: "evidence"},
		{book: "konami-asia-2008", finding: found(OrderStacked, Facts{}), numbers: []string{"4-9"}, action: ActionHeadJudge, remedy: "evidence"},
	},
	"shuffle.faceup": {
		{book: "bushiroad-floor", finding: found(ShuffleFaceUp, Facts{}), numbers: []string{"2.4", "5.12"}, ranges: patternBush, remedy: "shuffle-again"},
		{book: "cnc-2011", finding: found(ShuffleFaceUp, Facts{}), numbers: []string{"第一部分 禁止事项 6"}, action: ActionProhibited, remedy: "shuffle-again"},
		{book: "konami-asia-2008", finding: found(ShuffleFaceUp, Facts{}), numbers: []string{"2D-3"}, action: ActionProhibited, see: "4-6", remedy: "shuffle-again"},
	},
	"shuffle.slow": {
		{book: "bushiroad-floor", finding: found(ShuffleSlow, Facts{}), numbers: []string{"5.20.2", "2.4"}, ranges: levels("verbal-caution..warning", "warning..round-loss"), remedy: "show-time"},
		{book: "cnc-2011", finding: found(ShuffleSlow, Facts{}), numbers: []string{"第二部分 罚则 7", "第一部分 限制时间"}, ranges: any1("caution..caution"), remedy: "show-time"},
		{book: "konami-asia-2008", finding: found(ShuffleSlow, Facts{}), numbers: []string{"2C"}, ranges: any1("caution..caution"), remedy: "show-time"},
	},
	"clarification: glitter film": {
		{book: "cnc-2011", finding: found(CardProcessed, Facts{}), numbers: []string{"第一部分 大赛必要细则（加工过的卡）", "第二部分 罚则 3A"}, ranges: any1("game-loss..game-loss"), remedy: "swap-unallowed"},
		{book: "konami-asia-2008", finding: found(CardProcessed, Facts{}), numbers: []string{"3", "1-6 ※"}, action: ActionProhibited, remedy: "replace-card"},
		{book: "bushiroad-floor", finding: found(CardProcessed, Facts{}), numbers: []string{"2.1"}, action: ActionJudge, remedy: "replace-card"},
	},
}

func TestDigest(t *testing.T) {
	shelf := open(t)
	for row, wants := range digest {
		t.Run(row, func(t *testing.T) {
			for _, w := range wants {
				b, err := shelf.Book(w.book)
				if err != nil {
					t.Fatal(err)
				}
				for _, level := range everyLevel(b) {
					t.Run(fmt.Sprintf("%s/%d/%+v", w.book, level, w.finding.Facts), func(t *testing.T) {
						checkRow(t, b, level, w)
					})
				}
			}
		})
	}
}

func everyLevel(b *Book) []Level {
	if len(b.Levels) == 0 {
		return []Level{0}
	}
	var all []Level
	for _, l := range b.Levels {
		all = append(all, l.ID)
	}
	return all
}

func checkRow(t *testing.T, b *Book, level Level, w want) {
	a, err := b.Advise(w.finding, level)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Outcomes) != 1 || len(a.Ask) != 0 {
		t.Fatalf("%d outcomes, asks %v; want one outcome and no question", len(a.Outcomes), a.Ask)
	}
	o := a.Outcomes[0]
	got := ""
	if o.Suggested != nil {
		got = o.Suggested.From.ID + ".." + o.Suggested.To.ID
	}
	if got != w.ranges[level] {
		t.Errorf("suggests %q, want %q", got, w.ranges[level])
	}
	if o.Action != w.action || o.If != w.onlyIf {
		t.Errorf("action %q if %q, want %q if %q", o.Action, o.If, w.action, w.onlyIf)
	}
	for _, number := range w.numbers {
		if !slices.ContainsFunc(o.Clauses, func(c Clause) bool { return sameNumber(c.Number, number) }) {
			t.Errorf("cites %v, want %s among them", numbersOf(o.Clauses), number)
		}
	}
	if w.named != "" && !slices.ContainsFunc(o.Named, func(p Penalty) bool { return p.ID == w.named }) {
		t.Errorf("names %v, want %s as information", o.Named, w.named)
	}
	if w.see != "" && !slices.ContainsFunc(o.See, func(c Clause) bool { return sameNumber(c.Number, w.see) }) {
		t.Errorf("shows %v as information, want %s among them", numbersOf(o.See), w.see)
	}
	if w.remedy != "" && !slices.ContainsFunc(o.Remedies, func(r Remedy) bool { return r.ID == w.remedy }) {
		t.Errorf("remedies %v, want %s among them", o.Remedies, w.remedy)
	}
}

// sameNumber compares clause numbers; a remark in brackets may follow.
func sameNumber(full, number string) bool {
	return full == number || len(full) > len(number) && full[:len(number)] == number && (full[len(number)] == ' ' || full[len(number)] >= 0x80)
}

func numbersOf(list []Clause) []string {
	var n []string
	for _, c := range list {
		n = append(n, c.Number)
	}
	return n
}

// TestDigestIsWhole keeps the table from losing a kind or a book.
func TestDigestIsWhole(t *testing.T) {
	for _, k := range Kinds() {
		for _, id := range []string{"cnc-2011", "konami-asia-2008", "bushiroad-floor"} {
			n := 0
			for _, wants := range digest {
				for _, w := range wants {
					if w.finding.Kind == k && w.book == id {
						n++
					}
				}
			}
			if n == 0 {
				t.Errorf("no row tests %s in %s", k, id)
			}
		}
	}
}

func TestNeutralSuggestsNoPenalty(t *testing.T) {
	b := book(t, Neutral)
	for _, k := range Kinds() {
		for _, f := range combinations(k, k.facts(), Facts{}) {
			a, err := b.Advise(found(k, f), 0)
			if err != nil {
				continue // combinations that the kind rules out
			}
			for _, o := range a.Outcomes {
				if o.Suggested != nil || len(o.Remedies) == 0 {
					t.Errorf("%s: suggested %v, remedies %v", k, o.Suggested, o.Remedies)
				}
			}
		}
	}
}
