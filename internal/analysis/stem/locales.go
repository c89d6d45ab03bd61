package stem

// builtIn are the stemmers by canonical tag.
var builtIn = func() map[string]Stemmer {
	serbian := serbian{loadTables("sr")}
	all := map[string]Stemmer{
		"bs": serbian,
		"ca": catalan{loadTables("ca")},
		"en": English{},
		"et": estonian{loadTables("et")},
		"eu": basque{loadTables("eu")},
		"hr": serbian,
		"hy": armenian{loadTables("hy")},
		"lt": lithuanian{loadTables("lt")},
		"ne": nepali{loadTables("ne")},
		"sr": serbian,
	}
	for tag, m := range modules {
		all[tag] = m
	}
	return all
}()

// For returns the built-in stemmer of a canonical locale tag. It reports false
// for locales whose words are not stemmed, and for is, whose forms are locale
// data.
func For(tag string) (Stemmer, bool) {
	s, ok := builtIn[tag]
	return s, ok
}
