// Package document reads JSON documents by the schema of a generation and keeps
// them so that parts are returned without parsing JSON again.
//
// A Reader checks one document after another, reports every problem with its
// place, and returns a Document: typed values per concrete field path and locale
// variant, ready for indexing. A Record is the stored form of a document; a
// Projection chooses what of a Record is answered. ReadChange and Apply change
// documents in place.
//
// Invariants:
//
//	DC1  A Document that Read returned fits the schema whole.
//	DC2  What a Record answers as sent reads as an equal Document.
//	DC3  A Document owns its memory until Release; nothing of it but its JSON
//	     may be used afterwards.
//
// A Reader belongs to one goroutine. Documents, Records and Projections may be
// read by several. The bytes of a Record are described in FORMAT.md.
package document

import (
	"bytes"
	"sync"

	"github.com/quiresearch/quire/definition"
)

// Document is one checked document.
type Document struct {
	Key      Key     // "" when the definition declares no key
	Root     []Value // values outside of nested lists, in document order
	Children []Child // values of nested lists, in document order
	Signals  []Signal

	schema      *definition.Schema
	json        []byte
	members     []member // of json that may be kept, in its order
	rawKey      []byte   // the key as it stands in json
	kept        kept     // what the record keeps beside the key
	childValues []Value
	text        []byte    // decoded strings
	floats      []float32 // vectors
}

// Value is one value of a field in one variant.
type Value struct {
	Field   *definition.ResolvedField
	Variant string // locale tag of a locale-specific field, else ""
	Filled  bool   // copied from another variant by locale fallback
	Text    string // strings and timestamps, as sent
	Number  int64  // int32, int64; timestamps in milliseconds; booleans 0 and 1
	Float   float64
	Lat     float64
	Lon     float64
	Vector  []float32
}

// Child is one value of a nested list: a document of its own inside its parent.
type Child struct {
	List     *definition.ResolvedField
	Position int // in the list, from zero
	Values   []Value
}

// Signal is the value of a signal field that a write gives.
type Signal struct {
	Field  *definition.ResolvedField
	Number int64 // as layout writes signal columns
	Clear  bool  // the value is taken away
}

// member is a member of the root object that has a value and is not a signal. Its name
// is that of the field.
type member struct {
	field      *definition.ResolvedField
	start, end uint32 // of the value in json
}

var documents = sync.Pool{New: func() any { return new(Document) }}

func newDocument(schema *definition.Schema, raw []byte) *Document {
	d := documents.Get().(*Document)
	d.schema = schema
	d.json = bytes.Clone(raw)
	return d
}

// Release gives the memory back for another document, except for that of JSON.
func (d *Document) Release() {
	const most = 1 << 20 // a rare huge document does not stay in memory
	if len(d.json) > most || cap(d.text) > most {
		return
	}
	clear(d.Root)
	clear(d.members)
	clear(d.Children)
	clear(d.childValues)
	*d = Document{
		Root: d.Root[:0], Children: d.Children[:0], Signals: d.Signals[:0],
		members: d.members[:0], childValues: d.childValues[:0], text: d.text[:0], floats: d.floats[:0],
	}
	documents.Put(d)
}

// Schema returns the schema the document was read by.
func (d *Document) Schema() *definition.Schema { return d.schema }

// JSON returns the document as it was sent, its key included. It stays as it is after
// Release, and is not to be changed. Reading it again gives an equal Document.
func (d *Document) JSON() []byte { return d.json[:len(d.json):len(d.json)] }
