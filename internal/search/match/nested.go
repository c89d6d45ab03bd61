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
			if values, err := b.valuesOf(n); values != nil || err != nil {
				if err != nil {
					return nil, err
				}
				return values.all(b)
			}
			all := bitset.New(b.documents)
			last := uint32(0) // the document whose values come
			err := b.eachValue(n.Path, n.Clause, false, func(doc uint32, _ float32) {
				if doc >= last {
					last = parents.Next(doc)
					all.Set(last)
				}
			})
			return newSet(all), err
		})
	}
	fold := folder{fold: n.Fold, factor: factor}
	last := uint32(0)
	err := b.eachValue(n.Path, n.Clause, true, func(doc uint32, score float32) {
		if doc >= last {
			last = parents.Next(doc)
		}
		fold.add(last, float64(score))
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
func (b *binder) eachValue(path string, clause plan.Node, scoring bool, visit func(doc uint32, score float32)) error {
	field, entry, ok := b.listValues(path)
	if !ok {
		return nil
	}
	inner := *b
	inner.scoring, inner.owned = scoring, nil
	root, err := inner.bind(clause, 1)
	if err != nil {
		inner.release()
		return err
	}
	s := &Scanner{binder: &inner, root: root, mask: mask{documents: b.documents}, room: b.view.tables.rooms.Get().(*room)}
	defer s.Close()
	if scoring {
		s.sums = &s.room.sums
	}
	if !inner.belongs(clause, path) {
		s.mask.domain = inner.newTerm(field, entry)
	}
	return s.Run(b.view.ctx, 0, b.documents, visitor(visit))
}

// visitor is a sink that is called for every match.
type visitor func(doc uint32, score float32)

// Take visits the matches of a window.
func (v visitor) Take(base uint32, matched *Bits, sums *Sums) bool {
	for i, w := range matched {
		for w != 0 {
			at := i<<6 + bits.TrailingZeros64(w)
			w &= w - 1
			score := float32(0)
			if sums != nil {
				score, sums[at] = float32(sums[at]), 0
			}
			v(base+uint32(at), score)
		}
	}
	return true
}

// TakeDocs visits documents.
func (v visitor) TakeDocs(docs []uint32, scores []float32) bool {
	for i, doc := range docs {
		v(doc, scores[i])
	}
	return true
}

func (visitor) Floor() float64          { return -1 }
func (visitor) Prunes() bool            { return false }
func (visitor) SkipsWindow(uint32) bool { return false }
