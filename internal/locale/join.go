package locale

// List joins words as the language does: "a", "a and b", "a, b and c".
func (p Printer) List(words []string) string {
	if len(words) == 0 {
		return ""
	}
	text := words[0]
	for i, w := range words[1:] {
		key := "join.comma"
		if i == len(words)-2 {
			key = "join.pair"
		}
		text = p.Text(key, Args{"a": text, "b": w})
	}
	return text
}

// Clauses joins parts of a sentence by the language's semicolon.
func (p Printer) Clauses(parts []string) string {
	text := ""
	for i, part := range parts {
		if i == 0 {
			text = part
			continue
		}
		text = p.Text("join.semicolon", Args{"a": text, "b": part})
	}
	return text
}

// Stop ends a sentence.
func (p Printer) Stop(text string) string { return p.Text("join.stop", Args{"a": text}) }

// Sentences puts two sentences one after the other.
func (p Printer) Sentences(a, b string) string {
	return p.Text("join.sentences", Args{"a": a, "b": b})
}
