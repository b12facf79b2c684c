package locale

import "strings"

// latin are the fonts of pages in English, system fonts first.
const latin = `system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", Arial, sans-serif`

// Fonts is the CSS font-family of a language: the system's own fonts of
// macOS, Windows, Android and Linux, in that order. Nothing is fetched or
// embedded. Chinese and Japanese share code points that they draw
// differently, so each language names its own fonts before any other:
// system-ui alone follows the machine's language, not the page's.
func (l Language) Fonts() string {
	switch l {
	case SimplifiedChinese:
		return `"PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", "Noto Sans SC", "Source Han Sans SC", "WenQuanYi Micro Hei", ` + latin
	case TraditionalChinese:
		return `"PingFang TC", "PingFang HK", "Microsoft JhengHei", "Noto Sans CJK TC", "Noto Sans CJK HK", "Noto Sans TC", "Source Han Sans TC", ` + latin
	case Japanese:
		return `"Hiragino Sans", "Yu Gothic UI", "Yu Gothic", Meiryo, "Noto Sans CJK JP", "Noto Sans JP", "Source Han Sans", IPAexGothic, ` + latin
	}
	return latin
}

// FontCSS gives every language its fonts, wherever it stands on a page: a
// quote in the rule book's own language is drawn with that language's.
func FontCSS() string {
	var b strings.Builder
	for _, l := range Languages() {
		b.WriteString(":lang(" + string(l) + ") { font-family: " + l.Fonts() + "; }\n")
	}
	return b.String()
}
