package stem

import (
	"strings"
	"unicode/utf8"
)

// letters is a word that rules shorten: its bytes and how many code points
// they are.
type letters struct {
	b []byte
	n int
}

// rulesFunc is a stemmer written as a function over letters.
type rulesFunc func(w *letters)

// AppendStem appends the stem of word.
func (f rulesFunc) AppendStem(scratch *Scratch, dst, word []byte) []byte {
	w := &scratch.letters
	w.b, w.n = append(scratch.bytes[:0], word...), utf8.RuneCount(word)
	scratch.bytes = w.b
	f(w)
	return append(dst, w.b...)
}

// ending is a rule: a suffix of a word of more than over letters, and what
// takes its place.
type ending struct {
	over   int
	suffix string
	to     string
}

// endings splits a list of suffixes, for words of more than over letters.
func endings(over int, suffixes string) []ending {
	var out []ending
	for _, s := range strings.Fields(suffixes) {
		out = append(out, ending{over: over, suffix: s})
	}
	return out
}

// join puts lists of rules behind each other.
func join(lists ...[]ending) []ending {
	var out []ending
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}

// ends reports whether the word has more than over letters and ends in suffix.
func (w *letters) ends(over int, suffix string) bool {
	return w.n > over && hasSuffix(w.b, suffix)
}

// drop takes n letters from the end.
func (w *letters) drop(n int) {
	for ; n > 0 && len(w.b) > 0; n-- {
		_, size := utf8.DecodeLastRune(w.b)
		w.b = w.b[:len(w.b)-size]
		w.n--
	}
}

// put appends text.
func (w *letters) put(text string) {
	w.b = append(w.b, text...)
	w.n += utf8.RuneCountInString(text)
}

// replace puts to in the place of suffix when the word has more than over
// letters and ends in it.
func (w *letters) replace(over int, suffix, to string) bool {
	if !w.ends(over, suffix) {
		return false
	}
	w.b = w.b[:len(w.b)-len(suffix)]
	w.n -= utf8.RuneCountInString(suffix)
	w.put(to)
	return true
}

// first applies the first rule that fits.
func (w *letters) first(rules []ending) bool {
	for i := range rules {
		if w.replace(rules[i].over, rules[i].suffix, rules[i].to) {
			return true
		}
	}
	return false
}

// last is the i-th letter from the end, from 1; utf8.RuneError when the word
// is shorter.
func (w *letters) last(i int) rune {
	rest := w.b
	for ; i > 1; i-- {
		_, size := utf8.DecodeLastRune(rest)
		rest = rest[:len(rest)-size]
	}
	return lastRune(rest)
}

// swap replaces single letters everywhere.
func (w *letters) swap(by map[rune]rune) {
	for i := 0; i < len(w.b); {
		r, size := utf8.DecodeRune(w.b[i:])
		if _, ok := by[r]; ok {
			w.b = []byte(strings.Map(func(r rune) rune {
				if to, ok := by[r]; ok {
					return to
				}
				return r
			}, string(w.b)))
			return
		}
		i += size
	}
}

// mapping reads pairs of letters: each first one is written as the second.
func mapping(pairs string) map[rune]rune {
	out := map[rune]rune{}
	for _, p := range strings.Fields(pairs) {
		r := []rune(p)
		for _, from := range r[:len(r)-1] {
			out[from] = r[len(r)-1]
		}
	}
	return out
}
