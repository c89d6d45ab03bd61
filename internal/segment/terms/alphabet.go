package terms

import (
	"strings"

	"github.com/quiresearch/quire/internal/bitpack"
)

// alphabet is a set of letters that the rests of keys are written in; every
// byte when of is empty.
type alphabet struct {
	width int
	of    string
}

// alphabets are what keys are mostly made of, the narrow ones first: numbers
// and hashes, the forms of UUID and ULID, texts that are safe in addresses,
// anything.
var alphabets = [...]alphabet{
	{4, "0123456789abcdef"},
	{4, "0123456789ABCDEF"},
	{5, "-0123456789abcdefghijklmnopqrstu"},
	{5, "0123456789ABCDEFGHJKMNPQRSTVWXYZ"},
	{6, "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"},
	{8, ""},
}

// at is letter number i of packed letters.
func (a *alphabet) at(packed []byte, i int) byte {
	if a.width == 8 {
		return packed[i]
	}
	return a.of[bitpack.At(packed, i, a.width)]
}

func (a *alphabet) code(letter byte) uint32 {
	if a.of == "" {
		return uint32(letter)
	}
	return uint32(strings.IndexByte(a.of, letter))
}

// narrowest is the first alphabet that holds all letters of the keys behind
// what they share.
func narrowest(keys [][]byte, shared int) int {
	var used [256]bool
	for _, key := range keys {
		for _, letter := range key[shared:] {
			used[letter] = true
		}
	}
	for which, a := range alphabets {
		fits := true
		for letter, is := range used {
			fits = fits && (!is || a.of == "" || strings.IndexByte(a.of, byte(letter)) >= 0)
		}
		if fits {
			return which
		}
	}
	return len(alphabets) - 1
}
