// Package terms is the dictionary of a Terms field: sorted terms with exact,
// prefix, range and approximate look-up, and the way to their postings.
package terms

import "github.com/quiresearch/quire/internal/segment/postings"

// Entry is a term found.
type Entry struct {
	Ord      uint32 // position in the sorted list of terms
	DocFreq  uint32
	Postings postings.Handle
}

// Stats are the numbers scoring needs.
type Stats struct {
	Docs      uint32 // documents with at least one term of the field
	SumLength uint64 // of the exact lengths of all documents
	SumFreq   uint64 // occurrences of all terms
	Terms     uint32
}

// Field is the read side of one Terms field. Any number of goroutines may use
// it.
type Field struct{}

// Stats are the field's statistics, deleted documents included.
func (f *Field) Stats() Stats { return Stats{} }

// HasFreqs, HasPositions and HasLengths tell what was kept.
func (f *Field) HasFreqs() bool { return false }

// HasPositions tells whether positions were kept.
func (f *Field) HasPositions() bool { return false }

// HasLengths tells whether lengths were kept.
func (f *Field) HasLengths() bool { return false }

// Lengths is one length code per document, nil when the field keeps none. See
// DecodeLength.
func (f *Field) Lengths() []byte { return nil }

// Lookup finds a term by hash, without walking the dictionary.
func (f *Field) Lookup(term []byte) (Entry, bool) { return Entry{}, false }

// At is the entry of term number ord.
func (f *Field) At(ord uint32) Entry { return Entry{} }

// Term is the text of term number ord. It must not be changed and is valid as
// long as the segment's reader.
func (f *Field) Term(ord uint32) []byte { return nil }

// Search is the number of terms below key, and whether key itself is a term.
func (f *Field) Search(key []byte) (ord uint32, found bool) { return 0, false }

// Prefix is the half-open range of terms that start with prefix.
func (f *Field) Prefix(prefix []byte) (from, to uint32) { return 0, 0 }

// Match is a term found by Fuzzy.
type Match struct {
	Entry
	Distance uint8
}

// FuzzyOptions say which terms are near enough.
type FuzzyOptions struct {
	Distance     uint8 // 0–2 edits: insert, delete, replace or swap neighbours, by code point
	PrefixLength int   // so many first code points must be equal
	Open         bool  // the term may go on behind the match ("prefix with typos")
	Limit        int   // stop after so many dictionary steps; 0 for the default
}

// Fuzzy appends all terms within the distance of word to dst, each once with
// its smallest distance, in the order of terms. complete is false when Limit
// stopped it.
func (f *Field) Fuzzy(dst []Match, word []byte, o FuzzyOptions) (matches []Match, complete bool) {
	return dst, true
}

// Iterator starts it on the postings of a term found in this field.
func (f *Field) Iterator(it *postings.Iterator, e Entry) {}

// EncodeLength is the code of a length, DecodeLength the lower bound of the
// lengths with that code. Exact up to 40.
func EncodeLength(n uint32) byte { return 0 }

// DecodeLength is the smallest length that has the code.
func DecodeLength(code byte) uint32 { return 0 }
