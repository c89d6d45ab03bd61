package segment

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/segment/postings"
	"github.com/quiresearch/quire/internal/segment/terms"
	"github.com/quiresearch/quire/internal/vfs"
)

// TestManyGoroutinesReadOneSegment runs every kind of read concurrently, for the
// race detector, and expects the same answers everywhere.
func TestManyGoroutinesReadOneSegment(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	var docs []modelDoc
	for i := range 400 {
		docs = append(docs, randomBlock(rng, i, modelWords(300), true)...)
	}
	r := finish(t, vfs.Memory(), "s", docs)
	read := func() (sum uint64) {
		var it postings.Iterator
		f := r.Terms("text")
		found, _ := f.Fuzzy(nil, []byte("w014é2"), terms.FuzzyOptions{Distance: 2})
		sum += uint64(len(found))
		for ord := range f.Len() {
			f.Iterator(&it, f.At(ord))
			for it.NextBlock() {
				for i := range it.Docs() {
					sum += uint64(it.FreqAt(i)) + uint64(len(it.AppendPositions(nil, i)))
				}
			}
		}
		set := bitset.New(r.NumDocs())
		r.NumberPoints("n").IntoBitset(100, 5000, set)
		r.GeoPoints("places").IntoCircle(20, 20, 3e6, set)
		sum += uint64(set.Count())
		for doc := range r.NumDocs() {
			record, err := r.Stored().Get(nil, doc)
			if err != nil {
				t.Error(err)
			}
			v, _ := r.Numbers("n").Get(doc)
			ord, _ := r.Ordinals("city").Get(doc)
			sum += uint64(len(record)) + uint64(v) + uint64(ord) + uint64(len(r.Ordinals("labels").Append(nil, doc)))
		}
		return sum
	}
	var wait sync.WaitGroup
	sums := make([]uint64, 4)
	for g := range sums {
		wait.Go(func() {
			if !r.Retain() {
				t.Error("closed")
				return
			}
			defer r.Release()
			sums[g] = read()
		})
	}
	wait.Wait()
	for _, sum := range sums {
		if sum != sums[0] || sum == 0 {
			t.Fatalf("different answers: %v", sums)
		}
	}
	if err := r.Release(); err != nil {
		t.Fatal(err)
	}
	if r.Retain() {
		t.Fatal("a closed segment cannot be retained")
	}
}
