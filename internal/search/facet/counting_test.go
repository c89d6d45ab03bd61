package facet

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/segment"
	"github.com/quiresearch/quire/internal/segment/columns"
)

// blocks is a segment of documents with list values before them.
type blocks struct {
	parents       *bitset.Bitset
	items, column *columns.Ordinals // values of the list values and of the documents
}

func randomBlocks(t *testing.T, r *rand.Rand, documents, distinct int, multi bool) blocks {
	b := segment.NewBuilder()
	items := b.Field(segment.FieldOptions{Name: "items", Kind: segment.Ordinals, Multi: multi})
	column := b.Field(segment.FieldOptions{Name: "column", Kind: segment.Ordinals, Multi: multi})
	hold := func(field segment.FieldID, least int) {
		for i := range max(least, r.IntN(4)) {
			if i == 0 || multi {
				b.Ordinal(field, fmt.Appendf(nil, "v%d", r.IntN(distinct)))
			}
		}
	}
	var roots []uint32
	for doc := range documents {
		for i := range max(r.IntN([]int{2, 6, 200}[r.IntN(100)/49]), 1-min(doc, 1)) {
			b.StartDoc()
			hold(items, 1-min(i, 1))
			b.EndDoc(false)
		}
		roots = append(roots, b.Docs())
		b.StartDoc()
		hold(column, 1-min(doc, 1))
		b.EndDoc(true)
	}
	parents := bitset.New(b.Docs())
	for _, root := range roots {
		parents.Set(root)
	}
	reader := finished(t, b)
	return blocks{parents, reader.Ordinals("items"), reader.Ordinals("column")}
}

// some returns a random part of a set.
func some(r *rand.Rand, of *bitset.Bitset) *bitset.Bitset {
	part, share := bitset.New(of.Len()), []int{1, 50, 90, 100}[r.IntN(4)]
	for at := of.Next(0); at < of.Len(); at = of.Next(at + 1) {
		if r.IntN(100) < share {
			part.Set(at)
		}
	}
	return part
}

// Ranges counted by several goroutines add up to a count document by document: of documents, of
// documents by their list values, and of list values.
func TestRangesCountAsTheWhole(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	pool := &sync.Pool{New: func() any { return new(Scratch) }}
	for round := range 80 {
		s := randomBlocks(t, r, 1+r.IntN(2500), []int{3, 62, 300, 70_000}[round%4], round%3 == 0)
		everything := bitset.NewFull(s.parents.Len())
		items := everything.Clone()
		for at := s.parents.Next(0); at < s.parents.Len(); at = s.parents.Next(at + 1) {
			items.Clear(at)
		}
		documents, matched := some(r, s.parents), some(r, items)
		var asked *bitset.Bitset // nil: all list values
		if round%2 == 0 {
			asked = matched
		}
		set := some(r, everything)
		for name, c := range map[string]struct {
			counting *Counting
			column   *columns.Ordinals
			count    func(add func(of ...uint32)) // calls add with the values of each document or list value
		}{
			"documents": {CountDocuments(s.items, set, set.Count()), s.items, func(add func(of ...uint32)) { each(set, func(doc uint32) { add(doc) }) }},
			"listed": {CountListed(s.items, set.AppendTo(nil, 0, set.Len()), set.Len()), s.items, func(add func(of ...uint32)) {
				each(set, func(doc uint32) { add(doc) })
			}},
			"values": {CountValues(s.items, documents, asked, s.parents), s.items, func(add func(of ...uint32)) {
				each(documents, func(doc uint32) {
					var own []uint32
					for at := uint32(s.parents.Previous(doc-min(doc, 1)) + 1); at < doc; at++ {
						if asked == nil || asked.Get(at) {
							own = append(own, at)
						}
					}
					add(own...)
				})
			}},
			"hits": {CountHits(s.items, matched, nil), s.items, func(add func(of ...uint32)) { each(matched, func(item uint32) { add(item) }) }},
			"hits' documents": {CountHits(s.column, matched, s.parents), s.column, func(add func(of ...uint32)) {
				each(matched, func(item uint32) { add(s.parents.Next(item)) })
			}},
		} {
			want := make([]uint32, c.column.Len())
			c.count(func(of ...uint32) {
				var held []uint32
				for _, at := range of {
					held = c.column.Append(held, at)
				}
				slices.Sort(held)
				for _, ordinal := range slices.Compact(held) {
					want[ordinal]++
				}
			})
			if got := countRanges(r, c.counting, pool); !slices.Equal(got, want) {
				t.Fatalf("round %d: %s count %v, want %v", round, name, got, want)
			}
			scratch := pool.Get().(*Scratch)
			if isUsed := func(n uint32) bool { return n > 0 }; slices.ContainsFunc(scratch.counts, isUsed) || slices.ContainsFunc(scratch.last, isUsed) {
				t.Fatalf("round %d: %s leave counts in the scratch", round, name)
			}
			pool.Put(scratch)
		}
	}
}

// wholeOf counts every document in one range.
func wholeOf(c *Counting) []uint32 {
	c.Range(0, c.Documents, nil)
	return c.Whole(nil)
}

func each(set *bitset.Bitset, do func(at uint32)) {
	for at := set.Next(0); at < set.Len(); at = set.Next(at + 1) {
		do(at)
	}
}

// countRanges counts random ranges in any order on three goroutines.
func countRanges(r *rand.Rand, c *Counting, pool *sync.Pool) []uint32 {
	var ends []uint32
	for end := uint32(0); end < c.Documents; end += RangeUnit * (1 + r.Uint32N(3)) {
		ends = append(ends, end)
	}
	ends = append(ends, c.Documents)
	work := make(chan int, len(ends))
	for _, i := range r.Perm(len(ends) - 1) {
		work <- i
	}
	close(work)
	var wait sync.WaitGroup
	for range 3 {
		wait.Go(func() {
			for i := range work {
				c.Range(ends[i], ends[i+1], pool)
			}
		})
	}
	wait.Wait()
	return c.Whole(pool)
}
