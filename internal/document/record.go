package document

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/format"
	"github.com/quiresearch/quire/internal/jsonread"
)

// Record is the stored form of a document. It is a view of bytes owned by the
// caller; any number of goroutines may read it.
type Record struct {
	source     bool
	root       []byte // nodes of the root object
	highlights []byte // nodes of texts stored only for highlighting
	key        []byte // raw JSON of the key
}

// The first byte of a record holds the version and these flags.
const (
	recordHasSource  = 0x10 // the whole document is stored
	recordHighlights = 0x20 // a second tree follows, of texts stored for highlighting
	recordKey        = 0x40 // the raw JSON of the key is at the end
)

// The kinds of nodes.
const (
	scalarNode   = 'v' // length, raw JSON
	objectNode   = 'o' // size, members
	listNode     = 'l' // size, items
	variantsNode = 'm' // size, members named by locale tag
	keyNode      = 'k' // empty: the raw JSON of the key is at the end of the record
)

// AppendRecord appends the stored form of the document. The key comes last, so that
// a segment, which also stores it elsewhere, can store it once.
func (d *Document) AppendRecord(to []byte) []byte {
	at := len(to)
	to = append(to, byte(format.Record.Version))
	switch {
	case d.schema.KeepsSource():
		to[at] |= recordHasSource
		to, _ = d.appendRoot(to, keepAll)
	case d.kept&keptStored != 0:
		to, _ = d.appendRoot(to, keepStored)
	default:
		to = d.appendBareKey(to)
	}
	if !d.schema.KeepsSource() && d.kept&keptHighlight != 0 {
		before := len(to)
		var any bool
		if to, any = d.appendRoot(to, keepHighlight); any {
			to[at] |= recordHighlights
		} else {
			to = to[:before]
		}
	}
	if d.rawKey != nil {
		to[at] |= recordKey
		to = append(to, d.rawKey...)
	}
	return to
}

// appendRoot is appendObject for the root object, whose members were recorded when
// it was read.
func (d *Document) appendRoot(to []byte, kept keep) ([]byte, bool) {
	to, start := open(to, objectNode)
	any := false
	for _, m := range d.members {
		var held bool
		to, held = appendMember(to, m.field.Name, d.json[m.start:m.end], m.field, kept)
		any = any || held
	}
	closeNode(to, start)
	return to, any
}

// appendBareKey appends the root object of a document of which only the key is
// stored.
func (d *Document) appendBareKey(to []byte) []byte {
	to, start := open(to, objectNode)
	if d.rawKey != nil {
		to = appendName(to, d.schema.PrimaryKey().Name)
		to = append(to, keyNode)
	}
	closeNode(to, start)
	return to
}

// kept is a set of reasons why a record stores more than the key.
type kept uint8

const (
	keptStored kept = 1 << iota
	keptHighlight
)

// keptOf returns the reasons why a record stores the values of a field.
func keptOf(f *definition.ResolvedField) kept {
	var k kept
	if f.Stored && !f.PrimaryKey {
		k |= keptStored
	}
	if keepHighlight(f) {
		k |= keptHighlight
	}
	return k
}

// keep reports whether a tree holds the values of a scalar field.
type keep func(*definition.ResolvedField) bool

func keepAll(*definition.ResolvedField) bool      { return true }
func keepStored(f *definition.ResolvedField) bool { return f.Stored || f.PrimaryKey }
func keepHighlight(f *definition.ResolvedField) bool {
	return !f.Stored && (f.Matching != nil && f.Matching.Highlight ||
		f.Matching == nil && f.Autocomplete != nil && f.Autocomplete.Highlight)
}

// open begins a node; closeNode fills in its size.
func open(to []byte, kind byte) ([]byte, int) {
	to = append(to, kind, 0, 0, 0, 0)
	return to, len(to)
}

func closeNode(to []byte, start int) {
	binary.LittleEndian.PutUint32(to[start-4:], uint32(len(to)-start))
}

func appendName(to []byte, name string) []byte {
	to = binary.AppendUvarint(to, uint64(len(name)))
	return append(to, name...)
}

func appendScalar(to, raw []byte) []byte {
	to = append(to, scalarNode)
	if isObject(raw) || isList(raw) { // in points and vectors, spaces occur only between tokens
		raw = bytes.Join(bytes.Fields(raw), nil)
	}
	to = binary.AppendUvarint(to, uint64(len(raw)))
	return append(to, raw...)
}

// appendObject appends the node of an object value and reports whether it holds
// anything. It omits null members, signals, and fields that kept rejects.
func appendObject(to, raw []byte, of *definition.ResolvedField, kept keep) ([]byte, bool) {
	to, start := open(to, objectNode)
	any := false
	var scratch []byte
	for it := jsonread.Members(raw); it.Next(); {
		if isNull(it.Value()) {
			continue
		}
		f := of.ChildOf(it.Name(&scratch))
		if f == nil || f.Signal {
			continue
		}
		var held bool
		to, held = appendMember(to, f.Name, it.Value(), f, kept)
		any = any || held
	}
	closeNode(to, start)
	return to, any
}

// appendMember appends a member unless it would be empty, and reports whether it
// did.
func appendMember(to []byte, name string, raw []byte, f *definition.ResolvedField, kept keep) ([]byte, bool) {
	before := len(to)
	to, held := appendField(appendName(to, name), raw, f, kept)
	if !held {
		to = to[:before]
	}
	return to, held
}

func appendField(to, raw []byte, f *definition.ResolvedField, kept keep) ([]byte, bool) {
	if f.Type == definition.Object {
		if !isList(raw) {
			to, held := appendObject(to, raw, f, kept)
			return to, held || kept(f)
		}
		to, start := open(to, listNode)
		any := kept(f)
		for it := jsonread.Items(raw); it.Next(); {
			if isNull(it.Value()) {
				continue
			}
			var held bool
			to, held = appendObject(to, it.Value(), f, kept) // keep empty ones to preserve positions
			any = any || held
		}
		closeNode(to, start)
		return to, any
	}
	if !kept(f) {
		return to, false
	}
	if f.PrimaryKey {
		return append(to, keyNode), true
	}
	if f.Locales == nil || !isObject(raw) || f.Type == definition.GeoPoint && isPoint(raw) {
		return appendValues(to, raw, f), true
	}
	to, start := open(to, variantsNode)
	any := false
	for it := jsonread.Members(raw); it.Next(); {
		variant, ok := resolveVariant(f, jsonread.String(it.RawName()))
		if !ok || isNull(it.Value()) {
			continue
		}
		to = appendName(to, variant)
		to = appendValues(to, it.Value(), f)
		any = true
	}
	closeNode(to, start)
	return to, any
}

func appendValues(to, raw []byte, f *definition.ResolvedField) []byte {
	if !isList(raw) || f.Type == definition.Vector {
		return appendScalar(to, raw)
	}
	to, start := open(to, listNode)
	for it := jsonread.Items(raw); it.Next(); {
		if !isNull(it.Value()) {
			to = appendScalar(to, it.Value())
		}
	}
	closeNode(to, start)
	return to
}

// OpenRecord reads the frame of a record. The record refers to data.
func OpenRecord(data []byte) (Record, error) {
	if len(data) == 0 || data[0]&0x0f != byte(format.Record.Version) {
		return Record{}, fmt.Errorf("document record: unknown version")
	}
	r := Record{source: data[0]&recordHasSource != 0}
	c := cursor{data: data[1:]}
	n, ok := c.node()
	if !ok || n.kind != objectNode {
		return Record{}, fmt.Errorf("document record: damaged root")
	}
	r.root = n.data
	if data[0]&recordHighlights != 0 {
		if n, ok = c.node(); !ok || n.kind != objectNode {
			return Record{}, fmt.Errorf("document record: damaged highlight texts")
		}
		r.highlights = n.data
	}
	if data[0]&recordKey != 0 {
		r.key = c.data
	}
	return r, nil
}

// Key returns the raw JSON of the primary key, or nothing when the record has none.
func (r Record) Key() []byte { return r.key }

// HasSource reports whether the record holds the whole document.
func (r Record) HasSource() bool { return r.source }

// node is one value of a record.
type node struct {
	kind byte
	data []byte
}

// cursor walks consecutive nodes. Damaged bytes end the walk.
type cursor struct {
	data []byte
	key  []byte // raw JSON that a key node stands for
}

func (c *cursor) node() (node, bool) {
	if len(c.data) == 0 {
		return node{}, false
	}
	kind := c.data[0]
	if kind == keyNode && len(c.key) > 0 {
		c.data = c.data[1:]
		return node{scalarNode, c.key}, true
	}
	var size uint64
	var head int
	if kind == scalarNode {
		var n int
		size, n = binary.Uvarint(c.data[1:])
		if n <= 0 {
			return node{}, false
		}
		head = 1 + n
	} else {
		if len(c.data) < 5 {
			return node{}, false
		}
		size, head = uint64(binary.LittleEndian.Uint32(c.data[1:])), 5
	}
	if size > uint64(len(c.data)-head) {
		return node{}, false
	}
	end := head + int(size)
	n := node{kind, c.data[head:end]}
	c.data = c.data[end:]
	return n, true
}

func (c *cursor) member() (name []byte, n node, ok bool) {
	size, used := binary.Uvarint(c.data)
	if used <= 0 || size > uint64(len(c.data)-used) {
		return nil, node{}, false
	}
	name = c.data[used : used+int(size)]
	c.data = c.data[used+int(size):]
	n, ok = c.node()
	return name, n, ok
}

func find(c cursor, wanted string) (node, bool) {
	for {
		name, n, ok := c.member()
		if !ok {
			return node{}, false
		}
		if string(name) == wanted {
			return n, true
		}
	}
}
