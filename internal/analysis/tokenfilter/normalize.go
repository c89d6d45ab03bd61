package tokenfilter

import (
	"bytes"
	"slices"

	"golang.org/x/text/unicode/norm"

	"github.com/quiresearch/quire/internal/analysis/token"
)

// Normalize applies the rules of the locale and then NFKC with full case
// folding. A word that becomes empty is dropped and leaves a gap.
type Normalize struct {
	locale normalizer // nil: the locale has no rules of its own
	fold   *foldTable
}

// NewNormalize returns the normalize filter of a locale. With keepCase it
// applies only NFKC.
func NewNormalize(locale string, keepCase bool) Filter {
	if keepCase {
		return composed{}
	}
	return normalizing(locale)
}

func normalizing(locale string) Normalize {
	return Normalize{locale: normalizers[locale], fold: folding()}
}

// Apply normalizes every token.
func (n Normalize) Apply(s *token.Stream) {
	kept := 0
	for i := range s.Tokens {
		t := &s.Tokens[i]
		if n.locale != nil || t.Shape&(token.ShapeASCII|token.ShapeUpper) != token.ShapeASCII {
			n.normalize(s, t)
		}
		if len(t.Term) > 0 {
			if kept < i {
				s.Tokens[kept] = *t
			}
			kept++
		}
	}
	s.Tokens = s.Tokens[:kept]
}

func (n Normalize) normalize(s *token.Stream, t *token.Token) {
	if t.Shape == 0 {
		t.Shape = token.ShapeOf(t.Term)
	}
	if n.locale != nil && n.locale.concerns(t.Term, t.Shape) {
		t.Term = s.Keep(n.locale.appendNormal(s.Space(2*len(t.Term)+8), t.Term))
		t.Shape = token.ShapeOf(t.Term)
	}
	switch {
	case t.Shape&token.ShapeASCII == 0:
		t.Term = s.Keep(n.fold.appendFold(s.Space(len(t.Term)+16), t.Term))
		t.Shape = token.ShapeOf(t.Term) | token.ShapeFolded
	case t.Shape&token.ShapeUpper != 0:
		t.Term = s.Keep(appendLowerASCII(s.Space(len(t.Term)), t.Term))
		t.Shape &^= token.ShapeUpper
	}
}

// normalizeTyped is Normalize for typed words. It adds further forms of a word at the
// same position: the form to which an earlier version normalized it, because documents
// of that version hold it, and the form of another word that the user may have meant.
//
//	مدل ۱۲    →  مدل 12|۱۲
//	Istanbul  →  ıstanbul|istanbul, in Turkish
type normalizeTyped struct {
	current Normalize
	others  []Normalize
}

// NewNormalizeTyped makes the normalize filter of a locale for typed words.
func NewNormalizeTyped(locale string, keepCase bool) Filter {
	if keepCase {
		return composed{}
	}
	f := normalizeTyped{current: normalizing(locale)}
	rules, ok := earlierNormalizers[locale]
	if !ok {
		rules = normalizers[locale]
	}
	f.others = append(f.others, Normalize{locale: rules, fold: unicodeFolding()})
	if locale == "tr" {
		f.others = append(f.others, Normalize{locale: dottedI{}, fold: folding()})
	}
	return f
}

// Apply normalizes every token.
func (f normalizeTyped) Apply(s *token.Stream) {
	for _, typed := range s.Rewrite() {
		first := len(s.Tokens)
		f.add(s, typed, f.current, first)
		for _, other := range f.others {
			f.add(s, typed, other, first)
		}
	}
}

// add appends a form of a typed word unless the tokens from index first on hold it.
func (f normalizeTyped) add(s *token.Stream, typed token.Token, rules Normalize, first int) {
	rules.normalize(s, &typed)
	isKnown := func(t token.Token) bool { return bytes.Equal(t.Term, typed.Term) }
	if len(typed.Term) > 0 && !slices.ContainsFunc(s.Tokens[first:], isKnown) {
		s.Append(typed)
	}
}

// appendLowerASCII appends term in lower case to dst, which has the capacity.
func appendLowerASCII(dst, term []byte) []byte {
	at := len(dst)
	dst = dst[:at+len(term)]
	lower := dst[at:]
	for i, c := range term {
		if c-'A' < 26 {
			c |= 0x20
		}
		lower[i] = c
	}
	return dst
}

// composed applies only NFKC.
type composed struct{}

// Apply composes every token that is not already composed.
func (composed) Apply(s *token.Stream) {
	for i := range s.Tokens {
		t := &s.Tokens[i]
		if t.Shape == 0 {
			t.Shape = token.ShapeOf(t.Term)
		}
		if t.Shape&token.ShapeASCII == 0 && !norm.NFKC.IsNormal(t.Term) {
			t.Term = s.Keep(norm.NFKC.Append(s.Space(2*len(t.Term)), t.Term...))
			t.Shape = 0
		}
	}
}
