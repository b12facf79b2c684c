package locale

import (
	"strings"
	"testing"
)

func TestSaid(t *testing.T) {
	c := load(t)
	for _, tc := range []struct {
		english, want string
		lang          Language
	}{
		{"no card was found in the picture", "图片中没有找到卡片", SimplifiedChinese},
		{"the card cannot be compared: cut by the frame", "此卡無法比較：被畫面邊緣截斷", TraditionalChinese},
		{"3 cards where one was expected; card 2 of them was used", "1枚のはずが3枚あります。そのうち2番目を使いました", Japanese},
		// What is filled in stays as it is, even where it looks like a statement.
		{"byte for byte the same picture as blurred: used once", "与blurred逐字节相同的图片：只使用一次", SimplifiedChinese},
		{"byte for byte the same picture as {n}: used once.jpg: used once", "与{n}: used once.jpg逐字节相同的图片：只使用一次", SimplifiedChinese},
		{"glare hid more than 3% of sleeves 1, 2 and 7: take them again", "反光遮住了卡套1, 2, 7的3%以上：请重拍", SimplifiedChinese},
		{"not pictures, left aside: a.txt, b.txt and 3 more", "画像ではないため使いません：a.txt, b.txt +3", Japanese},
	} {
		got, ok := c.For(tc.lang).Said(tc.english)
		if !ok || got != tc.want {
			t.Errorf("%q: %q (%v), want %q", tc.english, got, ok, tc.want)
		}
		if got, ok := c.For(English).Said(tc.english); !ok || got != tc.english {
			t.Errorf("English changed to %q", got)
		}
	}
	for _, unknown := range []string{"", "something new", "no card was found in the picture, nor elsewhere"} {
		if got, ok := c.For(Japanese).Said(unknown); ok || got != unknown {
			t.Errorf("%q gave %q (%v)", unknown, got, ok)
		}
	}
}

// TestSaidFindsItself: every statement, filled in, is recognised as itself
// and not as another.
func TestSaidFindsItself(t *testing.T) {
	c := load(t)
	n := 0
	for key, text := range c.of[English].Text {
		if !strings.HasPrefix(key, saidPrefix) {
			continue
		}
		n++
		args := Args{}
		for _, m := range fillName.FindAllStringSubmatch(text, -1) {
			args[m[1]] = "7"
		}
		for _, l := range []Language{SimplifiedChinese, TraditionalChinese, Japanese} {
			p := c.For(l)
			want := p.Text(key, args)
			if got, ok := p.Said(fill(text, args)); !ok || got != want {
				t.Errorf("%s, %s: %q, want %q", l, key, got, want)
			}
		}
	}
	if n < 80 {
		t.Errorf("only %d statements", n)
	}
}

func TestList(t *testing.T) {
	c := load(t)
	for _, tc := range []struct {
		lang  Language
		words []string
		want  string
	}{
		{English, nil, ""}, {English, []string{"a"}, "a"}, {English, []string{"a", "b"}, "a and b"}, {English, []string{"a", "b", "c"}, "a, b and c"},
		{SimplifiedChinese, []string{"1", "2", "3"}, "1、2和3"}, {Japanese, []string{"1", "2"}, "1と2"},
	} {
		if got := c.For(tc.lang).List(tc.words); got != tc.want {
			t.Errorf("%s %v: %q, want %q", tc.lang, tc.words, got, tc.want)
		}
	}
}

func TestFonts(t *testing.T) {
	css := FontCSS()
	for _, l := range Languages() {
		if !strings.Contains(css, ":lang("+string(l)+")") || !strings.HasSuffix(l.Fonts(), "sans-serif") {
			t.Errorf("%s has no fonts", l)
		}
		for _, other := range Languages() {
			if l != other && l.Fonts() == other.Fonts() {
				t.Errorf("%s and %s have the same fonts: their shared characters are drawn differently", l, other)
			}
		}
	}
	if strings.Contains(css, "url(") || strings.ContainsAny(css, "<>&") {
		t.Error("the fonts must be the system's own")
	}
}
