// Package segment is an immutable set of documents on disk: inverted terms,
// columns, points, stored records and vectors, in one file.
package segment

import (
	"context"
	"io"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/segment/columns"
	"github.com/quiresearch/quire/internal/segment/points"
	"github.com/quiresearch/quire/internal/segment/stored"
	"github.com/quiresearch/quire/internal/segment/terms"
	"github.com/quiresearch/quire/internal/vfs"
)

// DocID is a document's number in its segment.
type DocID = uint32

// NoDoc marks a document that is not there.
const NoDoc = ^DocID(0)

// FieldID is a field of a Builder.
type FieldID int

// Kind is the structure of a field.
type Kind uint8

// The kinds of fields. Names are unique per kind: a Terms field and a Numbers
// field may have the same name.
const (
	Terms Kind = iota + 1
	Numbers
	Ordinals
	Geo
	Vector
)

// FieldOptions declare a field. Options of other kinds are ignored.
type FieldOptions struct {
	Name string
	Kind Kind

	Freqs     bool // Terms: keep how often (implied by Positions)
	Positions bool // Terms: keep where
	Lengths   bool // Terms: keep a length code per document
	Key       bool // Terms: a key, one per document, none twice among live documents

	Multi  bool // Numbers, Ordinals, Geo: several values per document
	Points bool // Numbers, Geo: range index beside the column

	Dimensions int // Vector
}

// Builder gathers documents in memory and writes them as one segment. One
// goroutine uses it.
type Builder struct{}

// NewBuilder returns an empty builder.
func NewBuilder() *Builder { return &Builder{} }

// Field declares a field, or finds it again: the same kind and name give the
// same FieldID; the options of the first declaration hold.
func (b *Builder) Field(o FieldOptions) FieldID { return 0 }

// StartDoc begins a document. Children come before their parent, each a
// document of its own.
func (b *Builder) StartDoc() {}

// Term adds an occurrence. Positions of a term in a document do not fall.
func (b *Builder) Term(f FieldID, term []byte, position uint32) {}

// Length states the length of a Terms field in this document; several calls
// add up.
func (b *Builder) Length(f FieldID, n uint32) {}

// Number adds a value; of a single-valued field the last one counts.
func (b *Builder) Number(f FieldID, v int64) {}

// Ordinal adds a value; of a single-valued field the last one counts.
func (b *Builder) Ordinal(f FieldID, v []byte) {}

// Geo adds a point in degrees; of a single-valued field the last one counts.
func (b *Builder) Geo(f FieldID, lat, lon float64) {}

// Vector sets the vector of this document. It is copied.
func (b *Builder) Vector(f FieldID, v []float32) {}

// Stored sets the record of this document. It is copied.
func (b *Builder) Stored(record []byte) {}

// EndDoc ends the document and returns its number. parent is true for a
// document of its own right, false for a nested value of the next parent.
func (b *Builder) EndDoc(parent bool) DocID { return 0 }

// Docs is the number of documents, nested ones included.
func (b *Builder) Docs() uint32 { return 0 }

// Bytes estimates the memory in use.
func (b *Builder) Bytes() int64 { return 0 }

// Info describes a finished segment file.
type Info struct {
	Docs  uint32 // documents, nested ones included
	Roots uint32 // documents of their own right
	blockfile.Summary
}

// Finish writes everything to the file name, synced, and leaves the builder
// empty and ready for the next segment (fields must be declared again).
func (b *Builder) Finish(fs vfs.FS, name string) (Info, error) { return Info{}, nil }

// Reader is an open segment. Any number of goroutines may use it.
type Reader struct{}

// Open opens a segment file and checks its checksums, unless it is trusted.
// The Reader starts with one reference.
func Open(fs vfs.FS, name string, verify blockfile.Verification) (*Reader, error) { return nil, nil }

// Retain adds a reference; false when the reader is closed already.
func (r *Reader) Retain() bool { return true }

// Release gives a reference back; the last one closes the segment.
func (r *Reader) Release() error { return nil }

// Name is the file's name.
func (r *Reader) Name() string { return "" }

// Size is the file's size in bytes.
func (r *Reader) Size() int64 { return 0 }

// NumDocs is the number of documents, nested ones included.
func (r *Reader) NumDocs() uint32 { return 0 }

// NumRoots is the number of documents of their own right.
func (r *Reader) NumRoots() uint32 { return 0 }

// Parents is the set of documents of their own right, nil when all are.
func (r *Reader) Parents() *bitset.Bitset { return nil }

// Fields lists the declared fields.
func (r *Reader) Fields() []FieldOptions { return nil }

// Terms, Numbers, … return the read side of a field, nil when the segment has
// no such field (then no document has a value).
func (r *Reader) Terms(name string) *terms.Field { return nil }

// Numbers returns a numbers column, nil when there is none.
func (r *Reader) Numbers(name string) *columns.Numbers { return nil }

// NumberPoints returns the range index of a numbers column, nil when none.
func (r *Reader) NumberPoints(name string) *points.Numbers { return nil }

// Ordinals returns an ordinals column, nil when there is none.
func (r *Reader) Ordinals(name string) *columns.Ordinals { return nil }

// Geo returns a geo column, nil when there is none.
func (r *Reader) Geo(name string) *columns.Geo { return nil }

// GeoPoints returns the region index of a geo column, nil when none.
func (r *Reader) GeoPoints(name string) *points.Geo { return nil }

// Vectors returns a vector column, nil when there is none.
func (r *Reader) Vectors(name string) *columns.Vectors { return nil }

// Stored returns the records, nil when no document has one.
func (r *Reader) Stored() *stored.Reader { return nil }

// OverlayValue replaces a number: by Value, or by nothing when Missing.
type OverlayValue struct {
	Value   int64
	Missing bool
}

// MergeInput is one segment to merge.
type MergeInput struct {
	Reader *Reader
	// Live are the documents to keep, nil for all. A block is kept or
	// dropped whole, as its parent says; bits of nested ones do not matter.
	Live *bitset.Bitset
	// Overlays replaces values of single-valued Numbers fields: field name →
	// document → value. A field that no segment has becomes one.
	Overlays map[string]map[DocID]OverlayValue
}

// DocMap tells, per input and document, the number in the merged segment, or
// NoDoc for a dropped one.
type DocMap [][]DocID

// Merge writes the live documents of the inputs, in order, to one new segment
// file, synced. It stops with the context's error. When nothing is live it
// writes no file and answers Info{}.
func Merge(ctx context.Context, fs vfs.FS, name string, inputs []MergeInput) (Info, DocMap, error) {
	return Info{}, nil, nil
}

// Check walks everything in a segment: checksums, order, counts, blocks
// whole. The first damage is returned, wrapping blockfile.ErrCorrupt.
func Check(r *Reader) error { return nil }

// Dump prints a description of a segment file.
func Dump(w io.Writer, fs vfs.FS, name string) error { return nil }
