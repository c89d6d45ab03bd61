package match

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/segment/postings"
	"github.com/quiresearch/quire/internal/segment/terms"
)

// maxReadings bounds the terms of a segment that one misspelled word may
// stand for: the nearest, then the most frequent.
const maxReadings = 1024

// expandStep matches documents that hold a term near a word; a document
// scores the constant of the best band it is in.
type expandStep struct {
	bands []band
	count int
}

// band is the documents with a term at one distance, the nearest first.
type band struct {
	set   *Set
	score float64
}

func (b *binder) expand(n *plan.Expand, factor float64) (step, error) {
	field := b.segment.Reader.Terms(n.Structure)
	if field == nil {
		return noStep{}, nil
	}
	sets := b.view.cache.lookup(b.segment.Reader, n)
	if sets == nil {
		byDistance := readings(field, n)
		sets = make([]*Set, len(byDistance))
		for i, entries := range byDistance {
			sets[i] = unionOf(field, entries, b.documents)
		}
		b.view.cache.store(b.segment.Reader, n, sets)
	}
	s := &expandStep{}
	for distance, set := range sets {
		if set.count == 0 {
			continue
		}
		constant := 0.0
		if b.scoring && distance < len(n.Constants) {
			constant = factor * n.Constants[distance]
		}
		s.bands = append(s.bands, band{set, constant})
		s.count += set.count
	}
	if len(s.bands) == 0 {
		return noStep{}, nil
	}
	return s, nil
}

// readings returns the terms a word may stand for, by distance.
func readings(field *terms.Field, n *plan.Expand) [][]terms.Entry {
	found := make([][]terms.Entry, n.Edits+1)
	if n.Edits == 0 {
		from, to := field.Prefix([]byte(n.Text))
		found[0] = make([]terms.Entry, 0, to-from)
		for ord := from; ord < to; ord++ {
			found[0] = append(found[0], field.At(ord))
		}
		return found
	}
	matches, _ := field.Fuzzy(nil, []byte(n.Text), terms.FuzzyOptions{
		Distance: uint8(n.Edits), PrefixLength: n.Fixed, Open: n.Prefix,
	})
	if len(matches) > maxReadings {
		slices.SortFunc(matches, func(a, b terms.Match) int {
			return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(b.DocFreq, a.DocFreq), cmp.Compare(a.Ord, b.Ord))
		})
		matches = matches[:maxReadings]
	}
	for _, m := range matches {
		found[m.Distance] = append(found[m.Distance], m.Entry)
	}
	return found
}

// unionOf returns the documents that hold any of the terms.
func unionOf(field *terms.Field, entries []terms.Entry, documents uint32) *Set {
	total := 0
	for _, e := range entries {
		total += int(e.DocFreq)
	}
	var it postings.Iterator
	if total <= sortLimit(documents) {
		docs := make([]uint32, 0, total)
		for _, e := range entries {
			field.Iterator(&it, e)
			for it.NextBlock() {
				docs = append(docs, it.Docs()...)
			}
		}
		return newSparseSet(docs, documents)
	}
	all := bitset.New(documents)
	for _, e := range entries {
		field.Iterator(&it, e)
		if it.NextBlock() {
			it.IntoBitset(all.Words(), 0)
		}
	}
	return newSet(all)
}

func (s *expandStep) cost() int { return s.count }

func (s *expandStep) next(from uint32) uint32 {
	at := NoMore
	for _, b := range s.bands {
		at = min(at, b.set.next(from))
	}
	return at
}

func (s *expandStep) bound(_, _ uint32) float64 {
	top := 0.0
	for _, b := range s.bands {
		top = max(top, b.score)
	}
	return top
}

func (s *expandStep) run(base uint32, in, out *Bits, sums *Sums) {
	*out = Bits{}
	var window Bits
	for _, b := range s.bands {
		b.set.window(base, &window)
		for i := range window {
			w := window[i] & in[i] &^ out[i]
			out[i] |= w
			if sums == nil || b.score == 0 {
				continue
			}
			for w != 0 {
				sums[i<<6+bits.TrailingZeros64(w)] += b.score
				w &= w - 1
			}
		}
	}
}
