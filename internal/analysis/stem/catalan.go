package stem

import "unicode/utf8"

// catalan is the Catalan stemmer of Snowball.
type catalan struct{ tables func() tables }

const catalanVowels = "aeiouàáèéíïòóúü"

func (c catalan) AppendStem(_ *Scratch, dst, word []byte) []byte {
	t := c.tables()
	begin := len(dst)
	dst = append(dst, word...)
	r1, r2 := vowelRegions(word, catalanVowels)
	cut := func(name string) bool {
		r, n, ok := t[name].suffix(dst[begin:], 0)
		if !ok {
			return false
		}
		at := len(dst) - begin - n
		if r.region == '1' && at < r1 || r.region == '2' && at < r2 {
			return false
		}
		dst = append(dst[:begin+at], r.to...)
		return true
	}
	cut("pronoun")
	if !cut("standard") {
		cut("verb")
	}
	cut("residual")
	return plainCatalan(dst, begin)
}

// plainCatalan removes accents in place and replaces the middle dot with a
// period.
func plainCatalan(dst []byte, begin int) []byte {
	out, rest := dst[:begin], dst[begin:]
	for len(rest) > 0 {
		r, size := utf8.DecodeRune(rest)
		plain := byte(0)
		switch r {
		case 'à', 'á':
			plain = 'a'
		case 'è', 'é':
			plain = 'e'
		case 'ì', 'í', 'ï':
			plain = 'i'
		case 'ò', 'ó':
			plain = 'o'
		case 'ú', 'ü':
			plain = 'u'
		case '·':
			plain = '.'
		}
		if plain != 0 {
			out = append(out, plain)
		} else {
			out = append(out, rest[:size]...)
		}
		rest = rest[size:]
	}
	return out
}
