package tokenfilter

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// foldTable maps code points to their NFKC case folding. A page covers 256 of
// them; a page without changes is nil.
type foldTable struct {
	pages      [0x30000 >> 8]*[256]int32
	expansions []string
	joins      [0x30000 >> 6]uint64 // code points that may compose with the preceding one
}

// Entries of a page: 0 keeps the code point, a positive number replaces it, and
// a negative number n stands for expansions[-n-1].

// folding is built on first use from the tables of golang.org/x/text: the code
// points that NFKC or case folding change, and those that are ignorable.
// It also unifies what keyboards type differently: the digits of every script become
// 0 to 9, and single quotation marks become apostrophes.
var folding = sync.OnceValue(func() *foldTable { return newFoldTable(typedAlike) })

// unicodeFolding is NFKC case folding alone, as earlier versions folded.
var unicodeFolding = sync.OnceValue(func() *foldTable {
	return newFoldTable(func(rune) (string, bool) { return "", false })
})

// typedAlike returns the ASCII form of a digit or an apostrophe, and false for other
// characters.
func typedAlike(r rune) (string, bool) {
	switch {
	case r == '‘', r == '’':
		return "'", true
	case r >= 0x0660 && unicode.Is(unicode.Nd, r):
		return string('0' + digitOf(r)), true
	}
	return "", false
}

// digitOf returns the value of a decimal digit. Each range of unicode.Nd begins with a
// zero and holds the ten digits of a script, or of several adjacent ones.
func digitOf(r rune) rune {
	for _, in := range unicode.Nd.R16 {
		if r <= rune(in.Hi) {
			return (r - rune(in.Lo)) % 10
		}
	}
	for _, in := range unicode.Nd.R32 {
		if r <= rune(in.Hi) {
			return (r - rune(in.Lo)) % 10
		}
	}
	return 0
}

// newFoldTable makes a table. Where own reports true, its folding replaces that of
// Unicode.
func newFoldTable(own func(rune) (string, bool)) *foldTable {
	t := &foldTable{}
	fold := cases.Fold()
	for r := rune(0); r < 0x30000; r++ {
		if r >= 0x3400 && r < 0xA000 || r >= 0xAC00 && r < 0xE000 || r >= 0x20000 && r < 0x2F800 {
			continue // ideographs, Hangul and surrogates stay unchanged
		}
		if r >= 0x13A0 && r <= 0x13F5 {
			continue // Cherokee folds to its capitals; the library does the opposite
		}
		from := string(r)
		if !norm.NFKC.PropertiesString(from).BoundaryBefore() {
			t.joins[r>>6] |= 1 << (r & 63)
		}
		to := from
		if alike, ok := own(r); ok {
			to = alike
		} else if isIgnorable(r) {
			to = ""
		} else if norm.NFKC.PropertiesString(from).Decomposition() != nil || unicode.SimpleFold(r) != r || r == 'ß' || r == 'ẞ' || r == 'ŉ' || r == 'ǰ' || r >= 0x370 && r < 0x590 || r >= 0x1E90 && r < 0x2000 {
			for range 3 {
				to = norm.NFKC.String(fold.String(norm.NFKC.String(to)))
			}
			to = dropIgnorable(to)
		}
		if to == from {
			continue
		}
		page := t.pages[r>>8]
		if page == nil {
			page = new([256]int32)
			t.pages[r>>8] = page
		}
		if n, size := utf8.DecodeRuneInString(to); size == len(to) && size > 0 {
			page[r&0xff] = n
		} else {
			t.expansions = append(t.expansions, to)
			page[r&0xff] = -int32(len(t.expansions))
		}
	}
	return t
}

func dropIgnorable(s string) string {
	out := make([]rune, 0, len(s))
	for _, r := range s {
		if !isIgnorable(r) {
			out = append(out, r)
		}
	}
	return string(out)
}

// isIgnorable reports whether a code point has the property
// Default_Ignorable_Code_Point: it is invisible and has no meaning for search.
func isIgnorable(r rune) bool {
	switch {
	case r == 0xAD, r == 0x34F, r == 0x61C, r == 0x3164, r == 0xFEFF, r == 0xFFA0:
		return true
	case r < 0x115F:
		return false
	}
	return r <= 0x1160 || r >= 0x17B4 && r <= 0x17B5 || r >= 0x180B && r <= 0x180F ||
		r >= 0x200B && r <= 0x200F || r >= 0x202A && r <= 0x202E || r >= 0x2060 && r <= 0x206F ||
		r >= 0xFE00 && r <= 0xFE0F || r >= 0xFFF0 && r <= 0xFFF8 ||
		r >= 0x1BCA0 && r <= 0x1BCA3 || r >= 0x1D173 && r <= 0x1D17A || r >= 0xE0000 && r <= 0xE0FFF
}

// isLoose reports whether a term holds a presentation form or a mark that may compose
// with the preceding letter.
func (t *foldTable) isLoose(term []byte) bool {
	for i := 0; i < len(term); {
		r, size := utf8.DecodeRune(term[i:])
		if r >= 0xFB00 && r < 0xFFFD || r < 0x30000 && t.joins[r>>6]&(1<<(r&63)) != 0 {
			return true
		}
		i += size
	}
	return false
}

// appendFold appends the NFKC case folding of term.
func (t *foldTable) appendFold(dst, term []byte) []byte {
	begin := len(dst)
	dst, settled := t.appendMapped(dst, term)
	for range 3 {
		if settled || norm.NFKC.IsNormal(dst[begin:]) {
			return dst
		}
		composed := norm.NFKC.Bytes(dst[begin:])
		dst, settled = t.appendMapped(dst[:begin], composed)
	}
	return dst
}

// appendMapped appends the foldings of single code points. It reports whether
// the result is final because no two of them can compose.
func (t *foldTable) appendMapped(dst, term []byte) (_ []byte, settled bool) {
	settled = true
	for i := 0; i < len(term); {
		c := term[i]
		if c < utf8.RuneSelf {
			if c-'A' < 26 {
				c |= 0x20
			}
			dst = append(dst, c)
			i++
			continue
		}
		r, size := utf8.DecodeRune(term[i:])
		if r >= 0x30000 {
			if !isIgnorable(r) {
				dst = append(dst, term[i:i+size]...)
			}
			i += size
			continue
		}
		settled = settled && t.joins[r>>6]&(1<<(r&63)) == 0
		to := int32(0)
		if page := t.pages[r>>8]; page != nil {
			to = page[r&0xff]
		}
		switch {
		case to == 0:
			dst = append(dst, term[i:i+size]...)
		case to > 0:
			dst = utf8.AppendRune(dst, to)
		default:
			dst = append(dst, t.expansions[-to-1]...)
			settled = false
		}
		i += size
	}
	return dst, settled
}
