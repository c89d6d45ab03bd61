package stem

import (
	"strings"
	"unicode/utf8"
)

// swedish is the Swedish stemmer of Snowball 3, which, unlike earlier versions,
// removes the neuter ending et.
type swedish struct{}

const swedishVowels = "aeiouyäåö"

// swedishEndings are main suffixes that are removed wherever they occur in the
// region.
var swedishEndings = suffixTable(`a arna erna heterna orna ad e ade ande arne are aste en anden aren heten ern ar er heter
	or as arnas ernas ornas es ades andes ens arens hetens erns at andet het ast`, "s et")

// swedishNoEt are ends of stems in which et is not an ending.
var swedishNoEt = strings.Fields("fab h pak rak stak kom iet cit dit alit ilit mit nit pit rit sit tit uit ivit kvit xit")

// suffixTable returns a table of suffixes that are always cut and of suffixes
// that are cut conditionally.
func suffixTable(cut, look string) *table {
	t := &table{rows: map[string]row{}}
	for i, list := range []string{cut, look} {
		for _, s := range strings.Fields(list) {
			t.add(s, row{region: "0?"[i]})
		}
	}
	return t
}

func (swedish) AppendStem(_ *Scratch, dst, word []byte) []byte {
	p1 := swedishRegion(word)
	w := swedishMain(word, p1)
	if len(w) > p1 && utf8.RuneCount(w[min(p1, len(w)):]) >= 2 {
		switch string(w[len(w)-2:]) {
		case "dd", "gd", "nn", "dt", "gt", "kt", "tt":
			w = w[:len(w)-1]
		}
	}
	switch rest := w[min(p1, len(w)):]; {
	case hasSuffix(rest, "lig"), hasSuffix(rest, "els"):
		w = w[:len(w)-3]
	case hasSuffix(rest, "ig"):
		w = w[:len(w)-2]
	case hasSuffix(rest, "fullt"):
		w = w[:len(w)-1]
	case hasSuffix(rest, "öst") && holds("iklnprtuv", lastRune(w[:len(w)-len("öst")])):
		w = w[:len(w)-1]
	}
	return append(dst, w...)
}

// swedishRegion returns the offset after the first consonant that follows a
// vowel, at least three letters.
func swedishRegion(word []byte) int {
	third := 0
	for range 3 {
		next, ok := skipLetter(word, third)
		if !ok {
			return len(word)
		}
		third = next
	}
	p1, ok := skipTo(word, 0, swedishVowels, true)
	if ok {
		p1, ok = skipTo(word, p1, swedishVowels, false)
	}
	if !ok {
		return len(word)
	}
	return max(p1, third)
}

func swedishMain(w []byte, p1 int) []byte {
	r, n, ok := swedishEndings.suffix(w, p1)
	if !ok {
		return w
	}
	rest := w[:len(w)-n]
	switch {
	case r.region == '0':
		return rest
	case n == 2: // et
		if mayEndInEt(rest) {
			return rest
		}
	default: // s
		if hasSuffix(rest, "et") && mayEndInEt(rest[:len(rest)-2]) {
			return rest[:len(rest)-2]
		}
		if holds("bcdfghjklmnoprtvy", lastRune(rest)) {
			return rest
		}
	}
	return w
}

// mayEndInEt reports whether a stem of more than one syllable, ending in a
// vowel and a consonant, may have had the ending et.
func mayEndInEt(stem []byte) bool {
	last, size := utf8.DecodeLastRune(stem)
	if size == 0 || holds(swedishVowels, last) {
		return false
	}
	before, beforeSize := utf8.DecodeLastRune(stem[:len(stem)-size])
	if beforeSize == 0 || !holds(swedishVowels, before) || len(stem) == size+beforeSize {
		return false
	}
	for _, s := range swedishNoEt {
		if hasSuffix(stem, s) {
			return false
		}
	}
	return true
}
