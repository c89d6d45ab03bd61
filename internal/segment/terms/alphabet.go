package terms

import (
	"strings"

	"github.com/quiresearch/quire/internal/bitpack"
)

// alphabet is the set of letters in the suffixes of keys; every byte when of is
// empty.
type alphabet struct {
	width int
	of    string
}

// alphabets are the sets of letters common in keys, the narrow ones first: numbers
// and hashes, the forms of UUID and ULID, URL-safe texts, anything.
var alphabets = [...]alphabet{
	{4, "0123456789abcdef"},
	{4, "0123456789ABCDEF"},
	{5, "-0123456789abcdefghijklmnopqrstu"},
	{5, "0123456789ABCDEFGHJKMNPQRSTVWXYZ"},
	{6, "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"},
	{8, ""},
}

// at returns letter number i of packed letters.
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

// narrowest returns the first alphabet that contains all letters of the keys after
// their shared prefix.
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
