package collect

import (
	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/search/match"
)

// listShare is how many times more documents than matches a segment holds for
// matches to be gathered as a list.
const listShare = 32

// Docs is a set of documents of one segment: a list when they are few, else
// bits. One goroutine uses it.
type Docs struct {
	documents uint32 // of the segment
	listed    bool
	list      []uint32 // ascending
	bits      *bitset.Bitset
	size      int // of the bits; 0 until it is asked for
}

// newDocs returns an empty set for about so many of a segment's documents.
func newDocs(documents uint32, expected int) *Docs {
	if expected < int(documents/listShare) {
		return &Docs{documents: documents, listed: true, list: make([]uint32, 0, expected)}
	}
	return &Docs{documents: documents, bits: bitset.New(documents)}
}

// List returns the documents, ascending, when they are kept as a list.
func (d *Docs) List() ([]uint32, bool) { return d.list, d.listed }

// Count returns how many documents there are.
func (d *Docs) Count() int {
	if d.listed {
		return len(d.list)
	}
	if d.size == 0 {
		d.size = d.bits.Count()
	}
	return d.size
}

// Bits returns the documents as bits, which must not be changed.
func (d *Docs) Bits() *bitset.Bitset {
	if d.bits == nil {
		d.bits = bitset.New(d.documents)
		for _, doc := range d.list {
			d.bits.Set(doc)
		}
	}
	return d.bits
}

// addWindow adds the documents of a window.
func (d *Docs) addWindow(base uint32, matched *match.Bits) {
	if !d.listed {
		bitset.OrWords(d.bits.Words()[base/64:], matched[:])
		return
	}
	d.list = matched.AppendDocs(d.list, base)
	d.spill()
}

// add adds documents that come behind all others.
func (d *Docs) add(docs []uint32) {
	if !d.listed {
		for _, doc := range docs {
			d.bits.Set(doc)
		}
		return
	}
	d.list = append(d.list, docs...)
	d.spill()
}

// addOne adds a document that comes behind all others.
func (d *Docs) addOne(doc uint32) {
	if !d.listed {
		d.bits.Set(doc)
		return
	}
	d.list = append(d.list, doc)
	d.spill()
}

// append adds a set of documents that come behind all others.
func (d *Docs) append(other *Docs) {
	if other.listed {
		d.add(other.list)
		return
	}
	bitset.OrWords(d.Bits().Words(), other.bits.Words())
	d.list, d.listed = nil, false
}

// spill turns a list that grew too long into bits.
func (d *Docs) spill() {
	if len(d.list) > int(d.documents/listShare)*2 {
		d.Bits()
		d.list, d.listed = nil, false
	}
}

// bitsOf returns sets as bits.
func bitsOf(sets []*Docs) []*bitset.Bitset {
	all := make([]*bitset.Bitset, len(sets))
	for i, set := range sets {
		all[i] = set.Bits()
	}
	return all
}
