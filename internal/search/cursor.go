package search

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"strconv"

	"github.com/quiresearch/quire/internal/format"
	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/problem"
)

// Kinds of cursors; the kind is the second byte.
const (
	positionCursor = 1
	offsetCursor   = 2
)

// Tags of the values in a position cursor.
const (
	missingValue = iota
	numberValue
	floatValue
	textValue
)

// maxCursorValues bounds the number of values a cursor may claim to hold.
const maxCursorValues = 64

// cursor is a place in the order of hits: a position under one order, or a
// number of hits to skip under any.
type cursor struct {
	isOffset    bool
	offset      int
	fingerprint uint32
	values      []collect.Value
	kinds       []byte // tag of each value
	// standing is the standing of the hit in the order of the index. It breaks ties
	// between hits with equal values and survives merges of segments.
	standing uint64
}

var cursorText = base64.RawURLEncoding.Strict()

// encodeOffset returns the cursor that skips offset hits.
func encodeOffset(offset int) string {
	raw := binary.AppendUvarint([]byte{byte(format.Cursor.Version), offsetCursor}, uint64(offset))
	return cursorText.EncodeToString(raw)
}

// encodePosition returns the cursor of a hit under an order: its values and
// standing.
func encodePosition(fingerprint uint32, keys []collect.Key, values []collect.Value, standing uint64) string {
	var buffer [64]byte
	raw := append(buffer[:0], byte(format.Cursor.Version), positionCursor)
	raw = binary.BigEndian.AppendUint32(raw, fingerprint)
	raw = binary.AppendUvarint(raw, standing)
	raw = binary.AppendUvarint(raw, uint64(len(values)))
	for i, v := range values {
		switch tag := valueTag(keys[i].Kind); {
		case v.Missing:
			raw = append(raw, missingValue)
		case tag == numberValue:
			raw = binary.AppendVarint(append(raw, numberValue), v.Number)
		case tag == floatValue:
			raw = binary.BigEndian.AppendUint64(append(raw, floatValue), math.Float64bits(v.Float))
		default:
			raw = binary.AppendUvarint(append(raw, textValue), uint64(len(v.Text)))
			raw = append(raw, v.Text...)
		}
	}
	return cursorText.EncodeToString(raw)
}

func valueTag(kind collect.KeyKind) byte {
	switch kind {
	case collect.ByNumber:
		return numberValue
	case collect.ByText:
		return textValue
	}
	return floatValue
}

// decodeCursor decodes a cursor. The error is search:cursor:invalid.
func decodeCursor(text string, at problem.Path) (*cursor, error) {
	invalid := problem.SearchCursorInvalid.At(at)
	raw, err := cursorText.DecodeString(text)
	if err != nil || len(raw) < 2 || raw[0] != byte(format.Cursor.Version) {
		return nil, invalid
	}
	c := &cursor{isOffset: raw[1] == offsetCursor}
	r := cursorReader{raw: raw[2:]}
	switch raw[1] {
	case offsetCursor:
		offset := r.uvarint()
		if offset > math.MaxInt32 {
			return nil, invalid
		}
		c.offset = int(offset)
	case positionCursor:
		c.fingerprint = uint32(r.fixed(4))
		standing, count := r.uvarint(), r.uvarint()
		if count > maxCursorValues {
			return nil, invalid
		}
		c.standing = standing
		for range count {
			v, tag := r.value()
			c.values = append(c.values, v)
			c.kinds = append(c.kinds, tag)
		}
	default:
		return nil, invalid
	}
	if r.failed || len(r.raw) != 0 {
		return nil, invalid
	}
	return c, nil
}

// check verifies that a position cursor fits the order it is used under.
func (c *cursor) check(fingerprint uint32, keys []collect.Key, at problem.Path) error {
	if c.fingerprint != fingerprint {
		return problem.SearchCursorSortMismatch.At(at)
	}
	if len(c.kinds) != len(keys) {
		return problem.SearchCursorStale.At(at)
	}
	for i, tag := range c.kinds {
		if tag != valueTag(keys[i].Kind) && (tag != missingValue || keys[i].Kind == collect.ByScore) {
			return problem.SearchCursorStale.At(at)
		}
	}
	return nil
}

// after returns the position that the hits after the cursor follow. The document
// the cursor was made from may no longer exist.
func (c *cursor) after(view *snapshot.Snapshot) *collect.Position {
	if c.standing == math.MaxUint64 {
		return &collect.Position{Values: c.values, Doc: int64(view.MaxDoc)}
	}
	return &collect.Position{Values: c.values, Doc: int64(view.FromStanding(c.standing+1)) - 1}
}

// before returns the position that the hits before the cursor precede.
func (c *cursor) before(view *snapshot.Snapshot) *collect.Position {
	return &collect.Position{Values: c.values, Doc: int64(view.FromStanding(c.standing))}
}

// cursorReader decodes the bytes of a cursor.
type cursorReader struct {
	raw    []byte
	failed bool
}

func (r *cursorReader) uvarint() uint64 {
	v, n := binary.Uvarint(r.raw)
	if n <= 0 {
		r.failed, r.raw = true, nil
		return 0
	}
	r.raw = r.raw[n:]
	return v
}

func (r *cursorReader) varint() int64 {
	v, n := binary.Varint(r.raw)
	if n <= 0 {
		r.failed, r.raw = true, nil
		return 0
	}
	r.raw = r.raw[n:]
	return v
}

// fixed reads a big-endian number of four or eight bytes.
func (r *cursorReader) fixed(size int) uint64 {
	if len(r.raw) < size {
		r.failed, r.raw = true, nil
		return 0
	}
	var v uint64
	for _, b := range r.raw[:size] {
		v = v<<8 | uint64(b)
	}
	r.raw = r.raw[size:]
	return v
}

func (r *cursorReader) value() (collect.Value, byte) {
	if len(r.raw) == 0 {
		r.failed = true
		return collect.Value{}, missingValue
	}
	tag := r.raw[0]
	r.raw = r.raw[1:]
	switch tag {
	case missingValue:
		return collect.Value{Missing: true}, tag
	case numberValue:
		return collect.Value{Number: r.varint()}, tag
	case floatValue:
		f := math.Float64frombits(r.fixed(8))
		r.failed = r.failed || math.IsNaN(f)
		return collect.Value{Float: f}, tag
	case textValue:
		size := r.uvarint()
		if size > uint64(len(r.raw)) {
			r.failed, r.raw = true, nil
			return collect.Value{}, tag
		}
		text := r.raw[:size:size]
		r.raw = r.raw[size:]
		return collect.Value{Text: text}, tag
	}
	r.failed = true
	return collect.Value{}, tag
}

// fingerprint identifies an order: the kind of hit, and the field, direction and
// origin of every key. It omits the type of a field, so that a position with values
// of another type is reported as stale, not as a position of another order.
func (o *order) fingerprint(hitKind string) uint32 {
	h := hashed(fnvOffset, hitKind)
	for i := range o.keys {
		key := &o.keys[i]
		kind := key.Kind
		if kind == collect.ByText {
			kind = collect.ByNumber
		}
		h = hashed(h, [4]byte{0, byte(kind), boolByte(key.Descending), boolByte(key.MissingFirst)})
		h = hashed(h, o.names[i])
		if key.Kind == collect.ByDistance {
			h = hashed(h, strconv.FormatFloat(key.Lat, 'g', -1, 64)+","+strconv.FormatFloat(key.Lon, 'g', -1, 64))
		}
	}
	return h
}

const (
	fnvOffset = 2166136261
	fnvPrime  = 16777619
)

// hashed extends the FNV-1a hash h by bytes.
func hashed[B string | [4]byte](h uint32, bytes B) uint32 {
	for i := range len(bytes) {
		h = (h ^ uint32(bytes[i])) * fnvPrime
	}
	return h
}

func boolByte(b bool) byte {
	if b {
		return 1
	}
	return 0
}
