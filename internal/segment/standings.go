package segment

import (
	"encoding/binary"
	"sort"

	"github.com/quiresearch/quire/internal/blockfile"
)

// The standing of a document is its position in the order of an index: a number
// that it keeps when others around it are merged away. In a segment written by a
// Builder the standings are the document numbers. A merge leaves gaps where
// documents were dropped, and between its inputs. A gap is stored as the first
// document from which a new distance (standing minus number) holds. Standings
// ascend with the document numbers.

const standingStep = 12 // bytes: a document (4), its standing less its number (8)

// standings are the gaps of a segment; nil if there are none.
type standings []byte

func (s standings) len() int              { return len(s) / standingStep }
func (s standings) doc(i int) DocID       { return binary.LittleEndian.Uint32(s[i*standingStep:]) }
func (s standings) distance(i int) uint64 { return binary.LittleEndian.Uint64(s[i*standingStep+4:]) }

func (s standings) append(doc DocID, distance uint64) standings {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint32(s, doc), distance)
}

// Standing returns the position of a document in the order of the index, relative
// to that of the segment.
func (r *Reader) Standing(doc DocID) uint64 {
	s := r.standings
	i := sort.Search(s.len(), func(i int) bool { return s.doc(i) > doc })
	if i == 0 {
		return uint64(doc)
	}
	return uint64(doc) + s.distance(i-1)
}

// FromStanding returns the first document with at least the given standing; NumDocs
// when there is none.
func (r *Reader) FromStanding(standing uint64) DocID {
	return DocID(sort.Search(int(r.meta.docs), func(doc int) bool { return r.Standing(DocID(doc)) >= standing }))
}

// EndStanding returns the standing after the last document.
func (r *Reader) EndStanding() uint64 {
	if r.meta.docs == 0 {
		return 0
	}
	return r.Standing(r.meta.docs-1) + 1
}

// readStandings reads the gaps of a segment file.
func (r *Reader) readStandings() error {
	id := blockfile.ID{Part: partStandings}
	data, ok := r.file.Section(id)
	if ok && (len(data) == 0 || len(data)%standingStep != 0) {
		return blockfile.Corrupt(r.Name(), r.file.Offset(id), "standings of %d bytes", len(data))
	}
	r.standings = data
	return nil
}

// standings gives every document of the merged segment its previous standing.
func (m *merger) standings() standings {
	var out standings
	var distance uint64 // the distance that currently holds
	var first, end uint64
	for i, in := range m.inputs {
		at := max(in.First, end)
		if i == 0 {
			first = at
		}
		before := in.Reader.standings
		var own uint64
		for doc, number := range m.docMap[i] {
			if len(before) > 0 && before.doc(0) == DocID(doc) {
				own, before = before.distance(0), before[standingStep:]
			}
			if number == NoDoc {
				continue
			}
			if d := at - first + own + uint64(doc) - uint64(number); d != distance {
				out, distance = out.append(number, d), d
			}
		}
		end = at + in.Reader.EndStanding()
	}
	return out
}

// standings checks that gaps are in order and inside the segment.
func (c checker) standings() error {
	s := c.r.standings
	for i := range s.len() {
		if s.doc(i) >= c.r.meta.docs || s.distance(i) == 0 ||
			i > 0 && (s.doc(i) <= s.doc(i-1) || s.distance(i) <= s.distance(i-1)) {
			return c.corrupt(0, partStandings, "SG4: gap %d of the standings", i)
		}
	}
	return nil
}
