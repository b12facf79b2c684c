// Package locale holds fairdeck's texts in its four languages.
//
//	catalogues/en.toml, zh-Hans.toml, ... ──Load──▶ Catalogues ──For(language)──▶ Printer
//	--lang, or the system's locale ──Parse, Detect──▶ Language          Text(key, args), Count(key, n)
//
// A text names what is filled in by braces: "Sum: {sum} of {threshold}". Word
// order is the translator's, and a test compares the names in every language.
// Plural forms follow the Unicode CLDR; Chinese and Japanese have one, English
// has two.
//
// Rule books bring their own texts (Text), since an organiser can add a book.
package locale
