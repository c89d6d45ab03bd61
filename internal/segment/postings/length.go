package postings

import "math/bits"

// Lengths are stored in one byte: exact below 40, then with four significant bits.
// The values are those of Lucene's norms, so that scores are comparable.

// exactLengths is the number of lengths, from 0, with codes of their own before the
// scale of four significant bits begins.
const exactLengths = 24

// EncodeLength returns the code of a length.
func EncodeLength(n uint32) byte {
	if n < exactLengths {
		return byte(n)
	}
	n -= exactLengths
	if n < 8 {
		return byte(exactLengths + n)
	}
	shift := bits.Len32(n) - 4
	code := uint32(shift+1)<<3 | n>>shift&7
	return byte(min(exactLengths+code, 255))
}

// DecodeLength returns the smallest length with the given code.
func DecodeLength(code byte) uint32 { return lengths[code] }

var lengths = func() (table [256]uint32) {
	for code := range table {
		c := uint32(code)
		switch {
		case c < exactLengths:
			table[code] = c
		case c-exactLengths < 16:
			table[code] = c
		default:
			c -= exactLengths
			shift := c>>3 - 1
			table[code] = uint32(min(uint64(c&7|8)<<shift+exactLengths, 1<<32-1))
		}
	}
	return table
}()
