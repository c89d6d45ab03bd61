package stem

import (
	"bytes"
	"unicode/utf8"
)

// estonian is the Estonian stemmer of Snowball.
type estonian struct{ tables func() tables }

const (
	estonianVowels    = "aeiouäõöü"
	estonianBack      = "'aeiou"
	estonianVoiced    = "aceijlmnoqruvwxäõöü"
	estonianVoiceless = "bdfghkpstzšž"
)

func (e estonian) AppendStem(_ *Scratch, dst, word []byte) []byte {
	t := e.tables()
	if form, ok := t["form"].rows[string(word)]; ok {
		return append(dst, form.to...)
	}
	w := estonianWord{t: t, b: append(dst[len(dst):], word...)}
	w.markRegion()
	w.emphasis()
	if !w.verb() {
		w.noun()
	}
	w.undouble()
	if hasSuffix(w.b, "'") {
		w.b = w.b[:len(w.b)-1]
	}
	return append(dst, w.b...)
}

type estonianWord struct {
	t  tables
	b  []byte
	p1 int
}

// markRegion starts the region after the apostrophe that separates an ending
// or, without one, after the first consonant that follows a vowel.
func (w *estonianWord) markRegion() {
	w.p1 = len(w.b)
	if second, ok := skipLetter(w.b, 0); ok {
		if third, ok := skipLetter(w.b, second); ok {
			if at := bytes.IndexByte(w.b[third:], '\''); at >= 0 {
				w.p1 = third + at + 1
				return
			}
		}
	}
	if at, ok := skipTo(w.b, 0, estonianVowels, true); ok {
		if at, ok = skipTo(w.b, at, estonianVowels, false); ok {
			w.p1 = at
		}
	}
}

// find finds a suffix in the region and returns the word before it.
func (w *estonianWord) find(name string) (rest []byte, r row, ok bool) {
	r, n, ok := w.t[name].suffix(w.b, min(w.p1, len(w.b)))
	return w.b[:len(w.b)-n], r, ok
}

func isLongVowel(b []byte) bool {
	r, size := utf8.DecodeLastRune(b)
	before := lastRune(b[:len(b)-size])
	return size > 0 && r == before && holds(estonianVowels, r)
}

func fourLetters(b []byte) bool { return utf8.RuneCount(b) >= 4 }

func afterBackOrLong(b []byte) bool { return holds(estonianBack, lastRune(b)) || isLongVowel(b) }

// emphasis removes gi and ki.
func (w *estonianWord) emphasis() {
	rest, r, ok := w.find("emphasis")
	if !ok || !fourLetters(rest) {
		return
	}
	if r.to == "1" && holds(estonianVoiced, lastRune(rest)) && !isLongVowel(rest) ||
		r.to == "2" && holds(estonianVoiceless, lastRune(rest)) {
		w.b = rest
	}
}

// verb removes the endings of verbs.
func (w *estonianWord) verb() bool {
	rest, r, ok := w.find("verb")
	switch {
	case !ok:
		return false
	case r.to == "2":
		w.b = append(rest, 'a')
		return true
	case r.to == "3" && !holds(estonianVowels, lastRune(rest)):
		return false
	}
	w.b = rest
	return true
}

// noun removes the endings of nouns and adjectives, one after the other.
func (w *estonianWord) noun() {
	if rest, r, ok := w.find("noun"); ok {
		w.b = append(rest, r.to...)
	}
	if rest, r, ok := w.find("case"); ok {
		if r.to == "1" && afterBackOrLong(rest) || r.to == "2" && fourLetters(rest) {
			w.b = rest
		}
	}
	w.plural()
	if rest, r, ok := w.find("degree"); ok && (r.to == "2" || holds(estonianBack, lastRune(rest))) {
		w.b = rest
	}
	if len(w.b) > w.p1 && hasSuffix(w.b, "i") && holds(estonianBack, lastRune(w.b[:len(w.b)-1])) {
		w.b = w.b[:len(w.b)-1]
	}
	if rest, _, ok := w.find("participle"); ok {
		w.b = rest
	}
}

// plural removes the plural endings of the first three cases.
func (w *estonianWord) plural() {
	rest, r, ok := w.find("plural")
	if !ok {
		return
	}
	switch r.to {
	case "1":
		w.b = append(rest, "iku"...)
	case "2":
		if !isLongVowel(rest) {
			w.b = rest
		}
	case "3":
		if !fourLetters(rest) {
			w.b = append(rest, 't')
			return
		}
		switch {
		case hasSuffix(rest, "las"), hasSuffix(rest, "lis"), hasSuffix(rest, "mis"):
			w.b = append(rest, 'e')
		case hasSuffix(rest, "t"):
		default:
			w.b = rest
		}
	case "4":
		if afterBackOrLong(rest) {
			w.b = rest
		}
	}
}

// undouble shortens kk, pp and tt before the last vowel to one letter.
func (w *estonianWord) undouble() {
	r, size := utf8.DecodeLastRune(w.b)
	if !holds(estonianVowels, r) {
		return
	}
	rest := w.b[:len(w.b)-size]
	if len(rest) < w.p1 {
		return
	}
	if hasSuffix(rest, "kk") || hasSuffix(rest, "pp") || hasSuffix(rest, "tt") {
		vowel := string(r)
		w.b = append(rest[:len(rest)-1], vowel...)
	}
}
