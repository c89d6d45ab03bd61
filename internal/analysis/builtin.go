package analysis

import "github.com/quiresearch/quire/definition"

// Matching is the chain the engine builds for the matching usage. decompound
// is what the usage says: "" for the value's locale, "none", or a tag.
func Matching(decompound string) *definition.Chain {
	filters := []definition.TokenFilter{
		{Normalize: &definition.Normalize{}},
		{Stopwords: &definition.Stopwords{}},
	}
	if decompound != "none" {
		filters = append(filters, definition.TokenFilter{Decompound: &definition.Decompound{Locale: decompound}})
	}
	return &definition.Chain{Filters: append(filters, definition.TokenFilter{Stemming: &definition.Stemming{}})}
}

// Autocomplete is the chain the engine builds for the autocomplete usage.
func Autocomplete() *definition.Chain {
	return &definition.Chain{Filters: []definition.TokenFilter{
		{Normalize: &definition.Normalize{}},
		{EdgeNgram: &definition.Ngram{}},
	}}
}
