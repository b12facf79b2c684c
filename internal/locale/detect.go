package locale

import (
	"fmt"
	"strings"

	"golang.org/x/text/language"
)

// Parse reads a language as a user gives it (--lang): "en", "zh-Hans",
// "zh_TW", "ja-JP". A language fairdeck does not speak is an error that lists
// those it does.
func Parse(s string) (Language, error) {
	tag, err := language.Parse(strings.ReplaceAll(s, "_", "-"))
	if err == nil {
		if l, ok := match(tag); ok {
			return l, nil
		}
	}
	return "", fmt.Errorf("language %q: choose en, zh-Hans, zh-Hant or ja", s)
}

// Detect returns the language of the system's locale, by the order in which
// POSIX looks (LC_ALL, LC_MESSAGES, LANG); English where there is none or one
// that fairdeck does not speak. getenv is os.Getenv.
func Detect(getenv func(string) string) Language {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		value := getenv(name)
		if value == "" {
			continue
		}
		value, _, _ = strings.Cut(value, ".") // zh_TW.UTF-8
		value, _, _ = strings.Cut(value, "@")
		if l, err := Parse(value); err == nil {
			return l
		}
		return English // C, POSIX, or another language
	}
	return English
}

func match(tag language.Tag) (Language, bool) {
	tags := make([]language.Tag, 0, len(Languages()))
	for _, l := range Languages() {
		tags = append(tags, language.Make(string(l)))
	}
	_, i, confidence := language.NewMatcher(tags).Match(tag)
	if confidence < language.High { // related is not enough: Cantonese readers know "zh-Hant" themselves
		return "", false
	}
	return Languages()[i], true
}
