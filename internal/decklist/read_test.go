package decklist_test

import (
	"errors"
	"strings"
	"testing"

	"fairdeck/internal/decklist"

	"github.com/google/go-cmp/cmp"
)

func TestRead(t *testing.T) {
	for name, c := range map[string]struct {
		file, text string
		want       []decklist.Line
	}{
		"text": {"a.txt", "# round 3\n[land]\n4 Island\n2x Swamp\n\n[spell]\n1 Bolt, the 2nd\nSideboard\n3 Bolt, the 2nd\n", []decklist.Line{
			{4, "Island", "land", "main", 3}, {2, "Swamp", "land", "main", 4}, {1, "Bolt, the 2nd", "spell", "main", 7}, {3, "Bolt, the 2nd", "", "side", 9}}},
		"again and SB": {"a", "1 Island\nSB: 2 Island\n3 Island\n", []decklist.Line{{4, "Island", "", "main", 1}, {2, "Island", "", "side", 2}}},
		"csv":          {"a.CSV", "\xef\xbb\xbfName,Qty,Type,Section\n\"Wall, the\",2,wall,main\nBird,1,,side\n", []decklist.Line{{2, "Wall, the", "wall", "main", 2}, {1, "Bird", "", "side", 3}}},
		"csv of cards": {"a.csv", "card\nA\nB\nA\n", []decklist.Line{{2, "A", "", "main", 2}, {1, "B", "", "main", 3}}},
		"ydk":          {"d.ydk", "#created by ...\n#main\n89631139\n89631139\n#extra\n23995346\n!side\n5318639\n", []decklist.Line{{2, "89631139", "", "main", 3}, {1, "23995346", "", "extra", 6}, {1, "5318639", "", "side", 8}}},
		"Chinese":      {"a.txt", "4 青眼白龙\n额外卡组\n1 究极龙\n", []decklist.Line{{4, "青眼白龙", "", "main", 1}, {1, "究极龙", "", "extra", 3}}},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := decklist.Read(strings.NewReader(c.text), c.file)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, l.Lines); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		file, text, want string
		line             int
	}{
		"nothing":        {"a.txt", "# only\n", "no cards", 0},
		"no number":      {"a.txt", "4 A\nIsland\n", "want a number", 2},
		"too many":       {"a.txt", "999 A\n2 B\n", "more than 1000", 2},
		"none":           {"a.txt", "0 A\n", "0 copies", 1},
		"minus":          {"a.txt", "-3 A\n", "-3 copies", 1},
		"overflow":       {"a.txt", "99999999999999999999 A\n", "want a number", 1},
		"two classes":    {"a.txt", "[x]\n1 A\n[y]\n1 A\n", "class", 4},
		"control":        {"a.txt", "1 A\x1b[2J\n", "control", 1},
		"turned text":    {"a.txt", "1 A\u202e\n", "control", 1},
		"not UTF-8":      {"a.txt", "1 \xff\n", "UTF-8", 0},
		"no card column": {"a.csv", "x,y\n1,2\n", "no column", 1},
		"short row":      {"a.csv", "card,count\nA\n", "fields", 2},
		"a bad part":     {"a.csv", "card,part\nA,graveyard\n", "part", 2},
		"a name in ydk":  {"a.ydk", "#main\nBlue-Eyes\n", "number", 2},
		"an unread card": {"a.txt", "1 ?\n", "no card name", 1},
		"huge":           {"a.txt", strings.Repeat("1 A\n", 1<<19), "larger", 0},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := decklist.Read(strings.NewReader(c.text), c.file)
			var e *decklist.Error
			if !errors.As(err, &e) || e.Line != c.line || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.file) {
				t.Errorf("%v, want %q on line %d", err, c.want, c.line)
			}
		})
	}
}

// FuzzRead: whatever is accepted keeps the limits and adds up.
func FuzzRead(f *testing.F) {
	f.Add("a.txt", "[land]\n4 Island\nSideboard\n2x Swamp\n")
	f.Add("a.csv", "card,count,class,part\n\"A, b\",2,c,side\n")
	f.Add("a.ydk", "#main\n1\n!side\n2\n")
	f.Fuzz(func(t *testing.T, file, text string) {
		l, err := decklist.Read(strings.NewReader(text), file)
		if err != nil {
			return
		}
		seen := map[[2]string]bool{}
		for _, x := range l.Lines {
			if x.Count < 1 || x.Name == "" || len(x.Name) > decklist.MaxName || x.At < 1 || seen[[2]string{x.Name, x.Part}] {
				t.Fatalf("%+v", x)
			}
			seen[[2]string{x.Name, x.Part}] = true
		}
		n := l.Cards("main") + l.Cards("side") + l.Cards("extra")
		if n != l.Cards("") || n < 1 || n > decklist.MaxCards {
			t.Fatalf("%d cards in parts, %d together", n, l.Cards(""))
		}
	})
}
