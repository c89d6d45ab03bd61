package stem

import (
	"bytes"
	"unicode/utf8"
)

// longestSetOff is the length in letters of the longest ending after a colon:
// -arna, -seen.
const longestSetOff = 4

// setOff is the stemmer of a language that separates the endings of
// abbreviations and foreign names with a colon: EU:ssa becomes EU. After a
// single letter the colon may stand for omitted letters (c:a, S:t), which stay.
type setOff struct{ Stemmer }

func (s setOff) AppendStem(scratch *Scratch, dst, word []byte) []byte {
	if name, ending, ok := bytes.Cut(word, []byte{':'}); ok && utf8.RuneCount(name) > 1 && len(ending) > 0 && utf8.RuneCount(ending) <= longestSetOff {
		word = name
	}
	return s.Stemmer.AppendStem(scratch, dst, word)
}
