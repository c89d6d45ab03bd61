package stem

// For returns the built-in stemmer of a canonical locale tag. It reports false
// for locales whose words are not stemmed, and for is, whose forms are locale
// data.
func For(tag string) (Stemmer, bool) {
	switch tag {
	case "en":
		return English{}, true
	}
	return nil, false
}
