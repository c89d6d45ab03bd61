// Package postings stores, for every term of a field, the documents that hold
// it, how often, and at which positions.
package postings

// BlockSize is the number of documents in a full block.
const BlockSize = 256

// GroupSize is the number of blocks in a group, the second level of skipping:
// 8,192 documents.
const GroupSize = 32

// NoMoreDocs is what doc-returning methods answer at the end.
const NoMoreDocs = ^uint32(0)

// Impact is a (frequency, length code) pair that no document of a block,
// group or term exceeds in both: for every document some Impact has at least
// its frequency and at most its length.
type Impact struct {
	Freq   uint32
	Length byte
}

// Impacts is a list of pairs with rising frequency and rising length.
type Impacts []Impact

// Max is the highest saturation f/(f+norms[length]) of the pairs: times a
// term's weight the BM25 bound. norms holds k1·(1−b+b·length/average) per
// length code. With no pairs it is 1, the bound that always holds.
func (l Impacts) Max(norms *[256]float32) float32 { return 1 }

// Handle is where the postings of a term are; a term with one document needs
// no postings at all, everything is in the handle.
type Handle uint64

// Iterator walks the postings of one term block by block. Docs, Freqs and
// Positions decode on first use. An Iterator may be reset to another term any
// number of times and then allocates nothing.
type Iterator struct{}

// DocFreq is the number of documents of the term.
func (it *Iterator) DocFreq() uint32 { return 0 }

// NumBlocks is the number of blocks.
func (it *Iterator) NumBlocks() int { return 0 }

// NextBlock moves to the next block (to the first after a reset) and reports
// whether there is one. Nothing is decoded.
func (it *Iterator) NextBlock() bool { return false }

// SeekBlock moves forward to the first block whose last document is not below
// target, staying where it is when the current block already is one, and
// reports whether there is one. Nothing is decoded.
func (it *Iterator) SeekBlock(target uint32) bool { return false }

// Block is the index of the current block.
func (it *Iterator) Block() int { return 0 }

// FirstDoc and LastDoc are the first and last document of the current block.
func (it *Iterator) FirstDoc() uint32 { return 0 }

// LastDoc is the last document of the current block.
func (it *Iterator) LastDoc() uint32 { return 0 }

// Docs are the documents of the current block, rising; valid until the
// iterator moves.
func (it *Iterator) Docs() []uint32 { return nil }

// Freqs are the frequencies of the current block, parallel to Docs; all 1 in
// a field without frequencies.
func (it *Iterator) Freqs() []uint32 { return nil }

// Seek moves to the first document not below target, which it returns
// together with its index in Docs; NoMoreDocs at the end. Galloping inside
// the block, skipping blocks; never backwards.
func (it *Iterator) Seek(target uint32) (doc uint32, index int) { return NoMoreDocs, 0 }

// FreqAt is the frequency of document number index of the current block.
func (it *Iterator) FreqAt(index int) uint32 { return 1 }

// AppendPositions appends the positions of document number index of the
// current block to dst.
func (it *Iterator) AppendPositions(dst []uint32, index int) []uint32 { return dst }

// IntoBitset sets the bit doc−base in words for every document of the term
// with base ≤ doc < base+64·len(words), starting at the current block, and
// leaves the iterator at the block that holds the first document behind the
// window (or at the end). base must be a multiple of 64.
func (it *Iterator) IntoBitset(words []uint64, base uint32) {}

// BlockImpacts are the impacts of the current block, GroupImpacts of the
// group it stands in, TermImpacts of the whole term. Valid until the
// next call of the same method.
func (it *Iterator) BlockImpacts() Impacts { return nil }

// GroupImpacts are the impacts of the group of the current block.
func (it *Iterator) GroupImpacts() Impacts { return nil }

// TermImpacts are the impacts of the whole term.
func (it *Iterator) TermImpacts() Impacts { return nil }

// GroupLastDoc is the last document of the group of the current block.
func (it *Iterator) GroupLastDoc() uint32 { return 0 }

// MaxIn is a bound of Impacts.Max over all documents from ≤ doc < to, looking
// from the current block on without moving; 0 when the term has none there.
func (it *Iterator) MaxIn(from, to uint32, norms *[256]float32) float32 { return 1 }

// Err is the first damage met; the iterator ended there.
func (it *Iterator) Err() error { return nil }
