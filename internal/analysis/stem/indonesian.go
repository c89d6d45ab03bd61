package stem

// indonesian is the stemmer of Tala ("A study of stemming effects on
// information retrieval in Bahasa Indonesia", 2003), for Indonesian and Malay:
// it removes particles, possessives, then prefixes and suffixes while the word
// is long enough. A word of two syllables is left unchanged.
func indonesian(w *letters) {
	s := indonesianWord{letters: w}
	for _, c := range w.b {
		if holds(indonesianVowels, rune(c)) {
			s.syllables++
		}
	}
	if s.syllables <= 2 {
		return
	}
	s.cutEnd("kah", "lah", "pun")
	if s.syllables <= 2 {
		return
	}
	s.cutEnd("nya", "ku", "mu")
	if s.syllables <= 2 {
		return
	}
	if s.firstPrefix() {
		if s.syllables > 2 && s.suffix() && s.syllables > 2 && !s.restored {
			s.secondPrefix()
		}
		return
	}
	s.secondPrefix()
	if s.syllables > 2 {
		s.suffix()
	}
}

const indonesianVowels = "aeiou"

// Kinds of prefixes; each excludes some suffixes.
const (
	noPrefix = iota
	verbPrefix
	perPrefix
	nounPrefix
	berPrefix
)

type indonesianWord struct {
	*letters
	syllables int
	prefix    int
	restored  bool // the word begins with a restored letter that the prefix had replaced
}

func (w *indonesianWord) cutEnd(suffixes ...string) bool {
	for _, s := range suffixes {
		if w.replace(0, s, "") {
			w.syllables--
			return true
		}
	}
	return false
}

// cutFront replaces a prefix with to.
func (w *indonesianWord) cutFront(prefix, to string) {
	rest := string(w.b[len(prefix):])
	w.b = append(append(w.b[:0], to...), rest...)
	w.n = w.n - len(prefix) + len(to)
	w.syllables--
	w.restored = to != ""
}

func (w *indonesianWord) vowelAt(i int) bool {
	return i < len(w.b) && holds(indonesianVowels, rune(w.b[i]))
}

func (w *indonesianWord) firstPrefix() bool {
	kind := verbPrefix
	if hasPrefix(w.b, "ke") || hasPrefix(w.b, "pe") {
		kind = nounPrefix
	}
	switch {
	case hasPrefix(w.b, "meng"), hasPrefix(w.b, "peng"):
		w.cutFront("meng", "")
	case hasPrefix(w.b, "meny") && w.vowelAt(4), hasPrefix(w.b, "peny") && w.vowelAt(4):
		w.cutFront("meny", "s")
	case hasPrefix(w.b, "men"), hasPrefix(w.b, "pen"), hasPrefix(w.b, "ter"):
		w.cutFront("men", "")
	case hasPrefix(w.b, "mem"), hasPrefix(w.b, "pem"):
		if w.vowelAt(3) {
			w.cutFront("mem", "p")
		} else {
			w.cutFront("mem", "")
		}
	case hasPrefix(w.b, "di"), hasPrefix(w.b, "me"), hasPrefix(w.b, "ke"):
		w.cutFront("di", "")
	default:
		return false
	}
	w.prefix = kind
	return true
}

func (w *indonesianWord) secondPrefix() {
	switch {
	case hasPrefix(w.b, "per"):
		w.prefix = perPrefix
		w.cutFront("per", "")
	case hasPrefix(w.b, "pelajar"), hasPrefix(w.b, "belajar"):
		if w.b[0] == 'b' {
			w.prefix = berPrefix
		}
		w.cutFront("pel", "")
	case hasPrefix(w.b, "pe"):
		w.prefix = perPrefix
		w.cutFront("pe", "")
	case hasPrefix(w.b, "ber"):
		w.prefix = berPrefix
		w.cutFront("ber", "")
	case hasPrefix(w.b, "be") && len(w.b) > 4 && !w.vowelAt(2) && string(w.b[3:5]) == "er":
		w.prefix = berPrefix
		w.cutFront("be", "")
	}
}

func (w *indonesianWord) suffix() bool {
	switch {
	case w.ends(0, "kan") && w.prefix != nounPrefix && w.prefix != perPrefix:
		w.drop(3)
	case w.ends(0, "an") && w.prefix != verbPrefix:
		w.drop(2)
	case w.ends(0, "i") && w.prefix <= perPrefix && !w.ends(0, "si"):
		w.drop(1)
	default:
		return false
	}
	w.syllables--
	return true
}
