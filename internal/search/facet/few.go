package facet

import (
	"bytes"
	"math/bits"
	"slices"

	"github.com/quiresearch/quire/internal/segment/columns"
	"github.com/quiresearch/quire/internal/segment/postings"
)

// Scratch is memory for counting a few documents. Its cost depends on the number of documents,
// not on how many values the column has. It is reused, by one goroutine at a time. A Counting
// of which several ranges are counted concurrently also counts into it.
type Scratch struct {
	counts  []uint32 // by ordinal plus one (0: no value); all zero between calls
	last    []uint32 // by ordinal plus one, the document plus one that counted it last; all zero between calls
	touched []uint32 // counted ordinals plus one
	several []uint32
}

// Listed counts the values of docs, which are in ascending order. It returns the values with a
// count above 0 in ascending byte order.
func (s *Scratch) Listed(column *columns.Ordinals, docs []uint32) []Count {
	s.grow(int(column.Len()) + 1)
	s.touched = s.touched[:0]
	w8, w16, w32 := column.Raw()
	switch {
	case column.Multi():
		for _, doc := range docs {
			s.several = column.Append(s.several[:0], doc)
			for _, ordinal := range s.several {
				s.count(ordinal + 1)
			}
		}
	case w8 != nil:
		countListed(s, w8, docs)
	case w16 != nil:
		countListed(s, w16, docs)
	default:
		countListed(s, w32, docs)
	}
	s.order(int(column.Len()) + 1)
	counts := make([]Count, 0, len(s.touched))
	for _, at := range s.touched {
		if at > 0 {
			counts = append(counts, Count{Value: column.Value(at - 1), Count: int64(s.counts[at])})
		}
		s.counts[at] = 0
	}
	return counts
}

// grow makes counts at least length long. All counts must be zero.
func (s *Scratch) grow(length int) {
	if len(s.counts) < length {
		s.counts = make([]uint32, length)
	}
}

// clear resets the first length counts to zero.
func (s *Scratch) clear(length int) {
	clear(s.counts[:length])
	clear(s.last[:min(length, len(s.last))])
}

func (s *Scratch) count(at uint32) {
	if s.counts[at]++; s.counts[at] == 1 {
		s.touched = append(s.touched, at)
	}
}

// countListed counts docs, which are in ascending order. It reads many ordinals before it
// counts the first, so that the reads, most of which miss the caches, overlap: whether a value
// is new is a branch that the processor cannot predict.
func countListed[T uint8 | uint16 | uint32](s *Scratch, ordinals []T, docs []uint32) {
	docs = docs[:postings.LowerBound(docs, uint32(len(ordinals)))]
	var read [256]T
	for len(docs) > 0 {
		n := min(len(docs), len(read))
		for i, doc := range docs[:n] {
			read[i] = ordinals[doc]
		}
		for _, ordinal := range read[:n] {
			s.count(uint32(ordinal))
		}
		docs = docs[n:]
	}
}

// order sorts touched: by comparison if it is short, otherwise by a walk over all counts.
func (s *Scratch) order(all int) {
	if n := len(s.touched); n*bits.Len(uint(n)) < all {
		slices.Sort(s.touched)
		return
	}
	s.touched = s.touched[:0]
	for at, n := range s.counts[:all] {
		if n > 0 {
			s.touched = append(s.touched, uint32(at))
		}
	}
}

// Sum adds up the counts of segments, each in ascending order of values.
func Sum(segments [][]Count) []Count {
	segments = slices.DeleteFunc(segments, func(c []Count) bool { return len(c) == 0 })
	switch len(segments) {
	case 0:
		return nil
	case 1:
		return segments[0]
	}
	return join(slices.Concat(segments...))
}

// join sorts counts by value and adds up those of the same value, in place.
func join(all []Count) []Count {
	slices.SortFunc(all, func(a, b Count) int { return bytes.Compare(a.Value, b.Value) })
	joined := all[:0]
	for _, c := range all {
		if last := len(joined) - 1; last >= 0 && bytes.Equal(joined[last].Value, c.Value) {
			joined[last].Count += c.Count
		} else {
			joined = append(joined, c)
		}
	}
	return joined
}
