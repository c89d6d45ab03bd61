package segment

import (
	"errors"
	"fmt"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/segment/columns"
	"github.com/quiresearch/quire/internal/segment/stored"
	"github.com/quiresearch/quire/internal/vfs"
)

// FieldID identifies a field of a Builder.
type FieldID int

// Builder collects documents in memory and writes them as one segment:
//
//	f := b.Field(FieldOptions{…})
//	b.StartDoc()
//	b.Term(f, …)  b.Number(g, …)  b.Stored(…)
//	doc := b.EndDoc(true)
//	info, err := b.Finish(fs, name)
//
// Misuse and overflow are remembered and returned by Finish. A Builder belongs to
// one goroutine.
type Builder struct {
	fields  []*builderField
	byKey   map[fieldKey]FieldID
	chains  chains
	docs    uint32
	roots   uint32
	open    bool
	nested  bool // some document is not a root
	last    bool // the last document is a root
	parents []uint64
	stored  *stored.Writer
	packed  memoryOutput
	record  []byte
	key     []byte // of the open document, from the first Key field
	keyID   FieldID
	cut     []byte
	some    bool // some document has a record
	err     error

	changed []*builderField // since the last call of Bytes
	counted int64           // bytes of fields at that time

	hashes  [AheadTerms]uint64 // of Terms
	ahead   [AheadTerms]uint32
	touched uint32
	codes   []byte // of lengths, while a field is written
}

// builderField is one declared field with the values collected for it; only the
// members for its kind are used.
type builderField struct {
	FieldOptions
	dict    *dictionary
	forms   *dictionary // surface forms, each with the number of its term as doc; nil if there are none
	sumLen  uint64
	withDoc uint32   // documents with a term
	lastDoc uint32   // plus one
	docs    []uint32 // documents with a value or a length; with many fields, most are in few documents
	lengths []uint32
	numbers []int64
	ids     []uint32
	points  []columns.Point
	vectors []float32

	isChanged bool  // it is in Builder.changed
	counted   int64 // its bytes at the last count
}

// memoryOutput keeps packed records until the file is written, in pieces that do
// not move as it grows.
type memoryOutput struct {
	full   [][]byte
	open   []byte
	length int64
}

// outputPiece is the size of a piece. The first piece grows as needed.
const outputPiece = 256 << 10

func (m *memoryOutput) Write(p []byte) (int, error) {
	if len(m.open) > 0 && len(m.open)+len(p) > outputPiece {
		m.full = append(m.full, m.open)
		m.open = make([]byte, 0, max(outputPiece, len(p)))
	}
	m.open = append(m.open, p...)
	m.length += int64(len(p))
	return len(p), nil
}

func (m *memoryOutput) Offset() int64 { return m.length }

// bytes returns approximately the memory in use.
func (m *memoryOutput) bytes() int64 {
	return m.length - int64(len(m.open)) + int64(cap(m.open))
}

// section writes the content as a section.
func (m *memoryOutput) section(out *blockfile.Writer, id blockfile.ID) {
	out.Begin(id)
	for _, piece := range m.full {
		out.Write(piece) // errors are kept in out
	}
	out.Write(m.open)
}

// NewBuilder returns an empty builder.
func NewBuilder() *Builder { return &Builder{byKey: map[fieldKey]FieldID{}, keyID: -1} }

// Field declares a field, or returns the FieldID of the one already declared with
// this kind and name; the options of the first declaration hold.
func (b *Builder) Field(o FieldOptions) FieldID {
	if id, ok := b.byKey[o.key()]; ok {
		return id
	}
	f := &builderField{FieldOptions: o.normal()}
	switch o.Kind {
	case Terms, Ordinals:
		f.dict = newDictionary()
	case Numbers, Geo:
	case Vector:
		if o.Vectors.Dimensions <= 0 {
			b.fail("field %q: %d dimensions", o.Name, o.Vectors.Dimensions)
		}
	default:
		b.fail("field %q: %v", o.Name, o.Kind)
	}
	id := FieldID(len(b.fields))
	b.fields = append(b.fields, f)
	b.byKey[o.key()] = id
	b.change(id)
	if f.Key && b.keyID < 0 {
		b.keyID = id
	}
	return id
}

func (b *Builder) fail(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf(format, args...)
	}
}

// StartDoc begins a document. Nested documents come before their parent, each as a
// document of its own.
func (b *Builder) StartDoc() {
	if b.open {
		b.fail("a document begins inside of another")
	}
	b.open = true
}

// change returns a field whose memory is about to change.
func (b *Builder) change(id FieldID) *builderField {
	f := b.fields[id]
	if !f.isChanged {
		f.isChanged = true
		b.changed = append(b.changed, f)
	}
	return f
}

// Term adds an occurrence. The positions of one term in one document must not
// decrease; a lower one is replaced by the last one. The result can be passed to
// Again.
func (b *Builder) Term(id FieldID, term []byte, position uint32) TermID {
	f := b.change(id)
	if id == b.keyID {
		b.key = append(b.key[:0], term...)
	}
	n, fresh := f.dict.find(term)
	b.occur(f, f.dict.entry(n), fresh, position)
	return TermID(n)
}

// TermID identifies a term in a field of a Builder.
type TermID uint32

// Again adds an occurrence of a term that the field already holds. The field must
// not be a Key field.
func (b *Builder) Again(id FieldID, term TermID, position uint32) {
	f := b.fields[id]
	b.occur(f, f.dict.entry(uint32(term)), false, position)
}

// Occurrence is a term at a position. Form is the spelling in the document if that
// differs, nil otherwise; a form belongs to the first term it came with.
type Occurrence struct {
	Term     []byte
	Form     []byte
	Position uint32
}

// Terms is Term for several occurrences. For many it is faster, because it
// prefetches the memory that the look-ups will touch.
func (b *Builder) Terms(id FieldID, occurrences []Occurrence) {
	if id == b.keyID {
		b.fail("keys are added one by one")
		return
	}
	f := b.change(id)
	for len(occurrences) > 0 {
		n := min(len(occurrences), len(b.hashes))
		b.terms(f, occurrences[:n])
		occurrences = occurrences[n:]
	}
}

// AheadTerms is the number of occurrences that Terms prefetches at once.
const AheadTerms = 64

func (b *Builder) terms(f *builderField, occurrences []Occurrence) {
	d := f.dict
	hashes := b.hashes[:len(occurrences)]
	// The loads of one pass are independent of each other.
	for i := range occurrences {
		hashes[i] = d.hash(occurrences[i].Term)
	}
	ahead := b.ahead[:len(hashes)]
	for i, h := range hashes {
		ahead[i] = d.likely(h)
	}
	var touched uint32
	for _, n := range ahead {
		if n != 0 {
			touched += d.entry(n - 1).pos
		}
	}
	b.touched += touched // so that the loads are not optimized away
	for i := range occurrences {
		o := &occurrences[i]
		n, fresh := d.findHashed(o.Term, hashes[i])
		b.occur(f, d.entry(n), fresh, o.Position)
		if o.Form != nil {
			f.form(o.Form, n)
		}
	}
}

// form records a spelling of a term in documents.
func (f *builderField) form(form []byte, term uint32) {
	if f.forms == nil {
		f.forms = newDictionary()
	}
	if n, fresh := f.forms.find(form); fresh {
		f.forms.entry(n).doc = term
	}
}

// occur adds an occurrence of the term in entry e.
func (b *Builder) occur(f *builderField, e *dictEntry, fresh bool, position uint32) {
	doc := b.docs
	newDoc := fresh || e.doc != doc
	if newDoc && f.lastDoc != doc+1 {
		f.lastDoc = doc + 1
		f.withDoc++
	}
	switch {
	case f.Positions:
		// An occurrence: twice the position delta, plus one when it is the first in
		// a document, followed by the document delta.
		if newDoc {
			step := doc - e.doc
			if fresh {
				step = doc
			}
			b.chains.putVarints(&e.chain, uint64(position)<<1|1, step)
			e.doc, e.last = doc, position
			return
		}
		position = max(position, e.last)
		b.chains.putVarint(&e.chain, uint64(position-e.last)<<1)
		e.last = position
	case f.Freqs:
		// A document: its delta, then its frequency, once the next document comes.
		switch {
		case fresh:
			e.doc, e.last = doc, 1
			b.chains.putVarint(&e.chain, uint64(doc))
		case newDoc:
			b.chains.putVarints(&e.chain, uint64(e.last), doc-e.doc)
			e.doc, e.last = doc, 1
		default:
			e.last++
		}
	case newDoc:
		step := doc - e.doc
		if fresh {
			step = doc
		}
		b.chains.putVarint(&e.chain, uint64(step))
		e.doc = doc
	}
}

// Length adds to the length of a Terms field in this document.
func (b *Builder) Length(id FieldID, n uint32) {
	f := b.change(id)
	if !f.Lengths {
		return
	}
	f.sumLen += uint64(n)
	if last := len(f.docs) - 1; last >= 0 && f.docs[last] == b.docs {
		f.lengths[last] += n
		return
	}
	f.docs, f.lengths = append(f.docs, b.docs), append(f.lengths, n)
}

// Number adds a value; in a single-valued field the last one wins.
func (b *Builder) Number(id FieldID, v int64) {
	f := b.change(id)
	f.docs, f.numbers = append(f.docs, b.docs), append(f.numbers, v)
}

// Ordinal adds a value; in a single-valued field the last one wins.
func (b *Builder) Ordinal(id FieldID, v []byte) {
	f := b.change(id)
	n, _ := f.dict.find(v)
	if last := len(f.docs) - 1; !f.Multi && last >= 0 && f.docs[last] == b.docs {
		f.ids[last] = n
		return
	}
	f.docs, f.ids = append(f.docs, b.docs), append(f.ids, n)
}

// Geo adds a point in degrees; in a single-valued field the last one wins.
func (b *Builder) Geo(id FieldID, lat, lon float64) {
	f := b.change(id)
	p := columns.EncodeGeo(lat, lon)
	if last := len(f.docs) - 1; !f.Multi && last >= 0 && f.docs[last] == b.docs {
		f.points[last] = p
		return
	}
	f.docs, f.points = append(f.docs, b.docs), append(f.points, p)
}

// Vector sets the vector of this document and copies it.
func (b *Builder) Vector(id FieldID, v []float32) {
	f := b.change(id)
	if len(v) != f.Vectors.Dimensions {
		b.fail("field %q: a vector of %d numbers, not %d", f.Name, len(v), f.Vectors.Dimensions)
		return
	}
	if last := len(f.docs) - 1; last >= 0 && f.docs[last] == b.docs {
		copy(f.vectors[last*f.Vectors.Dimensions:], v)
		return
	}
	f.docs, f.vectors = append(f.docs, b.docs), append(f.vectors, v...)
}

// Stored sets the record of this document and copies it.
func (b *Builder) Stored(record []byte) { b.record = append(b.record[:0], record...) }

// EndDoc ends the document and returns its number. parent is true for a root, and false
// for a document nested in the next root.
func (b *Builder) EndDoc(parent bool) DocID {
	if !b.open {
		b.fail("a document ends that did not begin")
	}
	doc := b.docs
	if doc >= MaxDocs || b.chains.full() {
		b.fail("too much for one segment: %d documents", doc)
	}
	if b.stored == nil {
		w, err := stored.NewWriter(&b.packed)
		if err != nil {
			b.fail("%v", err)
			return doc
		}
		b.stored = w
	}
	b.cut = b.cut[:0]
	if len(b.record) > 0 {
		b.cut = appendCut(b.cut, b.record, b.key)
		b.some = true
	}
	b.stored.Add(b.cut)
	b.record, b.key = b.record[:0], b.key[:0]
	if doc%64 == 0 {
		b.parents = append(b.parents, 0)
	}
	if parent {
		b.parents[doc/64] |= 1 << (doc % 64)
		b.roots++
	} else {
		b.nested = true
	}
	b.last, b.open = parent, false
	b.docs++
	return doc
}

// Docs returns the number of documents, nested ones included.
func (b *Builder) Docs() uint32 { return b.docs }

// Bytes estimates the memory in use. Its cost depends on the number of fields
// changed since the last call, not on all fields.
func (b *Builder) Bytes() int64 {
	for _, f := range b.changed {
		now := f.bytes()
		b.counted += now - f.counted
		f.counted, f.isChanged = now, false
	}
	b.changed = b.changed[:0]
	n := b.counted + b.chains.bytes() + b.packed.bytes() + int64(8*cap(b.parents))
	if b.stored != nil {
		n += int64(b.stored.Bytes())
	}
	return n
}

// leastField is roughly the memory of a field before its first value, including its
// entries in maps.
const leastField = 512

// bytes estimates the memory in use.
func (f *builderField) bytes() int64 {
	n := int64(leastField + 4*cap(f.lengths) + 4*cap(f.docs) + 8*cap(f.numbers) + 4*cap(f.ids) + 8*cap(f.points) + 4*cap(f.vectors))
	if f.dict != nil {
		n += f.dict.bytes()
	}
	if f.forms != nil {
		n += f.forms.bytes()
	}
	return n
}

// Finish writes everything to the named file and syncs it (but not the directory).
// It leaves the builder empty: fields must be declared again. A builder without
// documents is an error.
func (b *Builder) Finish(fs vfs.FS, name string) (Info, error) {
	defer func() { *b = *NewBuilder() }()
	if b.docs == 0 {
		b.fail("no documents")
	}
	if b.open || !b.last {
		b.fail("SG2: the last document is not complete")
	}
	if b.err != nil {
		return Info{}, fmt.Errorf("build segment %s: %w", name, b.err)
	}
	info := Info{Docs: b.docs, Roots: b.roots}
	summary, err := create(fs, name, b.write)
	info.Summary = summary
	if err != nil {
		return Info{}, err
	}
	return info, nil
}

func (b *Builder) write(out *blockfile.Writer) error {
	m := meta{docs: b.docs, roots: b.roots}
	if b.nested {
		parents := bitset.FromWords(b.parents, b.docs)
		out.Section(blockfile.ID{Part: partParents}, parents.AppendBytes(nil))
	}
	if b.stored != nil {
		index, err := b.stored.Finish()
		if err != nil {
			return err
		}
		if b.some {
			b.packed.section(out, blockfile.ID{Part: stored.PartData})
			out.Section(blockfile.ID{Part: stored.PartBlocks}, index)
		}
	}
	for _, f := range b.fields {
		if f.empty() {
			continue
		}
		m.fields = append(m.fields, f.FieldOptions)
		if err := f.write(out, uint32(len(m.fields)), b); err != nil {
			return fmt.Errorf("field %q: %w", f.Name, err)
		}
	}
	out.Section(blockfile.ID{Part: partMeta}, m.encode())
	return out.Err()
}

var errChain = errors.New("a chain of postings is damaged")
