package window

import (
	"math/bits"

	"github.com/quiresearch/quire/internal/segment/postings"
)

// MaxLeads is how many blocks of postings may be appended to a batch together:
// each may reach out of the window or hold documents of the others.
const MaxLeads = 4

// BatchSize is how many documents a batch has memory for: those of a window and
// of the blocks that reach out of it.
const BatchSize = Span + MaxLeads*postings.BlockSize

// Batch is documents with their scores: those of one window, or of one block.
// Docs and Sums are as long as each other and lie in the batch's own memory. It
// belongs to one goroutine.
type Batch struct {
	Docs []uint32
	Sums []float64

	docs [BatchSize]uint32
	sums [BatchSize]float64
}

// Reset empties the batch.
func (b *Batch) Reset() { b.Truncate(0) }

// Memory returns all memory of the batch. Writers fill it from any place on and
// then call Truncate.
func (b *Batch) Memory() (docs []uint32, sums []float64) { return b.docs[:], b.sums[:] }

// Truncate makes the first n places of the memory the batch.
func (b *Batch) Truncate(n int) { b.Docs, b.Sums = b.docs[:n], b.sums[:n] }

// Fill makes docs the batch, with scores of zero.
func (b *Batch) Fill(docs []uint32) {
	b.Truncate(copy(b.docs[:], docs))
	clear(b.Sums)
}

// FillMarked makes the marked documents of a window the batch, with scores of zero.
func (b *Batch) FillMarked(base uint32, marked *Bits) {
	b.Truncate(len(marked.AppendDocs(b.docs[:0], base)))
	clear(b.Sums)
}

// Take makes the marked documents of a window that score above least the batch,
// and sets the sums of all marked ones to zero. It reports whether some do not
// score above least.
func (b *Batch) Take(base uint32, marked *Bits, sums *Sums, least float64) (dropped bool) {
	n, seen := 0, 0
	for i, w := range marked {
		for ; w != 0; w &= w - 1 {
			at := i<<6 + bits.TrailingZeros64(w)
			b.docs[n], b.sums[n] = base+uint32(at), sums[at]
			if sums[at] > least {
				n++
			}
			seen++
			sums[at] = 0
		}
	}
	b.Truncate(n)
	return n < seen
}
