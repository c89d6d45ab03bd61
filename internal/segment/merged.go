package segment

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/quiresearch/quire/internal/segment/terms"
	"github.com/quiresearch/quire/internal/vfs"
)

// Budget bounds the memory of merged dictionaries in many segments together.
// Without a budget nothing is merged.
type Budget struct {
	size int64
	used atomic.Int64
}

// NewBudget returns a budget of size bytes.
func NewBudget(size int64) *Budget { return &Budget{size: size} }

// take reserves n bytes unless that exceeds limit, and reports whether it did.
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

// mergedTerms keeps the merged dictionaries of sets of fields that are searched
// together. Merging reads every dictionary once, so it pays off only after a number
// of words that grows with the size of the dictionaries.
type mergedTerms struct {
	mu   sync.Mutex
	sets []*mergedSet
}

// mergedSet is the merged dictionary of one set of fields.
type mergedSet struct {
	names  []string
	asked  atomic.Int64
	merged atomic.Pointer[terms.Merged]
}

const (
	// maxMergedSets is the number of sets of fields kept for a segment.
	maxMergedSets = 4
	// termsPerWord is the number of terms that each looked-up word justifies
	// merging: merging that many takes about as long as finding the terms near one
	// word.
	termsPerWord = 4096
	// mergedAtOnce is the number of terms that a search merges itself, in under a
	// millisecond.
	mergedAtOnce = 20_000
)

// MergedTerms returns the merged dictionaries of Terms fields of the segment. It
// returns nil while merging would not pay off, when the fields cannot be merged,
// and when they exceed the budget; small dictionaries may use only half of it, so
// that the rest is left for large ones. Large dictionaries are merged in the
// background. names must be sorted. The result lives as long as the segment.
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
			// If merging fails, every field is searched on its own.
			_ = vfs.Protect(func() error {
				s.merged.Store(terms.Merge(fields))
				return nil
			})
		}()
	}
	return nil
}

// of returns the set of the fields, creating it if necessary; nil when
// maxMergedSets others exist.
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
