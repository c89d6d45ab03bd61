package facet

import (
	"slices"
	"sync"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/segment/columns"
)

// Counting counts one segment by ranges of documents, which several goroutines may share.
//
// Example: 300,000 matches in a segment of 1,000,000 documents and a column of 200 values, on
// two cores. Eight ranges of 125,952 documents (a multiple of RangeUnit), the last one shorter,
// are counted into two arrays of 200 counts, because at most two are counted concurrently.
// Whole adds up the arrays.
type Counting struct {
	Documents uint32 // of the segment
	Cost      int    // approximate number of values to read, of documents or of lists

	count  func(from, to uint32, into *Scratch) // adds to the counts of into
	length int                                  // of the counts
	lacked []uint32                             // counts of all documents, if count counts those missing from the set

	own *Scratch // of the first range; its counts become the result

	mu    sync.Mutex
	begun bool       // a range was taken
	idle  []*Scratch // not used by any goroutine now
}

// RangeUnit divides the begin of each range, and its end unless it is the last.
const RangeUnit = columns.BlockSize

// Range counts the documents in [from, to). scratches holds *Scratch.
func (c *Counting) Range(from, to uint32, scratches *sync.Pool) {
	into := c.take(scratches)
	c.count(from, to, into)
	c.mu.Lock()
	c.idle = append(c.idle, into)
	c.mu.Unlock()
}

// take returns memory to count into. It prefers idle memory, which holds counts of other
// ranges.
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

// Whole returns the counts of all ranges, which together must cover each document once, and
// returns memory to the pool. Nothing can be counted afterwards.
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
	c.count, c.lacked, c.own, c.idle = nil, nil, nil, nil // a request may have many facets
	return sum
}

// CountDocuments counts, by ordinal, the documents of a set that hold it. size is the size of
// the set. If the set holds nearly all documents, as when a query matches everything but
// deleted documents, it counts the missing ones instead.
func CountDocuments(column *columns.Ordinals, set *bitset.Bitset, size int) *Counting {
	c := newCounting(column, set.Len(), size)
	count := countSet
	if lacking := int(set.Len()) - size; lacking < int(set.Len())/4 {
		c.Cost, c.lacked, count = lacking, column.Counts(), countLacked
	}
	c.count = func(from, to uint32, into *Scratch) { count(column, set, from, to, into.counts) }
	return c
}

// CountListed is CountDocuments for a list of documents in ascending order.
func CountListed(column *columns.Ordinals, docs []uint32, documents uint32) *Counting {
	c := newCounting(column, documents, len(docs))
	c.count = func(from, to uint32, into *Scratch) {
		first, _ := slices.BinarySearch(docs, from)
		end, _ := slices.BinarySearch(docs, to)
		countDocs(column, docs[first:end], into.counts)
	}
	return c
}

// CountValues counts, by ordinal of a column of list values, the documents of a set that have a
// value in items that holds it. Nil items means all values. parents is the set of root
// documents; the values of each document directly precede it.
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

// CountHits counts, by ordinal, the list values in items. With parents, the column belongs to
// the documents, and every list value counts with the values of its document.
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

// Length returns the approximate number of counts to clear, add and read.
func (c *Counting) Length() int { return c.length }

// CanCut reports whether there is enough to count for sharing it: each goroutine must clear and
// add one count for every value of the column, which takes a fraction of the time of counting
// as many values.
func (c *Counting) CanCut() bool { return c.Cost >= c.length/2 }
