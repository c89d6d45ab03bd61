package definition

// MatchingChain returns the chain that the engine builds for the matching usage and
// for the preset full_text. decompound is the option of the usage: "" for the
// locale of the value, "none", or a tag.
func MatchingChain(decompound string) *Chain {
	filters := []TokenFilter{{Normalize: &Normalize{}}, {Stopwords: &Stopwords{}}}
	if decompound != "none" {
		filters = append(filters, TokenFilter{Decompound: &Decompound{Locale: decompound}})
	}
	return &Chain{Filters: append(filters, TokenFilter{Stemming: &Stemming{}})}
}

// AutocompleteChain returns the chain that the engine builds for the autocomplete
// usage.
func AutocompleteChain() *Chain {
	return &Chain{Filters: []TokenFilter{{Normalize: &Normalize{}}, {EdgeNgram: &Ngram{}}}}
}

// HasSegmenter reports whether a locale has its own tokenizer, which a chain
// without a tokenizer uses. All other locales use icu.
func HasSegmenter(tag string) bool {
	switch tag {
	case "ja", "ko", "zh", "zh-Hant":
		return true
	}
	return false
}
