// Package postings stores, for every term of a field, the documents that hold
// it, how often, and at which positions.
//
// A Writer takes terms one after the other and, for each, documents in order;
// it answers with a Handle that the dictionary keeps. A Reader opens the
// finished bytes; any number of Iterators may walk it at once, each used by
// one goroutine.
//
// An Iterator hands out decoded blocks of up to 256 documents, never single
// ones through an interface. Moving between blocks decodes nothing; documents,
// frequencies and positions are decoded when first asked for.
//
// Invariants:
//
//	P1  The documents of a term strictly increase.
//	P2  A term has at least one document.
//	P3  For every document of a block (group, term) the impacts of the block
//	    (group, term) hold a pair with at least its frequency and at most its
//	    length code.
//	P4  Positions of a term in a document do not fall, and there are as many
//	    as the frequency says.
//
// The bytes are described in FORMAT.md.
package postings

import (
	"errors"
	"fmt"
)

// BlockSize is the number of documents in a full block: large enough for the
// vector kernels to pay, small enough to skip well (Lucene measured the same).
const BlockSize = 256

// GroupSize is the number of blocks in a group, the second level of skipping:
// 8,192 documents.
const GroupSize = 32

// NoMoreDocs is what Seek answers at the end.
const NoMoreDocs = ^uint32(0)

// chunkSize is the number of positions packed together.
const chunkSize = 128

// tinyDocs is the number of documents up to which a term is a list of varints,
// read when it is looked up.
const tinyDocs = 16

// Encodings of a block's documents; up to 32 it is the width of offsets from
// the first document, from kindSteps to kindSteps+32 the width of the steps
// from document to document.
const (
	kindBitset = 64
	kindRun    = 65
	kindSteps  = 128
)

// sparse is the average step from which on a block keeps steps: they take four
// bits a document less than offsets and a little longer to read, which matters
// where a term has many blocks.
const sparse = 64

// errDamaged is wrapped by errors of iterators.
var errDamaged = errors.New("damaged postings")

func damaged(format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), errDamaged)
}

// Handle is where the postings of a term are; most terms with one document
// need no postings at all, everything is in the handle.
//
//	general    bit 63 = 0, bits 39–62 documents (saturating), bits 0–38 offset
//	position   bits 63–62 = 10, bits 32–55 the one position, bits 0–31 document
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

// At is the handle of a term of df documents whose postings are at an offset.
func At(offset int64, df uint32) Handle {
	return Handle(uint64(min(df, docFreqMax))<<offsetBits | uint64(offset)&maxOffset)
}

// Location returns what At made the handle of.
func (h Handle) Location() (offset int64, df uint32) {
	return int64(h & maxOffset), uint32(h >> offsetBits)
}

func (h Handle) inline() bool { return h&inlineFlag != 0 }

func (h Handle) offset() int { return int(h & maxOffset) }

// Inline is the handle of a term of one document: in a field with positions it
// is there once, at position payload, else payload plus one times.
func Inline(doc, payload uint32, positions bool) Handle {
	h := inlineFlag | Handle(payload&inlineMax)<<32 | Handle(doc)
	if !positions {
		h |= frequencyFlag
	}
	return h
}

// Inlined takes a handle made by Inline apart; ok is false for another.
func (h Handle) Inlined() (doc, payload uint32, ok bool) {
	return uint32(h), uint32(h >> 32 & inlineMax), h.inline()
}
