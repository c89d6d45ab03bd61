package match

import (
	"cmp"
	"context"
	"slices"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/segment/postings"
	"github.com/quiresearch/quire/internal/segment/terms"
)

// rareTerms holds the positions of the rarer of many terms, by document: a single list is
// searched once per document, not once per term.
type rareTerms struct {
	held   []rareTerm // in order of documents
	places []uint32
}

// rareTerm is the range in places of the positions of one term in one document.
type rareTerm struct{ doc, from, to uint32 }

// holders returns the documents that hold the rarest of the words that are a single term: the
// phrase occurs in no others. It returns nil when there is no such word.
func (b *binder) holders(s *phraseStep, field *terms.Field) *bitset.Bitset {
	var rarest *phraseWord
	for i := range s.words {
		if word := &s.words[i]; len(word.parts) == 1 && (rarest == nil || word.cost < rarest.cost) {
			rarest = word
		}
	}
	if rarest == nil {
		return nil
	}
	all := bitset.New(b.documents)
	var it postings.Iterator
	field.Iterator(&it, rarest.entry)
	if it.NextBlock() {
		it.IntoBitset(all.Words(), 0)
	}
	return all
}

// rarer gathers the positions of terms in the documents of a set, or in all if it is nil.
func (b *binder) rarer(ctx context.Context, field *terms.Field, entries []terms.Entry, within *bitset.Bitset) (*rareTerms, error) {
	r := &rareTerms{}
	expected := 0
	for _, e := range entries {
		expected += int(e.DocFreq)
	}
	if within != nil {
		expected = int(uint64(expected) * uint64(within.Count()) / uint64(max(1, b.documents))) // assuming independence
	}
	r.held, r.places = make([]rareTerm, 0, expected), make([]uint32, 0, expected)
	var it postings.Iterator
	for i, e := range entries {
		if err := stopped(ctx, i); err != nil {
			return nil, err
		}
		field.Iterator(&it, e)
		for it.NextBlock() {
			for index, doc := range it.Docs() {
				if within != nil && !within.Get(doc) {
					continue
				}
				from := uint32(len(r.places))
				r.places = it.AppendPositions(r.places, index)
				r.held = append(r.held, rareTerm{doc, from, uint32(len(r.places))})
			}
		}
	}
	slices.SortFunc(r.held, func(x, y rareTerm) int { return cmp.Compare(x.doc, y.doc) })
	return r, nil
}

// read appends the positions of the terms in a document. It returns how many of the terms the
// document holds.
func (r *rareTerms) read(positions []uint32, doc uint32) ([]uint32, int) {
	first, _ := slices.BinarySearchFunc(r.held, doc, func(h rareTerm, doc uint32) int { return cmp.Compare(h.doc, doc) })
	held := r.held[first:]
	n := 0
	for ; n < len(held) && held[n].doc == doc; n++ {
		positions = append(positions, r.places[held[n].from:held[n].to]...)
	}
	return positions, n
}
