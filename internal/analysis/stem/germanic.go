package stem

// german is Savoy's light stemmer of 2006 after folding umlauts: ä and ae
// become a, ö and oe become o, ü becomes u and so does ue except after a vowel
// or q, ß becomes ss.
func german(w *letters) {
	foldGerman(w)
	switch {
	case w.ends(5, "ern"):
		w.drop(3)
	case w.n > 4 && w.last(2) == 'e' && holds("mnrs", w.last(1)):
		w.drop(2)
	case w.ends(3, "e"):
		w.drop(1)
	case w.ends(3, "s") && holds(germanStem, w.last(2)):
		w.drop(1)
	}
	switch {
	case w.ends(5, "est"):
		w.drop(3)
	case w.ends(4, "er"), w.ends(4, "en"):
		w.drop(2)
	case w.ends(4, "st") && holds(germanStem, w.last(3)):
		w.drop(2)
	}
}

// germanStem are the letters after which s and st are endings.
const germanStem = "bdfghklmnt"

func foldGerman(w *letters) {
	out := make([]byte, 0, len(w.b)+2)
	before := rune(0)
	n := 0
	for _, written := range string(w.b) {
		r := written
		switch r {
		case 'ä', 'à', 'á', 'â':
			r = 'a'
		case 'ö', 'ò', 'ó', 'ô':
			r = 'o'
		case 'ü', 'ù', 'ú', 'û':
			r = 'u'
		case 'ï', 'ì', 'í', 'î':
			r = 'i'
		case 'ß':
			out = append(out, 's')
			n++
			r = 's'
		case 'e':
			vowel := len(out) > 1 && holds("aeiouyq", rune(out[len(out)-2]))
			if before == 'a' || before == 'o' || before == 'u' && !vowel {
				before = 'e'
				continue
			}
		}
		out = append(out, string(r)...)
		before = written
		n++
	}
	w.b, w.n = out, n
}

// The Norwegian stemmers remove the ending of a noun, adjective or verb once,
// after a possessive s. Bokmål and Nynorsk share some endings.
var (
	bokmal = join(
		endings(7, "heter heten"), endings(5, "dom het"), endings(7, "elser elsen"),
		endings(6, "ende else este eren"), endings(5, "ere est ene"), endings(4, "er en et st te"), endings(3, "a e n"))
	nynorsk = join(
		endings(7, "heita"), endings(8, "heiter leiken leikar"), endings(5, "dom"), endings(6, "heit semd leik"),
		endings(7, "elser elsen"), endings(6, "ande else aste aren"), endings(5, "are ast ene ane"),
		endings(4, "er en et ar"), endings(3, "a e n"))
)

func norwegian(rules []ending) rulesFunc {
	return func(w *letters) {
		w.replace(4, "s", "")
		w.first(rules)
	}
}
