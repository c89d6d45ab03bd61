package collect

import (
	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/search/match"
)

// listShare: matches are gathered as a list if a segment has more than listShare times as many
// documents.
const listShare = 32

// Docs is a set of documents of one segment: a list when they are few, otherwise bits. It
// belongs to one goroutine.
type Docs struct {
	documents uint32 // of the segment
	listed    bool
	list      []uint32 // in ascending order
	bits      *bitset.Bitset
	size      int // of bits; 0 until needed
}

// newDocs returns an empty set for about expected of a segment's documents.
func newDocs(documents uint32, expected int) *Docs {
	if expected < int(documents/listShare) {
		return &Docs{documents: documents, listed: true, list: make([]uint32, 0, expected)}
	}
	return &Docs{documents: documents, bits: bitset.New(documents)}
}

// List returns the documents in ascending order if they are kept as a list.
func (d *Docs) List() ([]uint32, bool) { return d.list, d.listed }

// Count returns the number of documents.
func (d *Docs) Count() int {
	if d.listed {
		return len(d.list)
	}
	if d.size == 0 {
		d.size = d.bits.Count()
	}
	return d.size
}

// Bits returns the documents as bits. Callers must not change them.
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

// add adds documents that follow all others.
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

// addOne adds a document that follows all others.
func (d *Docs) addOne(doc uint32) {
	if !d.listed {
		d.bits.Set(doc)
		return
	}
	d.list = append(d.list, doc)
	d.spill()
}

// append adds a set of documents that follow all others.
func (d *Docs) append(other *Docs) {
	if other.listed {
		d.add(other.list)
		return
	}
	bitset.OrWords(d.Bits().Words(), other.bits.Words())
	d.list, d.listed = nil, false
}

// spill turns a list that has grown too long into bits.
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
