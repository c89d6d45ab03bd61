package stem

// armenian is the Armenian stemmer of Snowball.
type armenian struct{ tables func() tables }

const armenianVowels = "աեէըիուօ"

func (a armenian) AppendStem(_ *Scratch, dst, word []byte) []byte {
	t := a.tables()
	rv, ok := skipTo(word, 0, armenianVowels, true)
	r2 := len(word)
	if !ok {
		return append(dst, word...)
	}
	if at, ok := skipTo(word, rv, armenianVowels, false); ok {
		if at, ok = skipTo(word, at, armenianVowels, true); ok {
			if at, ok = skipTo(word, at, armenianVowels, false); ok {
				r2 = at
			}
		}
	}
	w := word
	for _, name := range [...]string{"ending", "verb", "adjective", "noun"} {
		if len(w) < rv {
			break
		}
		if r, n, found := t[name].suffix(w, rv); found && (r.region != '2' || len(w)-n >= r2) {
			w = w[:len(w)-n]
		}
	}
	return append(dst, w...)
}
