package stem

import "unicode/utf8"

// lithuanian is the Lithuanian stemmer of Snowball.
type lithuanian struct{ tables func() tables }

const lithuanianVowels = "aeiouyąėęįūų"

func (l lithuanian) AppendStem(_ *Scratch, dst, word []byte) []byte {
	t := l.tables()
	begin := len(dst)
	dst = append(dst, word...)
	// In a long word, the prefix a- is not the first syllable.
	from := 0
	if hasPrefix(word, "a") && utf8.RuneCount(word) > 6 {
		from = 1
	}
	p1 := len(word)
	if at, ok := skipTo(word, from, lithuanianVowels, true); ok {
		if at, ok = skipTo(word, at, lithuanianVowels, false); ok {
			p1 = at
		}
	}
	cut := func(name string, limit int) bool {
		r, n, ok := t[name].suffix(dst[begin:], limit)
		if ok {
			dst = append(dst[:len(dst)-n], r.to...)
		}
		return ok
	}
	cut("conflict", 0)
	cut("ending", p1)
	cut("affricate", 0)
	for cut("suffix", p1) {
	}
	cut("affricate", 0)
	if hasSuffix(dst[begin:], "gd") || hasSuffix(dst[begin:], "'") {
		dst = dst[:len(dst)-1]
	}
	return dst
}
