// Package points finds the documents of a range of numbers, or of a region of
// the earth, in time that follows the result.
package points

import "github.com/quiresearch/quire/internal/bitset"

// Numbers holds the values of a column in order, with their documents.
type Numbers struct{}

// Count is the number of values v with lo ≤ v ≤ hi: exact, without reading
// documents. In a single-valued column it is the number of documents.
func (p *Numbers) Count(lo, hi int64) uint64 { return 0 }

// IntoBitset adds the documents with a value v, lo ≤ v ≤ hi, to out.
func (p *Numbers) IntoBitset(lo, hi int64, out *bitset.Bitset) {}

// AppendDocs appends the documents with a value v, lo ≤ v ≤ hi, in the order
// of values; a document with several such values occurs several times.
func (p *Numbers) AppendDocs(dst []uint32, lo, hi int64) []uint32 { return dst }

// Geo holds the points of a column in blocks of near ones.
type Geo struct{}

// IntoBox adds the documents with a point in the box (degrees, inclusive) to
// out. West above east means across the date line.
func (p *Geo) IntoBox(south, west, north, east float64, out *bitset.Bitset) {}

// IntoCircle adds the documents with a point at most metres away from
// (lat, lon) to out.
func (p *Geo) IntoCircle(lat, lon, metres float64, out *bitset.Bitset) {}
