// Package segment is an immutable set of documents in one file: terms with
// postings, columns, points, stored records and vectors.
//
// A Builder collects documents in memory and writes the file, a Reader opens it,
// Merge makes one file of several and leaves out deleted documents, Check verifies
// everything, Dump describes it. A segment knows named structures of bytes and
// numbers; the caller gives them meaning.
//
// A document may have nested ones: they are documents of their own, numbered
// directly before their parent. Such a block is never split.
//
// Invariants:
//
//	SG1  Documents are numbered from 0 without gaps.
//	SG2  The last document is a root; nested ones belong to the next root.
//	SG3  A Builder writes no field without values; a merge that drops the last
//	     value of a field may leave it empty.
//	SG4  Documents keep their order and their standings in a merge.
//
// A Builder is used by one goroutine; a Reader is safe for concurrent use.
//
// The bytes are described in FORMAT.md.
package segment

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/format"
	"github.com/quiresearch/quire/internal/segment/postings"
	"github.com/quiresearch/quire/internal/segment/terms"
	"github.com/quiresearch/quire/internal/segment/vectors"
	"github.com/quiresearch/quire/internal/vfs"
)

// DocID is the number of a document in its segment.
type DocID = uint32

// NoDoc marks a document that does not exist.
const NoDoc = ^DocID(0)

// Parts of the sections of the file itself, owner 0. Fields are owners 1, 2, ….
const (
	partMeta = iota + 1
	partParents
	partStandings
)

// MaxDocs is the largest number of documents in a segment.
const MaxDocs = 1<<31 - 1

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

// String returns the name of the kind.
func (k Kind) String() string {
	switch k {
	case Terms:
		return "terms"
	case Numbers:
		return "numbers"
	case Ordinals:
		return "ordinals"
	case Geo:
		return "geo"
	case Vector:
		return "vector"
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// FieldOptions declare a field. Options for other kinds are ignored.
type FieldOptions struct {
	Name string
	Kind Kind

	Freqs     bool // Terms: keep frequencies (implied by Positions)
	Positions bool // Terms: keep positions
	Lengths   bool // Terms: keep a length code per document
	Key       bool // Terms: exact look-up only, as for a primary key

	Multi  bool // Numbers, Ordinals, Geo: several values per document
	Points bool // Numbers, Geo: range index beside the column

	Vectors vectors.Options // Vector
}

type fieldKey struct {
	kind Kind
	name string
}

func (o *FieldOptions) key() fieldKey { return fieldKey{o.Kind, o.Name} }

func (k fieldKey) compare(other fieldKey) int {
	if c := cmp.Compare(k.kind, other.kind); c != 0 {
		return c
	}
	return strings.Compare(k.name, other.name)
}

// normal drops options of other kinds and sets implied ones.
func (o FieldOptions) normal() FieldOptions {
	n := FieldOptions{Name: o.Name, Kind: o.Kind}
	switch o.Kind {
	case Terms:
		n.Freqs, n.Positions, n.Lengths, n.Key = o.Freqs || o.Positions, o.Positions, o.Lengths, o.Key
	case Numbers, Geo:
		n.Multi, n.Points = o.Multi, o.Points
	case Ordinals:
		n.Multi = o.Multi
	case Vector:
		n.Vectors = o.Vectors
	}
	return n
}

func (o FieldOptions) terms() terms.Options {
	return terms.Options{
		Options: postings.Options{Freqs: o.Freqs, Positions: o.Positions},
		Lengths: o.Lengths,
		Key:     o.Key,
	}
}

// Info describes a finished segment file.
type Info struct {
	Docs  uint32 // documents, nested ones included
	Roots uint32 // documents that are not nested
	blockfile.Summary
}

// meta is the content of the meta section.
type meta struct {
	docs, roots uint32
	fields      []FieldOptions
}

const (
	flagFreqs = 1 << iota
	flagPositions
	flagLengths
	flagKey
	flagMulti
	flagPoints
)

func (m meta) encode() []byte {
	b := binary.AppendUvarint(nil, uint64(m.docs))
	b = binary.AppendUvarint(b, uint64(m.roots))
	b = binary.AppendUvarint(b, uint64(len(m.fields)))
	for _, f := range m.fields {
		flags := uint64(0)
		for flag, set := range map[uint64]bool{flagFreqs: f.Freqs, flagPositions: f.Positions, flagLengths: f.Lengths,
			flagKey: f.Key, flagMulti: f.Multi, flagPoints: f.Points} {
			if set {
				flags |= flag
			}
		}
		b = append(b, byte(f.Kind))
		b = binary.AppendUvarint(b, flags)
		if f.Kind == Vector {
			b = appendVectorOptions(b, f.Vectors)
		}
		b = binary.AppendUvarint(b, uint64(len(f.Name)))
		b = append(b, f.Name...)
	}
	return b
}

func appendVectorOptions(b []byte, o vectors.Options) []byte {
	for _, n := range []int{o.Dimensions, int(o.Similarity), int(o.Quantization), o.M, o.EfConstruction} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	return b
}

// decodeMeta decodes the output of encode; ok is false when it is malformed.
func decodeMeta(b []byte) (m meta, ok bool) {
	number := func() uint64 {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			ok = false
			b = nil
			return 0
		}
		b = b[n:]
		return v
	}
	ok = true
	text := string(b) // names are substrings of it
	docs, roots, fields := number(), number(), number()
	if docs > MaxDocs || roots > docs || fields > uint64(len(b)) {
		return m, false
	}
	m.docs, m.roots = uint32(docs), uint32(roots)
	m.fields = make([]FieldOptions, 0, fields)
	for range fields {
		if len(b) == 0 {
			return m, false
		}
		f := FieldOptions{Kind: Kind(b[0])}
		b = b[1:]
		flags := number()
		if f.Kind == Vector {
			f.Vectors = vectors.Options{Dimensions: int(number()), Similarity: vectors.Similarity(number()),
				Quantization: vectors.Quantization(number()), M: int(number()), EfConstruction: int(number())}
		}
		length := number()
		if !ok || length > uint64(len(b)) || f.Kind < Terms || f.Kind > Vector {
			return m, false
		}
		f.Freqs, f.Positions, f.Lengths = flags&flagFreqs != 0, flags&flagPositions != 0, flags&flagLengths != 0
		f.Key, f.Multi, f.Points = flags&flagKey != 0, flags&flagMulti != 0, flags&flagPoints != 0
		at := len(text) - len(b)
		f.Name, b = text[at:at+int(length)], b[length:]
		m.fields = append(m.fields, f)
	}
	return m, ok && len(b) == 0
}

// AsideSuffix ends the name of the temporary file beside a large segment while it
// is written. A crash may leave it behind; it is garbage then.
const AsideSuffix = ".aside"

// create runs write on a new file and makes it durable. On any error, including
// damage in the data that it reads, it removes the file.
func create(fs vfs.FS, name string, write func(*blockfile.Writer) error) (blockfile.Summary, error) {
	f, err := fs.Create(name)
	if err != nil {
		return blockfile.Summary{}, fmt.Errorf("create segment: %w", err)
	}
	w := blockfile.NewWriter(f, name, format.Segment.Mark, format.Segment.Version)
	aside := blockfile.NewAside(fs, name+AsideSuffix)
	defer aside.Close()
	w.SetAside(aside)
	err = vfs.Protect(func() error { return write(w) })
	var summary blockfile.Summary
	if err == nil {
		summary, err = w.Finish()
	}
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		fs.Remove(name)
		return blockfile.Summary{}, fmt.Errorf("write segment %s: %w", name, err)
	}
	return summary, nil
}
