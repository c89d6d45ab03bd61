package match

import (
	"math"

	"github.com/quiresearch/quire/internal/search/match/window"
)

// batch is a window.Batch on its way to a sink.
type batch struct {
	window.Batch

	scores []float32 // in the precision of the sink
	join   join      // of the documents and a term
}

// grow makes memory for the documents of the given number of windows.
func (b *batch) grow(windows int) {
	if n := b.Grow(windows); n > len(b.scores) {
		b.scores = make([]float32, n)
	}
}

// reserve makes memory for n documents.
func (b *batch) reserve(n int) {
	if n > len(b.scores) {
		b.Reserve(n)
		docs, _ := b.Memory()
		b.scores = make([]float32, len(docs))
	}
}

// send hands the batch to the sink without the documents that the mask excludes. It reports
// whether the sink wants more.
func (b *batch) send(m *mask, sink Sink) bool {
	kept := 0
	for i, doc := range b.Docs {
		if !m.has(doc) {
			continue
		}
		b.Docs[kept], b.scores[kept] = doc, float32(b.Sums[i])
		kept++
	}
	b.Docs = b.Docs[:kept]
	return kept == 0 || sink.TakeDocs(b.Docs, b.scores[:kept])
}

// sendWithin is send for a batch that may extend beyond the range [from, to).
func (b *batch) sendWithin(m *mask, from, to uint32, sink Sink) bool {
	first, last := 0, len(b.Docs)
	for first < last && b.Docs[first] < from {
		first++
	}
	for last > first && b.Docs[last-1] >= to {
		last--
	}
	b.Docs, b.Sums = b.Docs[first:last], b.Sums[first:last]
	return b.send(m, sink)
}

// pass is send for a batch to which the mask has already been applied.
func (b *batch) pass(sink Sink) bool {
	scores := b.scores[:len(b.Docs)]
	for i, sum := range b.Sums {
		scores[i] = float32(sum)
	}
	return sink.TakeDocs(b.Docs, scores)
}

// roundDown returns a single-precision threshold that drops no score above the given one, or
// -1, which drops none, if the given one is not positive.
func roundDown(threshold float64) float32 {
	if threshold <= 0 {
		return -1
	}
	return math.Nextafter32(float32(threshold), -1)
}
