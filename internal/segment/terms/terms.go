// Package terms is the dictionary of a Terms field: its distinct terms in byte
// order, each with its postings, and statistics of the field.
//
// A Writer takes terms in order with their postings. A Field opens the finished
// sections: exact look-up by hash, ranges and prefixes by binary search, near terms
// by walking the sorted list like a trie. A Key field is smaller: it is a packed
// list, searched by binary search behind a filter, and also stores the key of every
// document. A Field is safe for concurrent use.
//
// A field may have a second dictionary besides its terms, that of surface forms:
// the spellings in documents whose term is only their stem. Each form belongs to
// one term, so that prefixes and typos can be measured on what people see.
//
// Invariants:
//
//	TE1  Terms strictly increase in byte order.
//	TE2  Every term is found by its text, and no other text is.
//	TE3  The common prefix stored for a term is the one it shares with the
//	     previous term, at most 255.
//	TE4  The key stored for a document of a Key field is the one whose postings
//	     contain the document.
//	TE5  Surface forms strictly increase in byte order, and each belongs to a
//	     term of the field that it differs from.
//
// The bytes are described in FORMAT.md.
package terms

import "github.com/quiresearch/quire/internal/segment/postings"

// Entry is a term of a dictionary.
type Entry struct {
	Ord      uint32 // position in the sorted list of terms
	DocFreq  uint32
	Postings postings.Handle
}

// Stats are the numbers that scoring needs, deleted documents included.
type Stats struct {
	Docs      uint32 // documents with at least one term of the field
	SumLength uint64 // of the exact lengths of all documents
	SumFreq   uint64 // occurrences of all terms
	Terms     uint32
}

// Options select what a field keeps.
type Options struct {
	postings.Options
	Lengths bool
	Key     bool // exact look-up only: no structure for near terms
}

// Parts of a field in the segment file.
const (
	PartInfo = iota + 1
	PartPostings
	PartBytes
	PartOffsets
	PartHandles
	PartHash
	PartPrefixes
	PartLengths
	PartFilter
	PartKeyDocs
	PartKeys
	PartHandleData
	PartFormBytes
	PartFormOffsets
	PartFormPrefixes
	PartFormTerms
)

// EncodeLength returns the code of a length: exact below 40, then with four
// significant bits.
func EncodeLength(n uint32) byte { return postings.EncodeLength(n) }

// DecodeLength returns the smallest length with the given code.
func DecodeLength(code byte) uint32 { return postings.DecodeLength(code) }
