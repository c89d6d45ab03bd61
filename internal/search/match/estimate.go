package match

import (
	"slices"
	"time"
)

// The time that a scan takes for each document that it reads, measured over a million commit
// messages on one core.
const (
	unionTime       = 3 * time.Nanosecond
	conjunctionTime = 9 * time.Nanosecond // per document of the rarest part, looked up in the others
	phraseTime      = 20 * time.Nanosecond
	otherTime       = 10 * time.Nanosecond

	bitTime    = 2 * time.Nanosecond   // per document of terms read as bits, plus
	windowTime = 500 * time.Nanosecond // per term and window
)

// Estimate returns about how long a scan of all documents takes, so that ranges of documents
// can be scanned in parallel. It returns 0 when the best documents are found early or known
// beforehand: those of a single term, and those of a word by its champions. isRanked says
// whether the sink looks at every match.
func (s *Scanner) Estimate(isRanked bool) time.Duration {
	if s.IsDeferred() {
		return 0
	}
	each := otherTime
	switch root := s.root.(type) {
	case *everyStep:
		if !isRanked {
			return windowTime / 2 * time.Duration(s.mask.documents/Span)
		}
	case *termStep:
		if root.table != nil {
			return 0
		}
		if root.density > sparseLead {
			return s.windowsTime(root)
		}
	case *orStep:
		if each = unionTime; s.sums == nil {
			each = otherTime
			if root.isOfTerms() {
				return s.windowsTime(root.steps...)
			}
		}
	case *andStep:
		each = conjunctionTime
	case *phraseStep:
		each = phraseTime
	}
	if s.isFound {
		return 0
	}
	return each * time.Duration(s.Cost())
}

// Expected estimates how many documents match a conjunction, assuming that its parts are
// independent. It returns false for other roots, and for conjunctions with a union of terms,
// whose best documents are cheap to find.
func (s *Scanner) Expected() (n int, ok bool) {
	switch root := s.root.(type) {
	case noStep:
		return 0, true
	case *andStep:
		documents := float64(max(1, s.mask.documents))
		if s.mask.parents != nil {
			documents = float64(max(1, s.binder.segment.Reader.NumRoots()))
		}
		expected := documents
		for _, part := range root.steps {
			if _, isUnion := part.(*orStep); isUnion {
				return 0, false
			}
			expected *= min(1, float64(part.cost())/documents)
		}
		return int(expected), true
	}
	return 0, false
}

// windowsTime returns the time for terms that are read window by window.
func (s *Scanner) windowsTime(terms ...step) (all time.Duration) {
	windows := int(s.mask.documents/Span) + 1
	for _, t := range terms {
		cost := t.cost()
		all += bitTime*time.Duration(cost) + windowTime*time.Duration(min(windows, cost))
	}
	return all
}

// isOfTerms reports whether all alternatives are terms.
func (s *orStep) isOfTerms() bool {
	return !slices.ContainsFunc(s.steps, func(c step) bool {
		_, ok := c.(*termStep)
		return !ok
	})
}
