package stem

import "unicode"

// The light stemmers of Jacques Savoy ("Light stemming approaches for the
// French, Portuguese, German and Hungarian languages", 2006, and the Spanish
// and Italian ones published with it) remove number and gender and, for French,
// the most frequent derivations.

var (
	frenchMarks     = mapping("àáâa ôo èéêe ùûu îi çc")
	spanishMarks    = mapping("àáâäa òóôöo èéêëe ùúûüu ìíîïi")
	portugueseMarks = mapping("àáâäãa òóôöõo èéêëe ùúûüu ìíîïi çc")
)

// frenchEndings complete the stem immediately.
var frenchEndings = []ending{
	{9, "issement", "ir"}, {8, "issant", "ir"},
	{11, "ficatrice", "fier"}, {10, "ficateur", "fier"}, {9, "catrice", "quer"}, {8, "cateur", "quer"},
	{8, "atrice", "er"}, {7, "ateur", "er"},
}

// frenchLater apply after a feminine trice has been replaced with teur.
var frenchLater = []ending{
	{5, "ième", ""}, {7, "teuse", "ter"}, {6, "teur", "ter"}, {5, "euse", "eu"}, {8, "ère", "er"}, {7, "ive", "if"},
	{4, "folle", "fou"}, {4, "molle", "mou"}, {9, "nnelle", "n"}, {9, "nnel", "n"},
}

// frenchLast apply after ète and ique.
var frenchLast = []ending{
	{8, "esse", "e"}, {7, "inage", "in"}, {9, "isateur", ""}, {8, "ation", ""}, {8, "ition", ""},
}

func french(w *letters) {
	if w.n > 5 && w.ends(0, "x") {
		if w.ends(0, "aux") && w.last(4) != 'e' {
			w.replace(0, "aux", "al")
		} else {
			w.drop(1)
		}
	}
	w.replace(3, "x", "")
	w.replace(3, "s", "")
	frenchSuffixes(w)
	frenchPlain(w)
}

func frenchSuffixes(w *letters) {
	if w.first(frenchEndings[:2]) {
		return
	}
	if w.replace(6, "ement", "e") {
		w.replace(3, "ive", "if")
		return
	}
	if w.first(frenchEndings[2:]) {
		return
	}
	w.replace(6, "trice", "teur")
	if w.first(frenchLater) {
		return
	}
	w.replace(4, "ète", "et")
	w.replace(8, "ique", "")
	if w.replace(9, "isation", "") {
		w.replace(5, "ual", "uel")
		return
	}
	w.first(frenchLast)
}

// frenchPlain removes accents, doubled letters and the last vowel of long
// words.
func frenchPlain(w *letters) {
	if w.n > 4 {
		w.swap(frenchMarks)
		w.undouble()
	}
	w.replace(4, "ie", "")
	if w.n > 4 {
		for _, s := range [...]string{"r", "e", "e"} {
			w.replace(0, s, "")
		}
		if w.last(1) == w.last(2) && unicode.IsLetter(w.last(1)) {
			w.drop(1)
		}
	}
}

// undouble shortens runs of one letter to a single letter.
func (w *letters) undouble() {
	out := w.b[:0]
	n, before := 0, rune(0)
	for _, r := range string(w.b) {
		if r == before && unicode.IsLetter(r) {
			continue
		}
		out = append(out, string(r)...)
		before = r
		n++
	}
	w.b, w.n = out, n
}

func spanish(w *letters) {
	if w.n < 5 {
		return
	}
	w.swap(spanishMarks)
	switch w.last(1) {
	case 'o', 'a', 'e':
		w.drop(1)
	case 's':
		switch {
		case w.replace(0, "eses", "es"), w.replace(0, "ces", "z"):
		case w.n == 5 && (w.ends(0, "os") || w.ends(0, "as")):
			w.drop(1) // casas becomes casa, which is too short to lose its vowel
		case w.ends(0, "os"), w.ends(0, "as"), w.ends(0, "es"):
			w.drop(2)
		}
	}
}

func italian(w *letters) {
	if w.n < 5 { // one less than in Savoy, so that amico and amici have the same stem
		return
	}
	w.swap(spanishMarks)
	before := w.last(2)
	switch w.last(1) {
	case 'e', 'i':
		if before == 'i' || before == 'h' {
			w.drop(1)
		}
		w.drop(1)
	case 'a', 'o':
		if before == 'i' {
			w.drop(1)
		}
		w.drop(1)
	}
}

var portuguesePlurals = []ending{
	{4, "res", "r"}, {4, "ses", "s"}, {4, "les", "l"}, {4, "zes", "z"}, {3, "ns", "m"}, {4, "eis", "el"}, {4, "éis", "el"},
	{4, "ais", "al"}, {4, "óis", "ol"}, {4, "is", "il"}, {3, "ões", "ão"}, {3, "ães", "ão"}, {6, "mente", ""}, {3, "s", ""},
}

var portugueseFeminines = []ending{
	{7, "inha", "inho"}, {7, "iaca", "iaco"}, {7, "eira", "eiro"}, {6, "osa", "oso"}, {6, "ica", "ico"}, {6, "ida", "ido"},
	{6, "ada", "ado"}, {6, "iva", "ivo"}, {6, "ama", "amo"}, {6, "ona", "ão"}, {6, "ora", "or"}, {6, "esa", "ês"}, {6, "na", "no"},
}

func portuguese(w *letters) {
	if w.n < 4 {
		return
	}
	w.first(portuguesePlurals)
	if w.ends(3, "a") {
		w.first(portugueseFeminines)
	}
	if w.n > 4 {
		switch w.last(1) {
		case 'e', 'a', 'o':
			w.drop(1)
		}
	}
	w.swap(portugueseMarks)
}
