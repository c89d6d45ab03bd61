package stem

import (
	"strings"
	"unicode/utf8"
)

// letters is a word that rules shorten: its bytes and its number of code
// points.
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

// ending is a rule: a suffix, removed from words of more than over letters, and
// its replacement.
type ending struct {
	over   int
	suffix string
	to     string
}

// endings returns rules that remove the listed suffixes from words of more than
// over letters.
func endings(over int, suffixes string) []ending {
	var out []ending
	for _, s := range strings.Fields(suffixes) {
		out = append(out, ending{over: over, suffix: s})
	}
	return out
}

// join concatenates lists of rules.
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

// drop removes the last n letters.
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

// replace replaces suffix with to if the word has more than over letters and
// ends in suffix. It reports whether it did.
func (w *letters) replace(over int, suffix, to string) bool {
	if !w.ends(over, suffix) {
		return false
	}
	w.b = w.b[:len(w.b)-len(suffix)]
	w.n -= utf8.RuneCountInString(suffix)
	w.put(to)
	return true
}

// first applies the first matching rule and reports whether there was one.
func (w *letters) first(rules []ending) bool {
	for i := range rules {
		if w.replace(rules[i].over, rules[i].suffix, rules[i].to) {
			return true
		}
	}
	return false
}

// last returns the i-th letter from the end, from 1; utf8.RuneError if the word
// is shorter.
func (w *letters) last(i int) rune {
	rest := w.b
	for ; i > 1; i-- {
		_, size := utf8.DecodeLastRune(rest)
		rest = rest[:len(rest)-size]
	}
	return lastRune(rest)
}

// swap replaces single letters everywhere in the word.
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

// mapping parses groups of letters: all letters of a group map to its last one.
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
