// Package postings stores, for every term of a field, the documents that contain
// it, how often, and at which positions.
//
// A Writer takes terms one after the other and, for each, documents in order; it
// returns a Handle that the dictionary keeps. A Reader opens the finished bytes;
// any number of Iterators may walk it at once, each in one goroutine.
//
// An Iterator returns decoded blocks of up to 256 documents, never single ones
// through an interface. Moving between blocks decodes nothing; documents,
// frequencies and positions are decoded on first use.
//
// Invariants:
//
//	P1  The documents of a term strictly increase.
//	P2  A term has at least one document.
//	P3  For every document of a block (group, term) the impacts of the block
//	    (group, term) contain a pair with at least its frequency and at most its
//	    length code.
//	P4  Positions of a term in a document never decrease, and their number is the
//	    frequency.
//
// The bytes are described in FORMAT.md.
package postings

import (
	"errors"
	"fmt"
)

// BlockSize is the number of documents in a full block: large enough for the vector
// kernels to pay off, small enough to skip well (Lucene measured the same).
const BlockSize = 256

// GroupSize is the number of blocks in a group, the second level of skipping:
// 8,192 documents.
const GroupSize = 32

// NoMoreDocs is the result of Seek at the end.
const NoMoreDocs = ^uint32(0)

// chunkSize is the number of positions packed together.
const chunkSize = 128

// tinyDocs is the largest number of documents for which a term is a list of
// varints, decoded when the term is looked up.
const tinyDocs = 16

// Encodings of the documents of a block. Up to 32 it is the width of offsets from
// the first document; from kindSteps to kindSteps+32 it is the width of deltas
// between consecutive documents.
const (
	kindBitset = 64
	kindRun    = 65
	kindSteps  = 128
)

// sparse is the average delta from which on a block stores deltas: they take four
// bits less per document than offsets and a little longer to decode, which matters
// for terms with many blocks.
const sparse = 64

// errDamaged is wrapped by errors of iterators.
var errDamaged = errors.New("damaged postings")

func damaged(format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), errDamaged)
}

// Handle is the location of the postings of a term. Most terms with one document
// need no postings at all: the handle contains everything.
//
//	general    bit 63 = 0, bits 39–62 documents (saturating), bits 0–38 offset
//	position   bits 63–62 = 10, bits 32–55 the only position, bits 0–31 document
//	frequency  bits 63–62 = 11, bits 32–55 frequency less one, bits 0–31 document
type Handle uint64

const (
	inlineFlag    = 1 << 63
	frequencyFlag = 1 << 62
	inlineMax     = 1<<24 - 1
	offsetBits    = 39
	maxOffset     = 1<<offsetBits - 1
	docFreqMax    = 1<<24 - 1
)

// At returns the handle of a term with df documents and postings at an offset.
func At(offset int64, df uint32) Handle {
	return Handle(uint64(min(df, docFreqMax))<<offsetBits | uint64(offset)&maxOffset)
}

// Location returns the arguments of At for a handle.
func (h Handle) Location() (offset int64, df uint32) {
	return int64(h & maxOffset), uint32(h >> offsetBits)
}

func (h Handle) inline() bool { return h&inlineFlag != 0 }

func (h Handle) offset() int { return int(h & maxOffset) }

// Inline returns the handle of a term with one document. In a field with positions,
// the document contains the term once, at position payload; otherwise payload plus
// one times.
func Inline(doc, payload uint32, positions bool) Handle {
	h := inlineFlag | Handle(payload&inlineMax)<<32 | Handle(doc)
	if !positions {
		h |= frequencyFlag
	}
	return h
}

// Inlined returns the arguments of Inline for a handle; ok is false for other
// handles.
func (h Handle) Inlined() (doc, payload uint32, ok bool) {
	return uint32(h), uint32(h >> 32 & inlineMax), h.inline()
}
