package columns

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestNarrowKeepsTheRange compares every width, with and without the kernels, with checks
// of single ordinals: columns that end within a word, sets of few and of many documents,
// and windows that begin in the middle of the column.
func TestNarrowKeepsTheRange(t *testing.T) {
	for seed := range 600 {
		r := rand.New(rand.NewPCG(uint64(seed), 3))
		docs, distinct := 1+r.IntN(700), []int{3, 200, 255, 256, 4000, 65535, 65536, 90000}[seed%8]
		c := &Ordinals{numDocs: uint32(docs)}
		raw := make([]uint32, docs)
		for i := range raw {
			if r.IntN(4) > 0 {
				raw[i] = 1 + r.Uint32N(uint32(distinct))
			}
		}
		switch ordWidth(distinct) {
		case 1:
			c.w8 = as[uint8](raw)
		case 2:
			c.w16 = as[uint16](raw)
		default:
			c.w32 = raw
		}
		base := r.Uint32N(uint32(docs)/64+1) * 64
		words := make([]uint64, r.IntN(12)+1)
		share := 1 + r.IntN(70)
		for doc := base; doc < min(uint32(docs), base+64*uint32(len(words))); doc++ {
			if r.IntN(share) == 0 {
				words[(doc-base)/64] |= 1 << (doc % 64)
			}
		}
		least := 1 + r.Uint32N(uint32(distinct))
		most := least + r.Uint32N(uint32(distinct)-least+1)
		want := make([]uint64, len(words))
		for i, w := range words {
			for bit := range 64 {
				doc := int(base) + 64*i + bit
				if w>>bit&1 == 1 && raw[doc] >= least && raw[doc] <= most {
					want[i] |= 1 << bit
				}
			}
		}
		generic := slices.Clone(words)
		switch {
		case c.w8 != nil:
			narrow(c.w8[min(int(base), docs):], generic, uint8(least), uint8(most))
		case c.w16 != nil:
			narrow(c.w16[min(int(base), docs):], generic, uint16(least), uint16(most))
		default:
			narrow(c.w32[min(int(base), docs):], generic, least, most)
		}
		c.Narrow(base, words, least, most)
		if !slices.Equal(words, want) || !slices.Equal(generic, want) {
			t.Fatalf("seed %d, ordinals %d to %d of %d: %x and %x, want %x", seed, least, most, distinct, words, generic, want)
		}
	}
}

func as[T uint8 | uint16](raw []uint32) []T {
	out := make([]T, len(raw))
	for i, v := range raw {
		out[i] = T(v)
	}
	return out
}
