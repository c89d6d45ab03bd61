package stem

// Icelandic returns a light stemmer for nodes without the list of full forms:
// it removes the article suffixed to a noun and then one case ending. It does
// not handle changes inside a word, such as barn and börn.
func Icelandic() Stemmer { return rulesFunc(icelandic) }

func icelandic(w *letters) {
	w.first(icelandicArticles)
	w.first(icelandicEndings)
}

// icelandicArticles are articles suffixed to nouns: hesturinn, bókinni,
// börnunum.
var icelandicArticles = []ending{
	{8, "arinnar", "ar"}, {8, "unnar", "u"}, {7, "innar", "i"}, {7, "anna", ""}, {7, "unum", ""}, {7, "inum", ""}, {7, "inni", ""},
	{7, "urinn", ""}, {7, "arnir", ""}, {7, "irnar", ""}, {7, "urnar", ""}, {7, "arnar", ""}, {7, "nanna", "na"},
	{6, "inn", ""}, {6, "ins", ""}, {6, "ina", ""}, {6, "una", ""}, {6, "ana", ""}, {6, "ið", ""}, {6, "ði", ""}, {6, "inu", ""},
}

// icelandicEndings are the endings of cases, numbers and degrees of comparison.
var icelandicEndings = []ending{
	{6, "ustu", ""}, {6, "asta", ""}, {6, "ast", ""}, {6, "ari", ""}, {6, "legur", "leg"}, {6, "legt", "leg"}, {6, "legar", "leg"}, {6, "legum", "leg"},
	{5, "anna", ""}, {5, "num", ""}, {4, "um", ""}, {4, "ar", ""}, {4, "ir", ""}, {4, "ur", ""}, {4, "na", ""}, {4, "sins", ""},
	{4, "a", ""}, {4, "i", ""}, {4, "u", ""}, {4, "s", ""}, {4, "r", ""},
}
