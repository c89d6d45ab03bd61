package stem

// latvian is the light form of the stemmer of Kreslins ("A stemming algorithm
// for Latvian", 1996): it removes noun and adjective endings after enough
// vowels and reverses the palatalization that some of them cause.
func latvian(w *letters) {
	vowels := 0
	for _, r := range string(w.b) {
		if holds("aāeēiīuūo", r) {
			vowels++
		}
	}
	for _, e := range latvianEndings {
		if vowels <= e.vowels || !w.replace(len([]rune(e.suffix))+2, e.suffix, "") {
			continue
		}
		if e.palatal {
			latvianPlain(w, e.suffix[0] == 'u')
		}
		return
	}
}

var latvianEndings = []struct {
	suffix  string
	vowels  int // the word has more vowels than this
	palatal bool
}{
	{"ajiem", 3, false}, {"ajai", 3, false}, {"ajam", 2, false}, {"ajām", 2, false}, {"ajos", 2, false}, {"ajās", 2, false},
	{"iem", 2, true}, {"ajā", 2, false}, {"ais", 2, false}, {"ai", 2, false}, {"ei", 2, false}, {"ām", 1, false},
	{"am", 1, false}, {"ēm", 1, false}, {"īm", 1, false}, {"im", 1, false}, {"um", 1, false}, {"us", 1, true},
	{"as", 1, false}, {"ās", 1, false}, {"es", 1, false}, {"os", 1, true}, {"ij", 1, false}, {"īs", 1, false},
	{"ēs", 1, false}, {"is", 1, false}, {"ie", 1, false}, {"u", 1, true}, {"a", 1, true}, {"i", 1, true},
	{"e", 1, false}, {"ā", 1, false}, {"ē", 1, false}, {"ī", 1, false}, {"ū", 1, false}, {"o", 1, false},
	{"s", 0, false}, {"š", 0, false},
}

func latvianPlain(w *letters, beforeU bool) {
	if beforeU && (w.replace(0, "kš", "kst") || w.replace(0, "ņņ", "nn")) {
		return
	}
	w.first(latvianPalatals)
}

var latvianPalatals = []ending{
	{0, "pj", "p"}, {0, "bj", "b"}, {0, "mj", "m"}, {0, "vj", "v"}, {0, "šņ", "sn"}, {0, "žņ", "zn"}, {0, "šļ", "sl"},
	{0, "žļ", "zl"}, {0, "ļņ", "ln"}, {0, "ļļ", "ll"}, {0, "č", "c"}, {0, "ļ", "l"}, {0, "ņ", "n"},
}
