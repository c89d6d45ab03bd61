package match

import (
	"math"
	"math/bits"

	"github.com/quiresearch/quire/internal/segment/postings"
)

// batchSize is the documents of a window, and of blocks that reach out of it or
// hold documents of others.
const batchSize = Span + maxLeadParts*postings.BlockSize

// batch is documents with their scores on the way to a sink: those of one
// window, or of one block.
type batch struct {
	docs   []uint32
	sums   []float64
	scores []float32

	docsBuffer   [batchSize]uint32
	sumsBuffer   [batchSize]float64
	scoresBuffer [batchSize]float32

	join join // of the documents and a term
}

func (b *batch) reset() { b.docs, b.sums = b.docsBuffer[:0], b.sumsBuffer[:0] }

// take fills the batch with the marked documents of a window that score above
// least, and sets their sums to zero. It reports whether others were marked.
func (b *batch) take(base uint32, marked *Bits, sums *Sums, least float64) (dropped bool) {
	n, seen := 0, 0
	for i, w := range marked {
		for ; w != 0; w &= w - 1 {
			at := i<<6 + bits.TrailingZeros64(w)
			b.docsBuffer[n], b.sumsBuffer[n] = base+uint32(at), sums[at]
			if sums[at] > least {
				n++
			}
			seen++
			sums[at] = 0
		}
	}
	b.docs, b.sums = b.docsBuffer[:n], b.sumsBuffer[:n]
	return n < seen
}

// send hands the batch over without what the mask keeps out.
func (b *batch) send(m *mask, sink Sink) bool {
	b.scores = b.scoresBuffer[:0]
	kept := 0
	for i, doc := range b.docs {
		if !m.has(doc) {
			continue
		}
		b.docs[kept] = doc
		b.scores = append(b.scores, float32(b.sums[i]))
		kept++
	}
	b.docs = b.docs[:kept]
	return kept == 0 || sink.TakeDocs(b.docs, b.scores)
}

// sendWithin is send for a batch that may reach beyond the range asked for.
func (b *batch) sendWithin(m *mask, from, to uint32, sink Sink) bool {
	first, last := 0, len(b.docs)
	for first < last && b.docs[first] < from {
		first++
	}
	for last > first && b.docs[last-1] >= to {
		last--
	}
	b.docs, b.sums = b.docs[first:last], b.sums[first:last]
	return b.send(m, sink)
}

// pass hands a batch over that the mask was applied to before.
func (b *batch) pass(sink Sink) bool {
	b.scores = b.scoresBuffer[:len(b.docs)]
	for i, sum := range b.sums {
		b.scores[i] = float32(sum)
	}
	return sink.TakeDocs(b.docs, b.scores)
}

// roundDown returns a threshold in single precision that drops no score above
// the given one; -1, which drops none, when that is not above zero.
func roundDown(threshold float64) float32 {
	if threshold <= 0 {
		return -1
	}
	return math.Nextafter32(float32(threshold), -1)
}
