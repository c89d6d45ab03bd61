package columns

import "math/bits"

// Narrow clears the bits of documents whose ordinal is outside [least, most]. The bounds
// are ordinals plus one, as in Raw, from 1 to Len. Bit 0 of words represents document
// base, a multiple of 64. The column must be single-valued.
func (c *Ordinals) Narrow(base uint32, words []uint64, least, most uint32) {
	at := min(int(base), int(c.numDocs))
	switch {
	case c.w8 != nil:
		narrow8(c.w8[at:], words, uint8(least), uint8(most))
	case c.w16 != nil:
		narrow16(c.w16[at:], words, uint16(least), uint16(most))
	default:
		narrow(c.w32[at:], words, least, most)
	}
}

// narrow is Narrow for one width. It compares ordinals without a branch because whether one
// is in the range cannot be predicted.
func narrow[T uint8 | uint16 | uint32](ordinals []T, words []uint64, least, most T) {
	width := most - least
	for i, w := range words {
		if w == 0 {
			continue
		}
		from := min(64*i, len(ordinals))
		of := ordinals[from:min(from+64, len(ordinals))]
		kept := uint64(0)
		for ; w != 0; w &= w - 1 {
			at := bits.TrailingZeros64(w)
			if at >= len(of) {
				break
			}
			in := uint64(0)
			if of[at]-least <= width {
				in = 1
			}
			kept |= in << (at & 63)
		}
		words[i] = kept
	}
}
