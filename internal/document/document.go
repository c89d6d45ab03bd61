// Package document reads JSON documents by the schema of a generation and stores
// them so that parts can be returned without parsing JSON again.
//
// A Reader checks one document after another, reports every problem with its path,
// and returns a Document: typed values per concrete field path and locale variant,
// ready for indexing. A Record is the stored form of a document; a Projection
// selects the parts of a Record to return. ReadChange and Apply change documents in
// place.
//
// Invariants:
//
//	DC1  A Document that Read returned fits the schema completely.
//	DC2  The as-sent projection of a Record reads as an equal Document.
//	DC3  A Document owns its memory until Release; after that only its JSON
//	     may be used.
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
	members     []member // members of json that may be stored, in order
	rawKey      []byte   // the key verbatim from json
	kept        kept     // what the record stores besides the key
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

// Child is one value of a nested list, indexed as its own document.
type Child struct {
	List     *definition.ResolvedField
	Position int // in the list, from zero
	Values   []Value
}

// Signal is the value that a write gives to a signal field.
type Signal struct {
	Field  *definition.ResolvedField
	Number int64 // encoded as in signal columns
	Clear  bool  // removes the value
}

// member is a member of the root object that has a value and is not a signal. Its
// name is the name of the field.
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

// Release returns the memory, except that of JSON, to the pool.
func (d *Document) Release() {
	const most = 1 << 20 // do not keep the memory of a rare huge document
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

// JSON returns the document as sent, including its key. It remains valid after
// Release and must not be modified. Reading it again gives an equal Document.
func (d *Document) JSON() []byte { return d.json[:len(d.json):len(d.json)] }
