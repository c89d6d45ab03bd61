package stem

// basque is the Basque stemmer of Snowball.
type basque struct{ tables func() tables }

const basqueVowels = "aeiou"

func (k basque) AppendStem(_ *Scratch, dst, word []byte) []byte {
	t := k.tables()
	w := append([]byte(nil), word...)
	r1, r2 := vowelRegions(word, basqueVowels)
	rv := romanceRegion(word, basqueVowels)
	cursor := len(w) // everything after it is done
	cut := func(name string) bool {
		r, n, ok := t[name].suffix(w[:cursor], 0)
		if !ok {
			return false
		}
		at := cursor - n
		if r.region == 'V' && at < rv || r.region == '1' && at < r1 || r.region == '2' && at < r2 {
			return false
		}
		if r.to != "=" {
			tail := string(w[cursor:])
			w = append(append(w[:at], r.to...), tail...)
		}
		cursor = at
		return true
	}
	for cut("verb") {
	}
	for cut("noun") {
	}
	cut("adjective")
	return append(dst, w...)
}

// romanceRegion returns the start of the region RV of the Snowball stemmers: if
// the second letter is a consonant, after the next vowel; if the first two
// letters are vowels, after the next consonant; otherwise after the third
// letter.
func romanceRegion(b []byte, vowels string) int {
	first, ok := skipLetter(b, 0)
	if !ok {
		return len(b)
	}
	second, ok := skipLetter(b, first)
	if !ok {
		return len(b)
	}
	firstVowel := holds(vowels, lastRune(b[:first]))
	secondVowel := holds(vowels, lastRune(b[:second]))
	switch {
	case !secondVowel:
		if at, found := skipTo(b, second, vowels, true); found {
			return at
		}
		return len(b)
	case firstVowel:
		if at, found := skipTo(b, second, vowels, false); found {
			return at
		}
		return len(b)
	}
	if at, found := skipLetter(b, second); found {
		return at
	}
	return len(b)
}
