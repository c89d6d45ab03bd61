package facet

import (
	"slices"
	"sync"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/segment/columns"
)

// Counting is the counting of one segment by ranges of documents, which several
// goroutines may share.
//
// Example: 300,000 matches in a segment of 1,000,000 documents and a column of
// 200 values, on two cores. Eight ranges of 125,952 documents (a multiple of
// RangeUnit), the last one shorter, are counted into two arrays of 200 counts, as
// two are counted at a time. Whole adds the arrays.
type Counting struct {
	Documents uint32 // of the segment
	Cost      int    // values of documents or of lists that are looked at, about

	count  func(from, to uint32, into *Scratch) // adds to its counts
	length int                                  // of the counts
	lacked []uint32                             // counts of all documents, where those are counted that the set lacks

	own *Scratch // of the first range; its counts are the result

	mu    sync.Mutex
	begun bool       // a range was taken
	idle  []*Scratch // that no goroutine counts into now
}

// RangeUnit divides where a range begins, and where it ends unless it is the
// last.
const RangeUnit = columns.BlockSize

// Range counts the documents from from up to but not including to. scratches
// hold *Scratch.
func (c *Counting) Range(from, to uint32, scratches *sync.Pool) {
	into := c.take(scratches)
	c.count(from, to, into)
	c.mu.Lock()
	c.idle = append(c.idle, into)
	c.mu.Unlock()
}

// take returns memory to count into: that has counts of other ranges when some is
// idle.
func (c *Counting) take(scratches *sync.Pool) (into *Scratch) {
	c.mu.Lock()
	isFirst := !c.begun
	c.begun = true
	if last := len(c.idle) - 1; last >= 0 {
		c.idle, into = c.idle[:last], c.idle[last]
	}
	c.mu.Unlock()
	switch {
	case into != nil:
		return into
	case isFirst:
		c.own = &Scratch{counts: make([]uint32, c.length)}
		return c.own
	}
	into = scratches.Get().(*Scratch)
	into.grow(c.length)
	return into
}

// Whole returns the counts of all ranges, which hold each document once, and
// gives memory back. Nothing can be counted after it.
func (c *Counting) Whole(scratches *sync.Pool) []uint32 {
	if c.own == nil { // no range: the segment is empty
		c.own = &Scratch{counts: make([]uint32, c.length)}
	}
	whole := c.own.counts
	for _, from := range c.idle {
		if from == c.own {
			continue
		}
		for i, n := range from.counts[:c.length] {
			whole[i] += n
		}
		from.clear(c.length)
		scratches.Put(from)
	}
	sum := whole[1:]
	for i, all := range c.lacked {
		sum[i] = all - sum[i]
	}
	c.count, c.lacked, c.own, c.idle = nil, nil, nil, nil // a request of many facets does not hold them all
	return sum
}

// CountDocuments counts, per ordinal, the documents of a set that hold it; size is
// how many the set holds. Of a set that holds nearly all, those that it lacks are
// counted, which deletes leave of a query that matches everything.
func CountDocuments(column *columns.Ordinals, set *bitset.Bitset, size int) *Counting {
	c := newCounting(column, set.Len(), size)
	count := countSet
	if lacking := int(set.Len()) - size; lacking < int(set.Len())/4 {
		c.Cost, c.lacked, count = lacking, column.Counts(), countLacked
	}
	c.count = func(from, to uint32, into *Scratch) { count(column, set, from, to, into.counts) }
	return c
}

// CountListed is CountDocuments for documents that are listed, ascending.
func CountListed(column *columns.Ordinals, docs []uint32, documents uint32) *Counting {
	c := newCounting(column, documents, len(docs))
	c.count = func(from, to uint32, into *Scratch) {
		first, _ := slices.BinarySearch(docs, from)
		end, _ := slices.BinarySearch(docs, to)
		countDocs(column, docs[first:end], into.counts)
	}
	return c
}

// CountValues counts, per ordinal of a column of list values, the documents of a
// set that have a value in items that holds it. nil items are all values.
// parents is the set of documents of their own right; the values of each stand
// directly before it.
func CountValues(column *columns.Ordinals, documents, items, parents *bitset.Bitset) *Counting {
	c := newCounting(column, documents.Len(), int(documents.Len()))
	if items != nil {
		c.Cost = items.Count()
	}
	c.count = func(from, to uint32, into *Scratch) {
		countValuesOf(column, documents, items, parents, from, to, into)
	}
	return c
}

// CountHits counts, per ordinal, the list values in items. With parents the
// column belongs to the documents, and every list value counts by what its
// document holds.
func CountHits(column *columns.Ordinals, items, parents *bitset.Bitset) *Counting {
	if parents == nil {
		return CountDocuments(column, items, items.Count())
	}
	c := newCounting(column, items.Len(), items.Count())
	c.count = func(from, to uint32, into *Scratch) { countHits(column, items, parents, from, to, into.counts) }
	return c
}

func newCounting(column *columns.Ordinals, documents uint32, cost int) *Counting {
	return &Counting{Documents: documents, Cost: cost, length: int(column.Len()) + 1}
}

// Length is about how many counts have to be cleared, added and read.
func (c *Counting) Length() int { return c.length }

// CanCut reports whether there is enough to count for it to be shared: each
// goroutine has to clear and to add as many counts as the column has values, which
// takes a fraction of the time of counting as many.
func (c *Counting) CanCut() bool { return c.Cost >= c.length/2 }
