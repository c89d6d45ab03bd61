// Package columns keeps values per document: numbers, ordinals of sorted byte
// strings, geo points and vectors.
package columns

import "github.com/quiresearch/quire/internal/bitset"

// BlockSize is the number of documents that share a block's min and max.
const BlockSize = 1024

// Numbers is the read side of a column of int64 values.
type Numbers struct{}

// Multi tells whether documents may have several values.
func (c *Numbers) Multi() bool { return false }

// NumDocs is the number of documents, NumValues of values.
func (c *Numbers) NumDocs() uint32 { return 0 }

// NumValues is the number of values.
func (c *Numbers) NumValues() uint64 { return 0 }

// DocsWithValue is the number of documents with at least one value.
func (c *Numbers) DocsWithValue() uint32 { return 0 }

// Bounds are the lowest and highest value; ok is false in an empty column.
func (c *Numbers) Bounds() (lowest, highest int64, ok bool) { return }

// BlockBounds are the lowest and highest value of documents
// [block·1024, block·1024+1024); ok is false when none has a value.
func (c *Numbers) BlockBounds(block int) (lowest, highest int64, ok bool) { return }

// Get is the value of a document; of several the lowest.
func (c *Numbers) Get(doc uint32) (int64, bool) { return 0, false }

// Has tells whether the document has a value.
func (c *Numbers) Has(doc uint32) bool { return false }

// Present is the set of documents with a value, nil when all have one.
func (c *Numbers) Present() *bitset.Bitset { return nil }

// Values fills out with the (lowest) values of docs, missing for those
// without.
func (c *Numbers) Values(docs []uint32, out []int64, missing int64) {}

// Block decodes the values of documents [block·1024, …) into out (BlockSize
// long) and returns how many documents there are; missing for those without.
// Single-valued columns only.
func (c *Numbers) Block(block int, out []int64, missing int64) int { return 0 }

// AppendAll appends all values of a document in rising order.
func (c *Numbers) AppendAll(dst []int64, doc uint32) []int64 { return dst }

// Ordinals is the read side of a column of byte strings, kept as numbers in
// the order of a sorted dictionary.
type Ordinals struct{}

// Multi tells whether documents may have several values.
func (c *Ordinals) Multi() bool { return false }

// NumDocs is the number of documents.
func (c *Ordinals) NumDocs() uint32 { return 0 }

// Len is the number of distinct values.
func (c *Ordinals) Len() uint32 { return 0 }

// Value is the byte string of an ordinal; not to be changed.
func (c *Ordinals) Value(ord uint32) []byte { return nil }

// Lookup is the ordinal of a value; when absent the ordinal it would have.
func (c *Ordinals) Lookup(value []byte) (ord uint32, found bool) { return 0, false }

// Prefix is the half-open range of ordinals whose values start with prefix.
func (c *Ordinals) Prefix(prefix []byte) (from, to uint32) { return 0, 0 }

// Counts is the number of documents per ordinal, deleted ones included.
func (c *Ordinals) Counts() []uint32 { return nil }

// DocsWithValue is the number of documents with at least one value.
func (c *Ordinals) DocsWithValue() uint32 { return 0 }

// Raw is the array behind a single-valued column, exactly one of the three:
// per document its ordinal plus one, 0 for none. For loops over documents.
func (c *Ordinals) Raw() (w8 []uint8, w16 []uint16, w32 []uint32) { return }

// RawMulti is what is behind a multi-valued column: the flat list of ordinals
// plus one, exactly one of the three; Starts tells where a document's begin.
func (c *Ordinals) RawMulti() (w8 []uint8, w16 []uint16, w32 []uint32) { return }

// Starts fills out (BlockSize+1 long) with the places in RawMulti where the
// values of documents [block·1024, …) begin, plus the end of the last, and
// returns the number of documents.
func (c *Ordinals) Starts(block int, out []uint32) int { return 0 }

// Get is the (lowest) ordinal of a document.
func (c *Ordinals) Get(doc uint32) (ord uint32, ok bool) { return 0, false }

// Append appends all ordinals of a document in rising order.
func (c *Ordinals) Append(dst []uint32, doc uint32) []uint32 { return dst }

// Point is a place: degrees times 10^7 would overflow nothing, see EncodeGeo.
type Point struct{ Lat, Lon int32 }

// Geo is the read side of a column of points.
type Geo struct{}

// Multi tells whether documents may have several points.
func (c *Geo) Multi() bool { return false }

// Has tells whether the document has a point.
func (c *Geo) Has(doc uint32) bool { return false }

// Get is the first point of a document.
func (c *Geo) Get(doc uint32) (Point, bool) { return Point{}, false }

// Append appends all points of a document.
func (c *Geo) Append(dst []Point, doc uint32) []Point { return dst }

// Distance is the distance in metres from the nearest point of a document to
// (lat, lon) in degrees; ok is false when it has none.
func (c *Geo) Distance(doc uint32, lat, lon float64) (metres float64, ok bool) { return 0, false }

// Vectors is the read side of a column of float32 vectors, one per document.
type Vectors struct{}

// Dimensions is the length of every vector.
func (c *Vectors) Dimensions() int { return 0 }

// Len is the number of vectors.
func (c *Vectors) Len() int { return 0 }

// Doc is the document of row i; rows are in the order of documents.
func (c *Vectors) Doc(row int) uint32 { return 0 }

// Row is vector number i; not to be changed.
func (c *Vectors) Row(row int) []float32 { return nil }

// Find is the row of a document.
func (c *Vectors) Find(doc uint32) (row int, ok bool) { return 0, false }
