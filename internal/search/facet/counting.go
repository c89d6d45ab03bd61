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

	count  func(from, to uint32, counts []uint32) // adds, by ordinal plus one; 0: no value
	length int                                    // of counts
	lacked []uint32                               // counts of all documents, where those are counted that the set lacks

	own []uint32 // the array of the first range; the result

	mu    sync.Mutex
	begun bool       // a range was taken
	idle  [][]uint32 // arrays that no goroutine counts into now
}

// RangeUnit divides where a range begins, and where it ends unless it is the
// last.
const RangeUnit = columns.BlockSize

// Range counts the documents from from up to but not including to. scratches
// hold *Scratch.
func (c *Counting) Range(from, to uint32, scratches *sync.Pool) {
	counts := c.take(scratches)
	c.count(from, to, counts)
	c.mu.Lock()
	c.idle = append(c.idle, counts)
	c.mu.Unlock()
}

// take returns an array to count into: one that has counts of other ranges when
// one is idle.
func (c *Counting) take(scratches *sync.Pool) []uint32 {
	c.mu.Lock()
	isFirst := !c.begun
	c.begun = true
	var counts []uint32
	if last := len(c.idle) - 1; last >= 0 {
		c.idle, counts = c.idle[:last], c.idle[last]
	}
	c.mu.Unlock()
	switch {
	case counts != nil:
		return counts
	case isFirst:
		c.own = make([]uint32, c.length)
		return c.own
	}
	return scratches.Get().(*Scratch).zeros(c.length)
}

// Whole returns the counts of all ranges, which hold each document once, and
// gives memory back.
func (c *Counting) Whole(scratches *sync.Pool) []uint32 {
	if c.own == nil { // no range: the segment is empty
		c.own = make([]uint32, c.length)
	}
	for _, counts := range c.idle {
		if &counts[0] == &c.own[0] {
			continue
		}
		for i, n := range counts {
			c.own[i] += n
		}
		clear(counts)
		scratches.Put(&Scratch{counts: counts})
	}
	sum := c.own[1:]
	for i, all := range c.lacked {
		sum[i] = all - sum[i]
	}
	return sum
}

// all counts every document in one range.
func (c *Counting) all() []uint32 {
	c.Range(0, c.Documents, nil)
	return c.Whole(nil)
}

// CountDocuments counts, per ordinal, the documents of a set that hold it. Of a
// set that holds nearly all, those that it lacks are counted, which deletes leave
// of a query that matches everything.
func CountDocuments(column *columns.Ordinals, set *bitset.Bitset) *Counting {
	c := newCounting(column, set.Len(), set.Count())
	if lacking := int(set.Len()) - c.Cost; lacking < int(set.Len())/4 {
		c.Cost, c.lacked = lacking, column.Counts()
		set = complement(set)
	}
	c.count = func(from, to uint32, counts []uint32) { countSet(column, set, from, to, counts) }
	return c
}

// CountListed is CountDocuments for documents that are listed, ascending.
func CountListed(column *columns.Ordinals, docs []uint32, documents uint32) *Counting {
	c := newCounting(column, documents, len(docs))
	c.count = func(from, to uint32, counts []uint32) {
		first, _ := slices.BinarySearch(docs, from)
		end, _ := slices.BinarySearch(docs, to)
		countDocs(column, docs[first:end], counts)
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
	c.count = func(from, to uint32, counts []uint32) {
		countValuesOf(column, documents, items, parents, from, to, counts)
	}
	return c
}

// CountHits counts, per ordinal, the list values in items. With parents the
// column belongs to the documents, and every list value counts by what its
// document holds.
func CountHits(column *columns.Ordinals, items, parents *bitset.Bitset) *Counting {
	if parents == nil {
		return CountDocuments(column, items)
	}
	c := newCounting(column, items.Len(), items.Count())
	c.count = func(from, to uint32, counts []uint32) { countHits(column, items, parents, from, to, counts) }
	return c
}

func newCounting(column *columns.Ordinals, documents uint32, cost int) *Counting {
	return &Counting{Documents: documents, Cost: cost, length: int(column.Len()) + 1}
}

// IsFew reports whether listing the values of the documents, as a Scratch does,
// takes less time than an array of counts: a value takes about four times as long
// as a count that is cleared and read.
func (c *Counting) IsFew() bool { return c.Cost < c.length/4 }

// Counts is about how many counts have to be cleared, added and read.
func (c *Counting) Counts() int { return c.length }

// CanCut reports whether there is enough to count for it to be shared: each
// goroutine has to clear and to add as many counts as the column has values, which
// takes a fraction of the time of counting as many.
func (c *Counting) CanCut() bool { return c.Cost >= c.length/2 }
