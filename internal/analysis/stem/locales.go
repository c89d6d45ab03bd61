package stem

// builtIn lists the stemmers by canonical tag.
var builtIn = func() map[string]Stemmer {
	southSlavic := serbian{loadTables("sr")}
	all := map[string]Stemmer{
		"ar":      rulesFunc(arabic),
		"bg":      rulesFunc(bulgarian),
		"bn":      rulesFunc(bengali),
		"bs":      southSlavic,
		"ca":      catalan{loadTables("ca")},
		"ckb":     rulesFunc(sorani),
		"cs":      rulesFunc(czech),
		"de":      rulesFunc(german),
		"el":      greek{loadGreek()},
		"en":      English{},
		"es":      rulesFunc(spanish),
		"et":      estonian{loadTables("et")},
		"eu":      basque{loadTables("eu")},
		"fa":      rulesFunc(persian),
		"fr":      rulesFunc(french),
		"gl":      rulesFunc(galician),
		"gu":      rulesFunc(gujarati),
		"hi":      rulesFunc(hindi),
		"hr":      southSlavic,
		"hy":      armenian{loadTables("hy")},
		"id":      rulesFunc(indonesian),
		"it":      rulesFunc(italian),
		"ja":      rulesFunc(japanese),
		"kn":      rulesFunc(kannada),
		"lt":      lithuanian{loadTables("lt")},
		"lv":      rulesFunc(latvian),
		"ml":      rulesFunc(malayalam),
		"mr":      rulesFunc(marathi),
		"ms":      rulesFunc(indonesian),
		"nb":      norwegian(bokmal),
		"ne":      nepali{loadTables("ne")},
		"nn":      norwegian(nynorsk),
		"no":      norwegian(bokmal),
		"or":      rulesFunc(odia),
		"pa":      rulesFunc(punjabi),
		"pl":      polish{loadPolish()},
		"pt":      rulesFunc(portuguese),
		"sk":      rulesFunc(slovak),
		"sl":      rulesFunc(slovene),
		"sr":      southSlavic,
		"sv":      setOff{swedish{}},
		"te":      rulesFunc(telugu),
		"uk":      ukrainian{loadUkrainian()},
		"ur":      rulesFunc(urdu),
		"zh":      chinese{},
		"zh-Hant": chinese{},
	}
	for tag, m := range modules {
		all[tag] = m
	}
	all["fi"] = setOff{modules["fi"]}
	return all
}()

// For returns the built-in stemmer of a canonical locale tag. It reports false
// for locales without stemming (ko, th, vi), and for is, whose forms are locale
// data.
func For(tag string) (Stemmer, bool) {
	s, ok := builtIn[tag]
	return s, ok
}
