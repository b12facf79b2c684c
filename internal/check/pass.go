package check

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"fairdeck/internal/record"
)

// manyDropped is the share of lost frames that a reader must know of: with
// half of them a card that lies for half a second still has seven.
const manyDropped = 0.5

// tellPass says what of a pass a reader must know. Where every expected card
// was counted, what went wrong on the way cost nothing and is a remark; else a
// card may be missing, and the check is not complete.
func tellPass(c draft, p *record.Capture) {
	all := p.Expected > 0 && p.Sightings == p.Expected
	doubt := func(code, text, remedy string) {
		if all {
			c.warn(code, "", text)
			return
		}
		c.problem(record.Problem{Code: code, Text: text, Remedy: remedy})
	}
	switch n := p.Expected; {
	case n == 0 || all:
	case p.Sightings < n:
		c.problem(record.Problem{
			Code: "count", Text: fmt.Sprintf("%d cards were seen and %d were expected: two may have been put down as one, or a card was not dealt", p.Sightings, n),
			Remedy: "count the deck and deal it again",
		})
	default:
		c.problem(record.Problem{
			Code: "count", Text: fmt.Sprintf("%d cards were seen and %d were expected: a card may have been dealt twice, or the deck has too many", p.Sightings, n),
			Remedy: "count the deck and deal it again",
		})
	}
	if p.Again > 0 {
		doubt("again", fmt.Sprintf("cards that could not be used and were not counted: %d", p.Again), "count the deck; a card that was not dealt again is missing")
	}
	seen := map[record.CaptureNotice]bool{}
	for _, n := range p.Notices {
		key := record.CaptureNotice{Code: n.Code, Text: n.Text}
		if seen[key] {
			continue
		}
		seen[key] = true
		if n.Code == graveFlicker {
			c.problem(record.Problem{Code: "capture-" + n.Code, Text: n.Text, Remedy: "set the light right, and deal the deck again"})
			continue
		}
		if harmless(n.Code) {
			c.warn("capture-"+n.Code, "", n.Text)
			continue
		}
		doubt("capture-"+n.Code, n.Text, "count the deck; give the number of its cards with --cards")
	}
	if n := p.Frames + p.Dropped; float64(p.Dropped) > manyDropped*float64(n) {
		c.warn("dropped", "", fmt.Sprintf("%d of %d frames were lost: close other programs, or choose a smaller picture size", p.Dropped, n))
	}
	switch p.Ended {
	case "failed":
		doubt("capture-failed", "the camera was lost before the pass was over", "look after its cable and power, and deal the deck again")
	case "interrupted":
		doubt("capture-interrupted", "the pass was stopped before it was over", "deal the deck again")
	}
	if r := p.Recording; r != nil && !r.Whole {
		c.warn("recording", "", "the recording of this pass is not whole: the check cannot be made again from it")
	}
}

// harmless are the settler's notices that cost no card: one under a hand is
// seen when the hand is gone, and a blurred one is told and not counted. That the
// station's profile was not used costs none either. Of the light and the
// sharpness of the picture each card shows for itself what they cost it, and is
// measured for it; only bands that wander over a sleeve look like marks on it.
func harmless(code string) bool {
	return code == "hand" || code == "blurred" || code == "profile" || strings.HasPrefix(code, "light-")
}

// graveFlicker is the code of a lamp whose bands are as strong as marks.
const graveFlicker = "light-flicker-grave"

func sumHex(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
