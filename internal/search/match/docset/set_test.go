package docset

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/search/match/window"
)

// The sets use the same marks one after another, so that marks left behind by one show in the
// next.
func TestDocumentsAreSorted(t *testing.T) {
	for seed := range 60 {
		r := rand.New(rand.NewPCG(uint64(seed), 3))
		documents := 1 + r.Uint32N(1<<(2+seed%24))
		docs := make([]uint32, r.IntN(700))
		for i := range docs {
			docs[i] = r.Uint32N(documents)
		}
		want := slices.Clone(docs)
		slices.Sort(want)
		want = slices.Compact(want)
		m := newMarks(documents)
		m.add(docs[:len(docs)/2])
		m.add([]uint32{1 << 31, window.NoMore}) // as in a damaged term
		m.add(docs[len(docs)/2:])
		if got := m.take(make([]uint32, 0, len(want))); !slices.Equal(got, want) {
			t.Fatalf("seed %d: %d of %d documents are not in order", seed, len(docs), documents)
		}
		if set := fromSorted(want, documents); !slices.Equal(set.Docs(), want) || set.Len() != len(want) {
			t.Fatalf("seed %d: a set of %d rising documents has others", seed, len(want))
		}
		if got := FromDocs(docs, documents).Docs(); !slices.Equal(got, want) {
			t.Fatalf("seed %d: a set of %d documents has others", seed, len(docs))
		}
	}
}

// A set gives the same answers whether it is dense or sparse.
func TestSetsAnswerLikeTheirDocuments(t *testing.T) {
	const documents = 3 * window.Span
	for seed := range 40 {
		r := rand.New(rand.NewPCG(uint64(seed), 9))
		held := map[uint32]bool{}
		var docs []uint32
		for range 1 << (seed % 14) {
			doc := r.Uint32N(documents)
			docs = append(docs, doc)
			held[doc] = true
		}
		want := slices.Sorted(maps.Keys(held))
		b := bitset.New(documents)
		for _, doc := range docs {
			b.Set(doc)
		}
		for _, set := range []*Set{FromDocs(docs, documents), FromBits(b)} {
			if set.Len() != len(want) || !slices.Equal(set.Docs(), want) {
				t.Fatalf("seed %d: %d documents, want %d", seed, set.Len(), len(want))
			}
			if got := set.AppendDocs([]uint32{7}); !slices.Equal(got, append([]uint32{7}, want...)) {
				t.Fatalf("seed %d: %d documents appended, want %d", seed, len(got)-1, len(want))
			}
			if n := r.IntN(len(want) + 2); !slices.Equal(set.First(n), want[:min(n, len(want))]) {
				t.Fatalf("seed %d: the first %d documents are others", seed, n)
			}
			if set.IsSparse() != (set.Words() == nil) || set.IsSparse() && !slices.Equal(set.Sparse(), want) {
				t.Fatalf("seed %d: the forms do not agree", seed)
			}
			for range 200 {
				doc := r.Uint32N(documents)
				if set.Has(doc) != held[doc] {
					t.Fatalf("seed %d: has %d", seed, doc)
				}
				next := window.NoMore
				if at, _ := slices.BinarySearch(want, doc); at < len(want) {
					next = want[at]
				}
				if set.Next(doc) != next {
					t.Fatalf("seed %d: %d after %d, want %d", seed, set.Next(doc), doc, next)
				}
			}
			var all []uint32
			for base := uint32(0); base < documents; base += window.Span {
				var in window.Bits
				set.Window(base, &in)
				all = in.AppendDocs(all, base)
			}
			if !slices.Equal(all, want) {
				t.Fatalf("seed %d: windows hold other documents", seed)
			}
		}
	}
}

func TestUnionsAreCountedOnce(t *testing.T) {
	const documents = 10_000
	for seed := range 60 {
		r := rand.New(rand.NewPCG(uint64(seed), 5))
		held := map[uint32]bool{}
		var sets []*Set
		for range r.IntN(4) {
			var docs []uint32
			for range r.IntN(1 << (1 + seed%12)) {
				doc := r.Uint32N(documents)
				docs = append(docs, doc)
				held[doc] = true
			}
			sets = append(sets, FromDocs(docs, documents))
		}
		if n := CountUnion(sets, documents); n != len(held) {
			t.Fatalf("seed %d: %d, want %d", seed, n, len(held))
		}
		live := bitset.New(documents)
		for doc := range uint32(documents) {
			if r.IntN(3) > 0 {
				live.Set(doc)
			} else {
				delete(held, doc)
			}
		}
		if n := CountLive(sets, live.Words()); n != len(held) {
			t.Fatalf("seed %d: %d live, want %d", seed, n, len(held))
		}
	}
}
