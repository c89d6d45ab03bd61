package segment

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/quiresearch/quire/internal/segment/terms"
	"github.com/quiresearch/quire/internal/vfs"
)

// A Budget bounds the memory of merged dictionaries in many segments together. Without one
// nothing is merged.
type Budget struct {
	size int64
	used atomic.Int64
}

// NewBudget returns a budget of some bytes.
func NewBudget(size int64) *Budget { return &Budget{size: size} }

// take takes bytes out of a budget as far as it goes up to a limit, and reports whether it did.
func (b *Budget) take(n, limit int64) bool {
	if b == nil {
		return false
	}
	if b.used.Add(n) > limit {
		b.used.Add(-n)
		return false
	}
	return true
}

// mergedTerms keeps the merged dictionaries of sets of fields that were searched
// together. Merging reads both dictionaries once, so it pays after some words, the
// more the larger they are.
type mergedTerms struct {
	mu   sync.Mutex
	sets []*mergedSet
}

// mergedSet is the dictionaries of one set of fields.
type mergedSet struct {
	names  []string
	asked  atomic.Int64
	merged atomic.Pointer[terms.Merged]
}

const (
	// maxMergedSets is how many sets of fields are kept for a segment.
	maxMergedSets = 4
	// termsPerWord is for how many terms a word must have been asked for before
	// dictionaries are merged: merging so many takes about as long as finding
	// what is near one word.
	termsPerWord = 4096
	// mergedAtOnce is how many terms a search merges itself: below a millisecond.
	mergedAtOnce = 20_000
)

// MergedTerms returns the merged dictionaries of Terms fields of the segment, nil while
// that would not pay, where they cannot be merged and where they exceed the budget, of which
// small ones leave one half to large ones. Large ones are merged in the background. names
// are sorted. What is merged stays as long as the segment.
func (r *Reader) MergedTerms(names []string, budget *Budget) *terms.Merged {
	if budget == nil {
		return nil
	}
	s := r.merged.of(names)
	if s == nil {
		return nil
	}
	if m := s.merged.Load(); m != nil {
		return m
	}
	fields, total := make([]*terms.Field, len(names)), 0
	for i, name := range names {
		if fields[i] = r.Terms(name); fields[i] == nil {
			return nil
		}
		total += int(fields[i].Len()) + fields[i].NumForms()
	}
	if s.asked.Add(1) != int64(total/termsPerWord)+1 {
		return nil
	}
	limit, size := budget.size, terms.MergedBytes(fields)
	if total <= mergedAtOnce {
		limit /= 2
	}
	if !budget.take(size, limit) {
		return nil
	}
	r.WhenClosed(s, func() { budget.used.Add(-size) })
	if total <= mergedAtOnce {
		s.merged.Store(terms.Merge(fields))
		return s.merged.Load()
	}
	if r.Retain() {
		go func() {
			defer r.Release()
			// Without them every field is searched by itself.
			_ = vfs.Protect(func() error {
				s.merged.Store(terms.Merge(fields))
				return nil
			})
		}()
	}
	return nil
}

// of returns the set of the fields, nil when as many sets as are kept exist already.
func (t *mergedTerms) of(names []string) *mergedSet {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.sets {
		if slices.Equal(s.names, names) {
			return s
		}
	}
	if len(t.sets) == maxMergedSets {
		return nil
	}
	s := &mergedSet{names: slices.Clone(names)}
	t.sets = append(t.sets, s)
	return s
}
