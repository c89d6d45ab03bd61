package segment

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/format"
	"github.com/quiresearch/quire/internal/segment/columns"
	"github.com/quiresearch/quire/internal/segment/points"
	"github.com/quiresearch/quire/internal/segment/stored"
	"github.com/quiresearch/quire/internal/segment/terms"
	"github.com/quiresearch/quire/internal/segment/vectors"
	"github.com/quiresearch/quire/internal/vfs"
)

// Reader is an open segment. It is reference-counted: the opener holds one
// reference, and a caller that uses it longer takes its own.
type Reader struct {
	mapping *vfs.Mapping
	file    *blockfile.Reader
	meta    meta
	parents *bitset.Bitset
	records *Records
	keys    *terms.Field // the first Key field, nil when there is none

	standings standings
	merged    mergedTerms
	verified  atomic.Bool // everything has been verified

	order  []uint32                     // indexes of fields in meta and opened, by kind and name
	opened []atomic.Pointer[structures] // nil for a field that has not been used
}

// structures are those of one field, opened on first use: a segment may have
// thousands of fields, and a search needs few.
type structures struct {
	once   sync.Once
	values any // *terms.Field, *columns.Numbers, …
	points any // *points.Numbers or *points.Geo, if there are any
	err    error
}

// Open opens a segment file. With blockfile.VerifyAll it checks every checksum now,
// with blockfile.VerifyUsed those of a part before its first use: no bytes with a
// wrong checksum are ever used.
func Open(fs vfs.FS, name string, verify blockfile.Verification) (*Reader, error) {
	m, err := fs.Map(name)
	if err != nil {
		return nil, fmt.Errorf("open segment: %w", err)
	}
	r, err := open(m, verify)
	if err != nil {
		m.Release()
		return nil, err
	}
	r.verified.Store(verify != blockfile.VerifyUsed)
	if verify == blockfile.VerifyAll {
		m.Forget()
	}
	return r, nil
}

// aligned returns data at an address aligned for integers, copied if necessary.
func aligned(data []byte) []byte {
	if uintptr(unsafe.Pointer(unsafe.SliceData(data)))%8 == 0 {
		return data
	}
	words := make([]uint64, len(data)/8+1)
	out := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(data))
	copy(out, data)
	return out
}

func open(m *vfs.Mapping, verify blockfile.Verification) (*Reader, error) {
	file, err := blockfile.Open(m.Name(), aligned(m.Bytes()), format.Segment.Mark, format.Segment.Oldest, format.Segment.Version, verify)
	if err != nil {
		return nil, err
	}
	r := &Reader{mapping: m, file: file}
	for _, part := range []uint16{partMeta, partParents, partStandings, stored.PartBlocks} {
		if err := file.Check(blockfile.ID{Part: part}); err != nil {
			return nil, err
		}
	}
	metaID := blockfile.ID{Part: partMeta}
	data, ok := file.Section(metaID)
	if ok {
		r.meta, ok = decodeMeta(data)
	}
	if !ok {
		return nil, blockfile.Corrupt(m.Name(), file.Offset(metaID), "description of the segment")
	}
	if data, ok := file.Section(blockfile.ID{Part: partParents}); ok {
		set, ok := bitset.FromBytes(data, r.meta.docs)
		if !ok || set.Count() != int(r.meta.roots) || !set.Get(r.meta.docs-1) {
			return nil, blockfile.Corrupt(m.Name(), file.Offset(blockfile.ID{Part: partParents}), "parents")
		}
		r.parents = set
	} else if r.meta.docs != r.meta.roots {
		return nil, blockfile.Corrupt(m.Name(), file.Offset(metaID), "%d documents, %d roots and no parents", r.meta.docs, r.meta.roots)
	}
	if err := r.readStandings(); err != nil {
		return nil, err
	}
	r.opened = make([]atomic.Pointer[structures], len(r.meta.fields))
	r.order = make([]uint32, len(r.meta.fields))
	for i, f := range r.meta.fields {
		r.order[i] = uint32(i)
		if f.Key && r.keys == nil {
			s := r.field(i)
			if s.err != nil {
				return nil, s.err
			}
			r.keys = s.values.(*terms.Field)
		}
	}
	slices.SortFunc(r.order, func(a, b uint32) int { return r.meta.fields[a].key().compare(r.meta.fields[b].key()) })
	packed, err := stored.Open(file, 0, r.meta.docs)
	if err != nil {
		return nil, err
	}
	if packed != nil {
		r.records = &Records{packed: packed, keys: r.keys, file: file}
	}
	return r, nil
}

// check verifies the checksums of an owner's sections before their first use.
// Damaged bytes are reported like bytes that cannot be read.
func (r *Reader) check(owner uint32) error {
	if err := r.file.CheckOwner(owner); err != nil {
		return fmt.Errorf("%w: %w", vfs.ErrFault, err)
	}
	return nil
}

// Verify checks every checksum that was deferred to the first use of a part, and
// returns the first error.
func (r *Reader) Verify(ctx context.Context) error {
	if r.verified.Load() {
		return nil
	}
	defer r.mapping.Forget()
	for owner := range uint32(len(r.opened) + 1) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.check(owner); err != nil {
			return err
		}
	}
	r.verified.Store(true)
	return nil
}

// IsVerified reports whether everything has been verified. Until then, the first
// use of a part takes time proportional to its size.
func (r *Reader) IsVerified() bool { return r.verified.Load() }

// field opens a field if it is not open yet.
func (r *Reader) field(i int) *structures {
	s := r.opened[i].Load()
	if s == nil {
		s = new(structures)
		if !r.opened[i].CompareAndSwap(nil, s) {
			s = r.opened[i].Load()
		}
	}
	s.once.Do(func() {
		// A fault is kept like any other error: the field stays closed.
		s.err = vfs.Protect(func() (err error) {
			if err := r.check(uint32(i + 1)); err != nil {
				return err
			}
			s.values, s.points, err = r.openField(r.meta.fields[i], uint32(i+1))
			return err
		})
	})
	return s
}

// find opens a field by name and returns nil when the segment has none. If the
// field cannot be opened although its checksums match, the bytes were not written
// by this program: find then panics with an error that wraps blockfile.ErrCorrupt,
// see vfs.Protect.
func (r *Reader) find(kind Kind, name string) *structures {
	i, ok := slices.BinarySearchFunc(r.order, fieldKey{kind, name}, func(i uint32, key fieldKey) int {
		return r.meta.fields[i].key().compare(key)
	})
	if !ok {
		return nil
	}
	s := r.field(int(r.order[i]))
	if s.err != nil {
		panic(s.err)
	}
	return s
}

// openAll opens every field and returns the first error.
func (r *Reader) openAll() error {
	for i := range r.opened {
		if err := r.field(i).err; err != nil {
			return err
		}
	}
	return nil
}

func (r *Reader) openField(f FieldOptions, owner uint32) (values, index any, err error) {
	docs := r.meta.docs
	switch f.Kind {
	case Terms:
		values, err = terms.Open(r.file, owner, docs, f.terms())
	case Numbers:
		if values, err = columns.OpenNumbers(r.file, owner, docs, f.Multi); err == nil && f.Points {
			index, err = points.OpenNumbers(r.file, owner, docs)
		}
	case Ordinals:
		values, err = columns.OpenOrdinals(r.file, owner, docs, f.Multi)
	case Geo:
		if values, err = columns.OpenGeo(r.file, owner, docs, f.Multi); err == nil && f.Points {
			index, err = points.OpenGeo(r.file, owner, docs)
		}
	case Vector:
		values, err = r.openVectors(f, owner)
	}
	return values, index, err
}

func (r *Reader) openVectors(f FieldOptions, owner uint32) (*vectors.Reader, error) {
	id := blockfile.ID{Owner: owner, Part: columns.PartValues}
	data, _ := r.file.Section(id)
	column, err := vectors.Open(data)
	if err == nil && (column.Options().Dimensions != f.Vectors.Dimensions ||
		column.Len() > 0 && column.Doc(column.Len()-1) >= r.meta.docs) {
		err = vectors.ErrCorrupt
	}
	if err != nil {
		return nil, fmt.Errorf("%s at %d: %w: %w", r.file.Name(), r.file.Offset(id), blockfile.ErrCorrupt, err)
	}
	r.mapping.Scattered(column.Rescored())
	return column, nil
}

// Retain adds a reference; it returns false when the segment is closed already.
func (r *Reader) Retain() bool { return r.mapping.Retain() }

// Release drops a reference. The last one closes the segment, and nothing read from
// it may be used any more.
func (r *Reader) Release() error { return r.mapping.Release() }

// WhenClosed runs do when the last reference is dropped, for a caller that keeps
// something derived from the segment. Only the first call for each who counts.
func (r *Reader) WhenClosed(who any, do func()) { r.mapping.WhenReleased(who, do) }

// WhenDamaged sets a function that is called when a part is found damaged after the
// opening. It must not block, and must be set before the Reader is shared.
func (r *Reader) WhenDamaged(do func()) { r.file.WhenDamaged(do) }

// IsDamaged reports whether a part was found damaged after the opening.
func (r *Reader) IsDamaged() bool { return r.file.IsDamaged() }

// Name returns the name of the file.
func (r *Reader) Name() string { return r.file.Name() }

// Size returns the size of the file in bytes.
func (r *Reader) Size() int64 { return r.file.Size() }

// NumDocs returns the number of documents, nested ones included.
func (r *Reader) NumDocs() uint32 { return r.meta.docs }

// NumRoots returns the number of documents that are not nested.
func (r *Reader) NumRoots() uint32 { return r.meta.roots }

// Parents returns the set of documents that are not nested, nil when all are.
func (r *Reader) Parents() *bitset.Bitset { return r.parents }

// Parent returns the root that a document belongs to: itself, or the next root.
func (r *Reader) Parent(doc DocID) DocID {
	if r.parents == nil {
		return doc
	}
	return r.parents.Next(doc)
}

// Fields returns the fields that have values.
func (r *Reader) Fields() []FieldOptions { return r.meta.fields }

// Terms returns a Terms field, nil when the segment has none of that name: then no
// document has a value. The same holds for the methods below.
func (r *Reader) Terms(name string) *terms.Field {
	if s := r.find(Terms, name); s != nil {
		return s.values.(*terms.Field)
	}
	return nil
}

// Numbers returns a numbers column, nil when there is none.
func (r *Reader) Numbers(name string) *columns.Numbers {
	if s := r.find(Numbers, name); s != nil {
		return s.values.(*columns.Numbers)
	}
	return nil
}

// NumberPoints returns the range index of a numbers column, nil when there is none.
func (r *Reader) NumberPoints(name string) *points.Numbers {
	if s := r.find(Numbers, name); s != nil && s.points != nil {
		return s.points.(*points.Numbers)
	}
	return nil
}

// Ordinals returns an ordinals column, nil when there is none.
func (r *Reader) Ordinals(name string) *columns.Ordinals {
	if s := r.find(Ordinals, name); s != nil {
		return s.values.(*columns.Ordinals)
	}
	return nil
}

// Geo returns a geo column, nil when there is none.
func (r *Reader) Geo(name string) *columns.Geo {
	if s := r.find(Geo, name); s != nil {
		return s.values.(*columns.Geo)
	}
	return nil
}

// GeoPoints returns the region index of a geo column, nil when there is none.
func (r *Reader) GeoPoints(name string) *points.Geo {
	if s := r.find(Geo, name); s != nil && s.points != nil {
		return s.points.(*points.Geo)
	}
	return nil
}

// Vectors returns a vector column, nil when there is none.
func (r *Reader) Vectors(name string) *vectors.Reader {
	if s := r.find(Vector, name); s != nil {
		return s.values.(*vectors.Reader)
	}
	return nil
}

// Stored returns the records, nil when no document has one.
func (r *Reader) Stored() *Records { return r.records }
