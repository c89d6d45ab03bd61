// Package columns keeps values per document: numbers, ordinals of sorted byte
// strings and geo points.
//
// Each kind has a writer, fed in the order of documents, and a read side over the
// finished sections, which is safe for concurrent use and allocates nothing per
// document.
//
// Invariants:
//
//	CO1  Documents are added in ascending order.
//	CO2  The values of a document are ascending and distinct (numbers, ordinals).
//	CO3  A block's bounds are the lowest and highest value of its documents.
//	CO4  The count of an ordinal is the number of documents that have it.
//
// The bytes are described in FORMAT.md.
package columns

import (
	"encoding/binary"

	"github.com/quiresearch/quire/internal/blockfile"
)

// BlockSize is the number of documents that share a block's bounds.
const BlockSize = 1024

const blockShift = 10

// Parts of a column in the segment file.
const (
	PartInfo = iota + 1
	PartValues
	PartBlocks
	PartBounds
	PartPresent
	PartStartValues
	PartStartBlocks
	PartBytes
	PartOffsets
	PartCounts
	PartDocs
)

// sections reads the parts of one column.
type sections struct {
	file  *blockfile.Reader
	owner uint32
}

func (s sections) part(part uint16) []byte {
	data, _ := s.file.Section(blockfile.ID{Owner: s.owner, Part: part})
	return data
}

func (s sections) corrupt(part uint16, format string, args ...any) error {
	return blockfile.Corrupt(s.file.Name(), s.file.Offset(blockfile.ID{Owner: s.owner, Part: part}), format, args...)
}

// info decodes n varints of the info part.
func (s sections) info(n int) ([]uint64, error) {
	data := s.part(PartInfo)
	out := make([]uint64, n)
	for i := range out {
		v, size := binary.Uvarint(data)
		if size <= 0 {
			return nil, s.corrupt(PartInfo, "statistics of a column")
		}
		out[i], data = v, data[size:]
	}
	return out, nil
}

func appendInfo(values ...uint64) []byte {
	var b []byte
	for _, v := range values {
		b = binary.AppendUvarint(b, v)
	}
	return b
}
