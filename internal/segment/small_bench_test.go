package segment

import (
	"context"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/vfs"
)

// BenchmarkSmallSegment measures a commit of 100 documents without the disk: build,
// write, open.
func BenchmarkSmallSegment(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	var docs []modelDoc
	words := modelWords(2000)
	for i := range 100 {
		docs = append(docs, randomBlock(rng, i, words, false)...)
	}
	for i := range docs {
		docs[i].vector = nil
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		fs := vfs.Memory()
		builder := NewBuilder()
		addModel(builder, docs)
		name := strconv.Itoa(i)
		if _, err := builder.Finish(fs, name); err != nil {
			b.Fatal(err)
		}
		r, err := Open(fs, name, blockfile.Trusted)
		if err != nil {
			b.Fatal(err)
		}
		if _, _, err := Merge(context.Background(), fs, name+"m", []MergeInput{{Reader: r}}); err != nil {
			b.Fatal(err)
		}
	}
}
