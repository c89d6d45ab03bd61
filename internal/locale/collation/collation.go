// Package collation converts text to keys whose byte order is the alphabetical
// order of a locale.
//
// The order is that of the Common Locale Data Repository as implemented by the
// collate package of golang.org/x/text, with three corrections measured against
// ICU:
//
//   - Norwegian, both as no and nb, sorts by the rules of nn: å comes last.
//   - A locale with a script of its own sorts that script before Latin.
//   - Danish sorts upper case before lower case if words are otherwise equal.
//
// A Collator belongs to one goroutine; New is cheap enough for one per worker
// and locale.
package collation

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
)

// Collator makes keys for one locale.
type Collator struct {
	collator   *collate.Collator
	buffer     collate.Buffer
	native     []*unicode.RangeTable // nil if Latin comes first
	upperFirst bool
}

// New returns a collator of the locale; the empty tag and unknown tags use the
// root rules.
func New(tag string) *Collator {
	base, _, _ := strings.Cut(tag, "-")
	c := &Collator{native: native[base], upperFirst: base == "da"}
	switch base {
	case "no", "nb":
		tag = "nn"
	}
	parsed, err := language.Parse(tag)
	if err != nil {
		parsed = language.Und
	}
	c.collator = collate.New(parsed)
	return c
}

// native lists the scripts that sort before Latin in a language.
var native = map[string][]*unicode.RangeTable{
	"ar": {unicode.Arabic}, "bg": {unicode.Cyrillic}, "bn": {unicode.Bengali}, "el": {unicode.Greek},
	"fa": {unicode.Arabic}, "he": {unicode.Hebrew}, "hi": {unicode.Devanagari}, "hy": {unicode.Armenian},
	"ka": {unicode.Georgian}, "kk": {unicode.Cyrillic}, "ko": {unicode.Hangul, unicode.Han}, "mk": {unicode.Cyrillic},
	"ru": {unicode.Cyrillic}, "sr": {unicode.Cyrillic}, "ta": {unicode.Tamil}, "te": {unicode.Telugu},
	"th": {unicode.Thai}, "uk": {unicode.Cyrillic}, "zh": {unicode.Han}, "ckb": {unicode.Arabic}, "ur": {unicode.Arabic},
	"mr": {unicode.Devanagari}, "ne": {unicode.Devanagari}, "gu": {unicode.Gujarati}, "kn": {unicode.Kannada},
	"ml": {unicode.Malayalam}, "or": {unicode.Oriya}, "pa": {unicode.Gurmukhi},
}

// maxText bounds the bytes used: the key of a whole book orders no better than
// that of its beginning.
const maxText = 1024

// AppendKey appends the key of text to dst.
func (c *Collator) AppendKey(dst []byte, text string) []byte {
	if len(text) > maxText {
		end := maxText
		for end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end]
	}
	if c.native != nil {
		dst = append(dst, c.group(text))
	}
	dst = append(dst, c.collator.KeyFromString(&c.buffer, text)...)
	c.buffer.Reset()
	if c.upperFirst {
		// The last level of the key orders lower case first. Inserting another level
		// before it would require cutting the key open, so a trailing level
		// distinguishes otherwise equal words instead.
		dst = c.danish(dst, text)
	}
	return dst
}

// group returns the primary position of a text: no leading letter, then the
// native script, then other letters.
func (c *Collator) group(text string) byte {
	for _, r := range text {
		switch {
		case unicode.In(r, c.native...):
			return 1
		case unicode.IsLetter(r):
			return 2
		case unicode.IsSpace(r):
			continue
		}
		return 0
	}
	return 0
}

// danish replaces the key with that of the lower-cased text followed by a case
// level that sorts upper case first.
func (c *Collator) danish(dst []byte, text string) []byte {
	lower := strings.ToLower(text)
	if lower == text {
		return append(dst, caseLevel(text)...)
	}
	start := len(dst) - len(c.collator.KeyFromString(&c.buffer, text))
	c.buffer.Reset()
	dst = append(dst[:start], c.collator.KeyFromString(&c.buffer, lower)...)
	c.buffer.Reset()
	return append(dst, caseLevel(text)...)
}

func caseLevel(text string) []byte {
	level := []byte{0, 0}
	for _, r := range text {
		switch {
		case unicode.IsUpper(r):
			level = append(level, 1)
		case unicode.IsLetter(r):
			level = append(level, 2)
		}
	}
	return level
}
