package locale

import "strings"

// Language is one of the languages fairdeck speaks, as a BCP 47 tag.
type Language string

// The languages, in the order in which menus show them.
const (
	English            Language = "en"
	SimplifiedChinese  Language = "zh-Hans"
	TraditionalChinese Language = "zh-Hant"
	Japanese           Language = "ja"
)

// Languages lists all languages, English (the fallback) first.
func Languages() []Language {
	return []Language{English, SimplifiedChinese, TraditionalChinese, Japanese}
}

// Text is one statement in all four languages. It is the form in which data
// files (rule books) carry their renderings; a strict reader finds a
// misspelled language because the struct has no other field.
type Text struct {
	En     string `toml:"en" json:"en"`
	ZhHans string `toml:"zh-Hans" json:"zh-Hans"`
	ZhHant string `toml:"zh-Hant" json:"zh-Hant"`
	Ja     string `toml:"ja" json:"ja"`
}

// In returns the text in a language; an unknown language gives English.
func (t Text) In(l Language) string {
	switch l {
	case SimplifiedChinese:
		return t.ZhHans
	case TraditionalChinese:
		return t.ZhHant
	case Japanese:
		return t.Ja
	default:
		return t.En
	}
}

// Missing lists the languages in which the text is empty.
func (t Text) Missing() []Language {
	var missing []Language
	for _, l := range Languages() {
		if strings.TrimSpace(t.In(l)) == "" {
			missing = append(missing, l)
		}
	}
	return missing
}
