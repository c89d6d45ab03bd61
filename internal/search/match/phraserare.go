package match

import (
	"cmp"
	"slices"

	"github.com/quiresearch/quire/internal/segment/postings"
	"github.com/quiresearch/quire/internal/segment/terms"
)

// rareTerms holds where the rarer of many terms stand, by document: as one
// list it is looked up once per document, not once per term.
type rareTerms struct {
	held   []rareTerm // by document
	places []uint32
}

// rareTerm is where one of the terms stands in one document.
type rareTerm struct{ doc, from, to uint32 }

// rarer gathers where terms stand.
func (b *binder) rarer(field *terms.Field, entries []terms.Entry) (*rareTerms, error) {
	r := &rareTerms{}
	total := 0
	for _, e := range entries {
		total += int(e.DocFreq)
	}
	r.held, r.places = make([]rareTerm, 0, total), make([]uint32, 0, total)
	var it postings.Iterator
	for i, e := range entries {
		if err := b.view.stopped(i); err != nil {
			return nil, err
		}
		field.Iterator(&it, e)
		for it.NextBlock() {
			for index, doc := range it.Docs() {
				from := uint32(len(r.places))
				r.places = it.AppendPositions(r.places, index)
				r.held = append(r.held, rareTerm{doc, from, uint32(len(r.places))})
			}
		}
	}
	slices.SortFunc(r.held, func(x, y rareTerm) int { return cmp.Compare(x.doc, y.doc) })
	return r, nil
}

// read adds the places of the terms in a document. It returns how many of the
// terms stand in it.
func (r *rareTerms) read(positions []uint32, doc uint32) ([]uint32, int) {
	first, _ := slices.BinarySearchFunc(r.held, doc, func(h rareTerm, doc uint32) int { return cmp.Compare(h.doc, doc) })
	held := r.held[first:]
	n := 0
	for ; n < len(held) && held[n].doc == doc; n++ {
		positions = append(positions, r.places[held[n].from:held[n].to]...)
	}
	return positions, n
}
