package window

import (
	"math/bits"

	"github.com/quiresearch/quire/internal/segment/postings"
)

// MaxLeads is how many blocks of postings may be appended to a batch together: each may extend
// beyond the window or hold documents of the others.
const MaxLeads = 4

// Batch is a list of documents with their scores: those of one or more windows, or of one
// block. Docs and Sums have the same length and lie in the batch's own memory, which Grow
// allocates. It belongs to one goroutine.
type Batch struct {
	Docs []uint32
	Sums []float64

	docs []uint32
	sums []float64
}

// Grow makes memory for the documents of windows windows and of the blocks that extend beyond
// them, and empties the batch. It returns the capacity.
func (b *Batch) Grow(windows int) int {
	if n := windows*Span + MaxLeads*postings.BlockSize; n > len(b.docs) {
		b.docs, b.sums = make([]uint32, n), make([]float64, n)
	}
	b.Reset()
	return len(b.docs)
}

// Reset empties the batch.
func (b *Batch) Reset() { b.Truncate(0) }

// Memory returns all memory of the batch. Writers fill it from any index on and then call
// Truncate.
func (b *Batch) Memory() (docs []uint32, sums []float64) { return b.docs, b.sums }

// Truncate makes the first n elements of the memory the batch.
func (b *Batch) Truncate(n int) { b.Docs, b.Sums = b.docs[:n], b.sums[:n] }

// Fill makes docs the batch, with scores of zero.
func (b *Batch) Fill(docs []uint32) {
	b.Truncate(copy(b.docs, docs))
	clear(b.Sums)
}

// FillMarked makes the marked documents of a window the batch, with scores of zero.
func (b *Batch) FillMarked(base uint32, marked *Bits) {
	b.Truncate(len(marked.AppendDocs(b.docs[:0], base)))
	clear(b.Sums)
}

// Take appends the marked documents of a window that score above least to the batch, and resets
// the sums of all marked ones to zero. It reports whether some do not score above least.
func (b *Batch) Take(base uint32, marked *Bits, sums *Sums, least float64) (dropped bool) {
	before, seen := len(b.Docs), 0
	docs, into := b.docs[before:before+Span+1], b.sums[before:before+Span+1]
	n := 0
	for i, w := range marked {
		for ; w != 0; w &= w - 1 {
			at := i<<6 + bits.TrailingZeros64(w)
			docs[n], into[n] = base+uint32(at), sums[at]
			if sums[at] > least {
				n++
			}
			seen++
			sums[at] = 0
		}
	}
	b.Truncate(before + n)
	return n < seen
}
