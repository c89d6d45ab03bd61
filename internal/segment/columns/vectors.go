package columns

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/quiresearch/quire/internal/bitpack"
	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/invariant"
)

// Vectors is the read side of a column of float32 vectors, at most one per
// document, in rows in the order of documents.
type Vectors struct {
	dimensions int
	docs       []uint32
	rows       []float32
}

// OpenVectors opens the column owner of a file with numDocs documents.
func OpenVectors(file *blockfile.Reader, owner, numDocs uint32, dimensions int) (*Vectors, error) {
	s := sections{file, owner}
	c := &Vectors{dimensions: dimensions, docs: bitpack.Uint32s(s.part(PartDocs)), rows: bitpack.Float32s(s.part(PartValues))}
	if dimensions <= 0 || len(c.rows) != len(c.docs)*dimensions {
		return nil, s.corrupt(PartValues, "%d numbers in %d vectors of %d", len(c.rows), len(c.docs), dimensions)
	}
	for i, doc := range c.docs {
		if doc >= numDocs || i > 0 && doc <= c.docs[i-1] {
			return nil, s.corrupt(PartDocs, "document %d of row %d", doc, i)
		}
	}
	return c, nil
}

// Dimensions is the length of every vector.
func (c *Vectors) Dimensions() int { return c.dimensions }

// Len is the number of vectors.
func (c *Vectors) Len() int { return len(c.docs) }

// Doc is the document of a row; rows are in the order of documents.
func (c *Vectors) Doc(row int) uint32 { return c.docs[row] }

// Docs are the documents of all rows; not to be changed.
func (c *Vectors) Docs() []uint32 { return c.docs }

// Row is a vector; not to be changed.
func (c *Vectors) Row(row int) []float32 {
	from, to := row*c.dimensions, (row+1)*c.dimensions
	return c.rows[from:to:to]
}

// Find is the row of a document.
func (c *Vectors) Find(doc uint32) (row int, ok bool) { return slices.BinarySearch(c.docs, doc) }

// VectorsWriter writes a column of vectors.
type VectorsWriter struct {
	out        *blockfile.Writer
	owner      uint32
	dimensions int
	docs       []uint32
	buf        []byte
}

// NewVectorsWriter opens the rows section of column owner.
func NewVectorsWriter(out *blockfile.Writer, owner uint32, dimensions int) *VectorsWriter {
	out.Begin(blockfile.ID{Owner: owner, Part: PartValues})
	return &VectorsWriter{out: out, owner: owner, dimensions: dimensions}
}

// Add appends the vector of a document above all before.
func (w *VectorsWriter) Add(doc uint32, v []float32) {
	invariant.Check(len(v) == w.dimensions, "C1: %d numbers in a vector of %d", len(v), w.dimensions)
	w.docs = append(w.docs, doc)
	w.buf = w.buf[:0]
	for _, x := range v {
		w.buf = binary.LittleEndian.AppendUint32(w.buf, math.Float32bits(x))
	}
	w.out.Write(w.buf)
}

// Finish writes the column.
func (w *VectorsWriter) Finish() error {
	w.out.Section(blockfile.ID{Owner: w.owner, Part: PartDocs}, bitpack.AppendUint32s(nil, w.docs))
	return w.out.Err()
}
