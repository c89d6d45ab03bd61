package match

import (
	"math/rand/v2"
	"testing"
)

// Documents left out are longer than every champion, or as long as the longest and after all
// champions of that length.
func TestChampionsAreTheShortest(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 3))
		lengths := make([]byte, 1+r.IntN(4000))
		kinds := 1 + r.IntN(200)
		var docs []uint32
		for doc := range lengths {
			lengths[doc] = byte(r.IntN(kinds))
			if r.IntN(3) > 0 {
				docs = append(docs, uint32(doc))
			}
		}
		c := new(selection).shortest(docs, lengths)
		if len(c.docs) < min(championCount, len(docs)) || len(c.docs) > 2*championCount {
			t.Fatalf("seed %d: %d champions of %d documents", seed, len(c.docs), len(docs))
		}
		chosen := map[uint32]bool{}
		longest, lastOfLongest := -1, uint32(0)
		for i, doc := range c.docs {
			if c.codes[i] != lengths[doc] || i > 0 && c.docs[i-1] >= doc {
				t.Fatalf("seed %d: champion %d is document %d of length %d", seed, i, doc, c.codes[i])
			}
			if chosen[doc] = true; int(lengths[doc]) >= longest {
				longest, lastOfLongest = int(lengths[doc]), doc
			}
		}
		for i := 1; i < len(c.docs); i++ {
			place, code := c.at(i)
			if before, shorter := c.at(i - 1); shorter > code || shorter == code && before >= place {
				t.Fatalf("seed %d: champion %d of length %d stands before %d of length %d", seed, before, shorter, place, code)
			}
		}
		rest := noRest
		for _, doc := range docs {
			length := int(lengths[doc])
			if chosen[doc] {
				continue
			}
			if rest = min(rest, length); length < longest || length == longest && doc < lastOfLongest {
				t.Fatalf("seed %d: document %d of length %d is left out, champions are up to %d long", seed, doc, length, longest)
			}
		}
		if rest != c.rest {
			t.Fatalf("seed %d: the rest has length %d, want %d", seed, c.rest, rest)
		}
	}
}
