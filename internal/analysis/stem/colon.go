package stem

import (
	"bytes"
	"unicode/utf8"
)

// longestSetOff is the longest ending behind a colon, in letters: -arna, -seen.
const longestSetOff = 4

// setOff is the stemmer of a language that sets the endings of abbreviations
// and foreign names off by a colon: EU:ssa is EU. Behind a single letter the
// colon may stand for letters left out (c:a, S:t), which stay.
type setOff struct{ Stemmer }

func (s setOff) AppendStem(scratch *Scratch, dst, word []byte) []byte {
	if name, ending, ok := bytes.Cut(word, []byte{':'}); ok && utf8.RuneCount(name) > 1 && len(ending) > 0 && utf8.RuneCount(ending) <= longestSetOff {
		word = name
	}
	return s.Stemmer.AppendStem(scratch, dst, word)
}
