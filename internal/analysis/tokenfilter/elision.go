package tokenfilter

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/quiresearch/quire/internal/analysis/token"
)

// elision removes an article that is joined to its word by an apostrophe:
// l'homme becomes homme.
type elision struct{ articles map[string]bool }

func articles(list string) map[string]bool {
	set := map[string]bool{}
	for _, a := range strings.Fields(list) {
		set[a] = true
	}
	return set
}

func (e elision) concerns(term []byte, _ token.Shape) bool {
	_, _, ok := apostrophe(term)
	return ok
}

func (e elision) appendNormal(dst, term []byte) []byte {
	at, size, ok := apostrophe(term)
	if !ok || at == 0 || at > 8 {
		return append(dst, term...)
	}
	var lower [8]byte
	if e.articles[string(appendLowerASCII(lower[:0], term[:at]))] {
		term = term[at+size:]
	}
	return append(dst, term...)
}

// apostrophe returns the offset and length in bytes of the first apostrophe.
func apostrophe(term []byte) (at, size int, ok bool) {
	for i, c := range term {
		if c == '\'' {
			return i, 1, true
		}
		if c == 0xE2 && i+2 < len(term) && term[i+1] == 0x80 && (term[i+2] == 0x99 || term[i+2] == 0x98) {
			return i, 3, true // ’ and ‘
		}
		if c == 0xEF && i+2 < len(term) && term[i+1] == 0xBC && term[i+2] == 0x87 {
			return i, 3, true // fullwidth
		}
	}
	return 0, 0, false
}

// frenchArticles are the elided articles, pronouns and conjunctions of French.
var frenchArticles = elision{articles("l m t qu n s j d c jusqu quoiqu lorsqu puisqu")}

// french is elision, and writes œ and æ as two letters each, as people type cœur on
// keyboards without them.
type french struct{ elision }

func (f french) concerns(term []byte, shape token.Shape) bool {
	return shape&token.ShapeASCII == 0 && ligature(term) >= 0 || f.elision.concerns(term, shape)
}

func (f french) appendNormal(dst, term []byte) []byte {
	begin := len(dst)
	dst = f.elision.appendNormal(dst, term)
	at := ligature(dst[begin:])
	if at < 0 {
		return dst
	}
	for i, letter := begin+at, 0; i < len(dst); i += letter {
		letter = 1
		switch {
		case i+1 == len(dst):
		case dst[i] == 0xC5 && dst[i+1]|1 == 0x93: // Œ, œ
			dst[i], dst[i+1], letter = 'o', 'e', 2
		case dst[i] == 0xC3 && dst[i+1]|0x20 == 0xA6: // Æ, æ
			dst[i], dst[i+1], letter = 'a', 'e', 2
		}
	}
	return dst
}

// ligature returns the offset of the first œ or æ, or -1 if there is none.
func ligature(term []byte) int {
	for i := 1; i < len(term); i++ {
		if c := term[i]; c|1 == 0x93 && term[i-1] == 0xC5 || c|0x20 == 0xA6 && term[i-1] == 0xC3 {
			return i - 1
		}
	}
	return -1
}

// irish is elision plus lower-casing of words with a prefixed n or t: nAthair
// and tSeirbhís begin with a mutation that lower case separates with a hyphen.
type irish struct{ elision }

func (ir irish) concerns(term []byte, shape token.Shape) bool {
	return hasMutation(term) || ir.elision.concerns(term, shape)
}

func hasMutation(term []byte) bool {
	if len(term) < 2 || term[0] != 'n' && term[0] != 't' {
		return false
	}
	r, _ := utf8.DecodeRune(term[1:])
	switch r {
	case 'A', 'E', 'I', 'O', 'U', 'Á', 'É', 'Í', 'Ó', 'Ú':
		return true
	}
	return false
}

func (ir irish) appendNormal(dst, term []byte) []byte {
	if hasMutation(term) {
		dst = append(dst, term[0], '-')
		for i := 1; i < len(term); {
			r, size := utf8.DecodeRune(term[i:])
			dst = utf8.AppendRune(dst, unicode.ToLower(r))
			i += size
		}
		return dst
	}
	return ir.elision.appendNormal(dst, term)
}

// turkish lower-cases I to ı and İ to i, and drops the suffix that a name
// takes after an apostrophe: İstanbul'da is istanbul. In a whole value every
// word may have one.
type turkish struct{}

func (turkish) concerns(term []byte, shape token.Shape) bool {
	if shape&token.ShapeASCII == 0 || shape&token.ShapeUpper != 0 {
		return true
	}
	_, _, ok := apostrophe(term)
	return ok
}

func (turkish) appendNormal(dst, term []byte) []byte {
	for len(term) > 0 {
		end := wordEnd(term)
		dst = appendTurkishWord(dst, term[:end])
		if term = term[end:]; len(term) == 0 {
			break
		}
		dst = append(dst, term[0])
		term = term[1:]
	}
	return dst
}

// wordEnd returns the offset of the first white space of text, or its length.
func wordEnd(text []byte) int {
	for i, c := range text {
		if c <= ' ' {
			return i
		}
	}
	return len(text)
}

func appendTurkishWord(dst, word []byte) []byte {
	if at, _, ok := apostrophe(word); ok && at > 0 {
		word = word[:at]
	}
	for i := 0; i < len(word); {
		r, size := utf8.DecodeRune(word[i:])
		i += size
		switch {
		case r == 'I':
			r = 'ı'
			if i+1 < len(word) && word[i] == 0xCC && word[i+1] == 0x87 { // I with a dot above it
				r = 'i'
				i += 2
			}
		case r == 'İ':
			r = 'i'
		case r == utf8.RuneError && size == 1:
			dst = append(dst, word[i-1])
			continue
		default:
			r = unicode.ToLower(r)
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

// firstSuffix is turkish as earlier versions applied it: it drops everything after the
// first apostrophe, even in a whole value.
type firstSuffix struct{ turkish }

func (firstSuffix) appendNormal(dst, term []byte) []byte {
	if at, _, ok := apostrophe(term); ok && at > 0 {
		term = term[:at]
	}
	return turkish{}.appendNormal(dst, term)
}

// dottedI is turkish, but reads a capital I as i: phones capitalize istanbul at the
// start of a sentence as Istanbul, keyboards of other languages have no İ, and IPHONE
// is not Turkish.
type dottedI struct{ turkish }

func (dottedI) appendNormal(dst, term []byte) []byte {
	return turkish{}.appendNormal(dst, bytes.ReplaceAll(term, []byte("I"), []byte("i")))
}

// greek removes accents and breathings and replaces final sigma with sigma.
type greek struct{}

func (greek) concerns(_ []byte, shape token.Shape) bool { return shape&token.ShapeASCII == 0 }

func (greek) appendNormal(dst, term []byte) []byte {
	for i := 0; i < len(term); {
		r, size := utf8.DecodeRune(term[i:])
		if r == utf8.RuneError && size == 1 {
			dst = append(dst, term[i])
			i++
			continue
		}
		i += size
		if r = greekLetter(r); r != 0 {
			dst = utf8.AppendRune(dst, r)
		}
	}
	return dst
}

// greekLetter returns r in lower case without marks, or 0 for a mark alone.
func greekLetter(r rune) rune {
	r = unicode.ToLower(r)
	switch {
	case r == 'ς':
		return 'σ'
	case r >= 0x300 && r <= 0x345:
		return 0
	case r >= 0x1F00 && r <= 0x1FFF || r >= 0x3AC && r <= 0x3CE:
		return polytonicBase(r)
	case r == 'ΐ', r == 'ϊ':
		return 'ι'
	case r == 'ΰ', r == 'ϋ':
		return 'υ'
	}
	return r
}

// polytonicBase returns the vowel or rho without the marks of r.
func polytonicBase(r rune) rune {
	switch {
	case r == 'ά' || r >= 0x1F00 && r <= 0x1F0F || r == 0x1F70 || r == 0x1F71 || r >= 0x1F80 && r <= 0x1F8F || r >= 0x1FB0 && r <= 0x1FBC:
		return 'α'
	case r == 'έ' || r >= 0x1F10 && r <= 0x1F1F || r == 0x1F72 || r == 0x1F73 || r == 0x1FC8 || r == 0x1FC9:
		return 'ε'
	case r == 'ή' || r >= 0x1F20 && r <= 0x1F2F || r == 0x1F74 || r == 0x1F75 || r >= 0x1F90 && r <= 0x1F9F || r >= 0x1FC2 && r <= 0x1FC7 || r >= 0x1FCA && r <= 0x1FCC:
		return 'η'
	case r == 'ί' || r == 'ΐ' || r == 'ϊ' || r >= 0x1F30 && r <= 0x1F3F || r == 0x1F76 || r == 0x1F77 || r >= 0x1FD0 && r <= 0x1FDB:
		return 'ι'
	case r == 'ό' || r >= 0x1F40 && r <= 0x1F4F || r == 0x1F78 || r == 0x1F79 || r == 0x1FF8 || r == 0x1FF9:
		return 'ο'
	case r == 'ύ' || r == 'ΰ' || r == 'ϋ' || r >= 0x1F50 && r <= 0x1F5F || r == 0x1F7A || r == 0x1F7B || r >= 0x1FE0 && r <= 0x1FE3 || r == 0x1FE6 || r == 0x1FE7 || r >= 0x1FE8 && r <= 0x1FEB:
		return 'υ'
	case r == 'ώ' || r >= 0x1F60 && r <= 0x1F6F || r == 0x1F7C || r == 0x1F7D || r >= 0x1FA0 && r <= 0x1FAF || r >= 0x1FF2 && r <= 0x1FF7 || r >= 0x1FFA && r <= 0x1FFC:
		return 'ω'
	case r == 0x1FE4, r == 0x1FE5, r == 0x1FEC:
		return 'ρ'
	}
	return r
}
