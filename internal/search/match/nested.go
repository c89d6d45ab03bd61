package match

import (
	"math"
	"math/bits"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/search/plan"
)

// nested works a nested clause out over the whole segment: the clause over
// list values first, then values become their documents.
func (b *binder) nested(n *plan.Nested, factor float64) (step, error) {
	parents := b.segment.Reader.Parents()
	if parents == nil {
		return noStep{}, nil // no list values at all
	}
	scores := b.scoring && factor > 0 && plan.Scores(n)
	if !scores {
		return b.cached(n, func() (*Set, error) {
			all := bitset.New(b.documents)
			err := b.eachValue(n.Path, n.Clause, false, func(doc uint32, _ float64) {
				all.Set(parents.Next(doc))
			})
			return newSet(all), err
		})
	}
	fold := folder{fold: n.Fold, factor: factor}
	err := b.eachValue(n.Path, n.Clause, true, func(doc uint32, score float64) {
		fold.add(parents.Next(doc), score)
	})
	if err != nil {
		return nil, err
	}
	fold.flush()
	if len(fold.docs) == 0 {
		return noStep{}, nil
	}
	return newListStep(fold.docs, fold.scores), nil
}

// folder gathers the scores of list values, which come in order, into those
// of their documents.
type folder struct {
	fold   plan.Fold
	factor float64
	docs   []uint32
	scores []float32

	open   bool
	parent uint32
	value  float64
	count  int
}

func (f *folder) add(parent uint32, score float64) {
	if f.open && parent != f.parent {
		f.flush()
	}
	if !f.open {
		f.open, f.parent, f.count = true, parent, 0
		switch f.fold {
		case plan.FoldMin:
			f.value = math.Inf(1)
		default:
			f.value = 0
		}
	}
	f.count++
	switch f.fold {
	case plan.FoldMax:
		f.value = max(f.value, score)
	case plan.FoldMin:
		f.value = min(f.value, score)
	default:
		f.value += score
	}
}

func (f *folder) flush() {
	if !f.open {
		return
	}
	if f.fold == plan.FoldAvg {
		f.value /= float64(f.count)
	}
	f.docs = append(f.docs, f.parent)
	f.scores = append(f.scores, float32(f.value*f.factor))
	f.open = false
}

// eachValue calls visit for every list value of the path that the clause
// matches, in order, deleted ones included.
func (b *binder) eachValue(path string, clause plan.Node, scoring bool, visit func(doc uint32, score float64)) error {
	field, entry, ok := b.listValues(path)
	if !ok {
		return nil
	}
	inner := *b
	inner.scoring, inner.owned = scoring, nil
	defer inner.release()
	s, err := inner.bind(clause, 1)
	if err != nil {
		return err
	}
	domain := inner.newTerm(field, entry)
	var every, in, out Bits
	for i := range every {
		every[i] = ^uint64(0)
	}
	var sums *Sums
	if scoring {
		sums = new(Sums)
	}
	for base := uint32(0); base < b.documents; base += Span {
		next := s.next(base)
		if next == NoMore {
			return nil
		}
		base = next &^ (Span - 1)
		domain.run(base, &every, &in, nil)
		if in.Empty() {
			continue
		}
		s.run(base, &in, &out, sums)
		for i, w := range out {
			for w != 0 {
				at := i<<6 + bits.TrailingZeros64(w)
				w &= w - 1
				if scoring {
					visit(base+uint32(at), sums[at])
					sums[at] = 0
				} else {
					visit(base+uint32(at), 0)
				}
			}
		}
	}
	return nil
}
