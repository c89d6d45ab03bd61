// Package collation turns text into keys whose byte order is the alphabetical
// order of a locale.
//
// The order is that of the Common Locale Data Repository as the collate
// package of golang.org/x/text carries it, with three corrections measured
// against ICU:
//
//   - Norwegian, both as no and nb, sorts by the rules of nn: å comes last.
//   - A locale with a script of its own puts that script before Latin.
//   - Danish puts upper case before lower case where words are otherwise equal.
//
// A Collator belongs to one goroutine; New is cheap enough to keep one per
// worker and locale.
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
	native     []*unicode.RangeTable // nil when Latin comes first
	upperFirst bool
}

// New returns a collator of the locale; the tag "" sorts by root rules, and so
// does a tag that nothing is known about.
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

// native names the scripts that stand before Latin in a language.
var native = map[string][]*unicode.RangeTable{
	"ar": {unicode.Arabic}, "bg": {unicode.Cyrillic}, "bn": {unicode.Bengali}, "el": {unicode.Greek},
	"fa": {unicode.Arabic}, "he": {unicode.Hebrew}, "hi": {unicode.Devanagari}, "hy": {unicode.Armenian},
	"ka": {unicode.Georgian}, "kk": {unicode.Cyrillic}, "ko": {unicode.Hangul, unicode.Han}, "mk": {unicode.Cyrillic},
	"ru": {unicode.Cyrillic}, "sr": {unicode.Cyrillic}, "ta": {unicode.Tamil}, "te": {unicode.Telugu},
	"th": {unicode.Thai}, "uk": {unicode.Cyrillic}, "zh": {unicode.Han}, "ckb": {unicode.Arabic}, "ur": {unicode.Arabic},
	"mr": {unicode.Devanagari}, "ne": {unicode.Devanagari}, "gu": {unicode.Gujarati}, "kn": {unicode.Kannada},
	"ml": {unicode.Malayalam}, "or": {unicode.Oriya}, "pa": {unicode.Gurmukhi},
}

// maxText bounds the characters that take part: a key of a whole book orders
// no better than one of its beginning.
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
		// The key's last level orders case with lower first; a level of our
		// own in front of it would have to be cut out of the middle, so equal
		// words differ here by a trailing level instead.
		dst = c.danish(dst, text)
	}
	return dst
}

// group is the place of a text before its key decides: what begins with no
// letter, then the native script, then other letters.
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

// danish replaces the key by one of the lower-cased text followed by a case
// level in which upper comes first.
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
