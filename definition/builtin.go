package definition

// MatchingChain is the chain the engine builds for the matching usage, which the
// preset full_text means too. decompound is what the usage says: "" for the
// value's locale, "none", or a tag.
func MatchingChain(decompound string) *Chain {
	filters := []TokenFilter{{Normalize: &Normalize{}}, {Stopwords: &Stopwords{}}}
	if decompound != "none" {
		filters = append(filters, TokenFilter{Decompound: &Decompound{Locale: decompound}})
	}
	return &Chain{Filters: append(filters, TokenFilter{Stemming: &Stemming{}})}
}

// AutocompleteChain is the chain the engine builds for the autocomplete usage.
func AutocompleteChain() *Chain {
	return &Chain{Filters: []TokenFilter{{Normalize: &Normalize{}}, {EdgeNgram: &Ngram{}}}}
}

// HasSegmenter reports whether a locale has a tokenizer of its own, which a chain
// that names none uses. That of the others is icu.
func HasSegmenter(tag string) bool {
	switch tag {
	case "ja", "ko", "zh", "zh-Hant":
		return true
	}
	return false
}
