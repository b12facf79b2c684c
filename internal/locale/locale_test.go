package locale

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

func load(tb testing.TB) *Catalogues {
	tb.Helper()
	c, err := Load()
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

var placeholder = regexp.MustCompile(`\{[^{}]*\}`)

func names(text string) []string {
	list := placeholder.FindAllString(text, -1)
	slices.Sort(list)
	return list
}

func TestEveryLanguageHasEveryKey(t *testing.T) {
	c := load(t)
	want := c.Keys(English)
	if len(want) < 100 {
		t.Errorf("only %d keys", len(want))
	}
	for _, l := range Languages() {
		if got := c.Keys(l); !slices.Equal(got, want) {
			for _, k := range want {
				if !slices.Contains(got, k) {
					t.Errorf("%s lacks %s", l, k)
				}
			}
			for _, k := range got {
				if !slices.Contains(want, k) {
					t.Errorf("%s has %s, which English lacks", l, k)
				}
			}
		}
	}
}

func TestPlaceholdersAreTheSame(t *testing.T) {
	c := load(t)
	for key, english := range c.of[English].Text {
		for _, l := range Languages() {
			text := c.of[l].Text[key]
			if !slices.Equal(names(text), names(english)) {
				t.Errorf("%s, %s: fills in %v, English fills in %v", l, key, names(text), names(english))
			}
			if strings.TrimSpace(text) == "" || text != strings.TrimSpace(text) {
				t.Errorf("%s, %s: empty or with spaces around", l, key)
			}
			if strings.Count(text, "{") != strings.Count(text, "}") || strings.Count(text, "{") != len(names(text)) {
				t.Errorf("%s, %s: braces do not match in %q", l, key, text)
			}
		}
	}
}

func TestPluralForms(t *testing.T) {
	c := load(t)
	for key := range c.of[English].Plural {
		for _, l := range Languages() {
			f := c.of[l].Plural[key]
			// The forms that CLDR says the language has, found by trying numbers.
			hasOne := false
			for n := range 200 {
				hasOne = hasOne || plural.Cardinal.MatchPlural(language.Make(string(l)), n, 0, 0, 0, 0) == plural.One
			}
			if f.Other == "" || (f.One != "") != hasOne {
				t.Errorf("%s, %s: one = %q, other = %q; CLDR has a form for one: %v", l, key, f.One, f.Other, hasOne)
			}
			for _, text := range []string{f.One, f.Other} {
				if text != "" && !slices.Equal(names(text), names(c.of[English].Plural[key].Other)) {
					t.Errorf("%s, %s: fills in %v", l, key, names(text))
				}
			}
		}
	}
	for n, want := range map[int]string{0: "0 sleeves", 1: "1 sleeve", 2: "2 sleeves", 11: "11 sleeves", 101: "101 sleeves"} {
		if got := c.For(English).Count("count.sleeves", n, nil); got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
	if got := c.For(Japanese).Count("count.sleeves", 1, nil); got != "スリーブ1枚" {
		t.Errorf("Japanese: %q", got)
	}
}

// international are names, units and flags that every language writes alike.
var international = regexp.MustCompile(`fairdeck|check\.json|chmod a\+r|--[a-z-]+|\b(mm|px|MB|ΔE|OpenCV|JPEG|PNG|TIFF|WebP|BMP|GIF|HEIC|AVIF|PDF|XL|BigTIFF|Photoshop|CMYK)\b|ΔE|mm|第n|n枚目|\bx\b|Spearman|Kendall|[pe]値|[pe]值|（p |(https?|rtsp|file)://[a-z:@/…]*|/dev/video0|/(video|mjpeg)|sudo usermod -aG video \$USER|mjpg-streamer|mediamtx|ffmpeg|cameras|doctor|replay|video(组|群組|グループ)|USB|Linux|HTTP|RTSP|MJPE?G|YUYV|MP4|H\.264`)

// TestScripts finds a text in the wrong language: English letters in a
// translation beyond the product's name, or characters of the other Chinese.
func TestScripts(t *testing.T) {
	c := load(t)
	// Characters that only one of the two ways of writing Chinese has, of those
	// the catalogues use.
	simplified, traditional := "规则书处罚裁决颠顺请检查选记录标内层数类义仅从会两个为与况净划别复够头夹宽对导将属应开异张当户损择换挡报断无时显机权条来档没测渍灯点热环现电画盖确码种称线组细给编缘缩节见观视计议许设误说读质转较边达过运这进链镜长问间阅阴页须预频题颜验动参号图坏备压发圆战样洁离约网让该却状态员构办结倾", "規則書處罰裁決顛順請檢查選記錄標內層數類義僅從會兩個為與況淨劃別複夠頭夾寬對導將屬應開異張當戶損擇換擋報斷無時顯機權條來檔沒測漬燈點熱環現電畫蓋確碼種稱線組細給編緣縮節見觀視計議許設誤說讀質轉較邊達過運這進鏈鏡長問間閱陰頁須預頻題顏驗動參號圖壞備壓發圓戰樣潔離約網讓該卻狀態員構辦結傾"
	for i, r := range []rune(simplified) {
		if []rune(traditional)[i] == r {
			continue
		}
		for key, text := range c.of[TraditionalChinese].Text {
			if strings.ContainsRune(text, r) {
				t.Errorf("zh-Hant, %s: %q has the simplified %c", key, text, r)
			}
		}
		for key, text := range c.of[SimplifiedChinese].Text {
			if strings.ContainsRune(text, []rune(traditional)[i]) {
				t.Errorf("zh-Hans, %s: %q has the traditional %c", key, text, []rune(traditional)[i])
			}
		}
	}
	for _, l := range []Language{SimplifiedChinese, TraditionalChinese, Japanese} {
		all := maps.Clone(c.of[l].Text)
		for key, f := range c.of[l].Plural {
			all[key] = f.Other
		}
		for key, text := range all {
			plain := international.ReplaceAllString(placeholder.ReplaceAllString(text, ""), "")
			for _, r := range plain {
				if r < unicode.MaxASCII && unicode.IsLetter(r) {
					t.Errorf("%s, %s: %q is not translated", l, key, text)
					break
				}
			}
		}
	}
}

func TestFill(t *testing.T) {
	for _, c := range []struct {
		text string
		args Args
		want string
	}{
		{"{a} and {b}", Args{"a": "1", "b": "2"}, "1 and 2"},
		{"{a}{a}", Args{"a": "x"}, "xx"},
		{"{a}", Args{"a": "{b}", "b": "no"}, "{b}"}, // a value is not filled again
		{"{unknown}", nil, "{unknown}"},
		{"{open", Args{"open": "x"}, "{open"},
		{"%s {a}", Args{"a": "%d"}, "%s %d"},
		{"", nil, ""},
	} {
		if got := fill(c.text, c.args); got != c.want {
			t.Errorf("fill(%q, %v) = %q, want %q", c.text, c.args, got, c.want)
		}
	}
}

func TestUnknownKey(t *testing.T) {
	p := load(t).For(Japanese)
	if p.Text("no.such.key", nil) != "no.such.key" || p.Count("no.such.key", 2, nil) != "no.such.key" || p.Has("no.such.key") {
		t.Error("an unknown key must give itself")
	}
}

func TestParse(t *testing.T) {
	for s, want := range map[string]Language{
		"en": English, "en-GB": English, "en_US": English, "zh-Hans": SimplifiedChinese, "zh-CN": SimplifiedChinese, "zh": SimplifiedChinese,
		"zh_SG": SimplifiedChinese, "zh-Hant": TraditionalChinese, "zh_TW": TraditionalChinese, "zh-HK": TraditionalChinese, "ja": Japanese, "ja_JP": Japanese,
	} {
		if got, err := Parse(s); err != nil || got != want {
			t.Errorf("%s: %v %v, want %s", s, got, err, want)
		}
	}
	for _, s := range []string{"", "fr", "klingon", "zh-", "../en", "C"} {
		if l, err := Parse(s); err == nil {
			t.Errorf("%q was taken for %s", s, l)
		} else if !strings.Contains(err.Error(), "zh-Hant") {
			t.Errorf("%q: %v does not list the languages", s, err)
		}
	}
}

func TestDetect(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want Language
	}{
		{nil, English},
		{map[string]string{"LANG": "zh_TW.UTF-8"}, TraditionalChinese},
		{map[string]string{"LANG": "ja_JP.eucJP"}, Japanese},
		{map[string]string{"LANG": "zh_CN.GB18030", "LC_ALL": "ja_JP.UTF-8"}, Japanese},
		{map[string]string{"LANG": "ja_JP.UTF-8", "LC_MESSAGES": "C"}, English},
		{map[string]string{"LANG": "de_DE@euro"}, English},
		{map[string]string{"LANG": "C.UTF-8"}, English},
	} {
		if got := Detect(func(k string) string { return c.env[k] }); got != c.want {
			t.Errorf("%v: %s, want %s", c.env, got, c.want)
		}
	}
}

func TestTextMissing(t *testing.T) {
	if got := (Text{En: "x", Ja: " "}).Missing(); fmt.Sprint(got) != "[zh-Hans zh-Hant ja]" {
		t.Errorf("got %v", got)
	}
	if got := (Text{En: "a", ZhHans: "b", ZhHant: "c", Ja: "d"}).In("xx"); got != "a" {
		t.Errorf("an unknown language gives %q", got)
	}
}
