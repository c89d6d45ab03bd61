package match

import "time"

// What a scan takes for each document that it looks at, seen over a million
// commit messages on one core.
const (
	unionTime       = 3 * time.Nanosecond
	conjunctionTime = 9 * time.Nanosecond // of the rarest part, looked up in the others
	phraseTime      = 20 * time.Nanosecond
	otherTime       = 10 * time.Nanosecond
)

// Estimate returns about how long a scan of all documents takes that spends its
// time all over the segment, so that ranges of documents can be scanned side by
// side. It is 0 where the best documents are soon found or known: those of a
// single term, and of a word by its champions.
func (s *Scanner) Estimate() time.Duration {
	if s.IsDeferred() {
		return 0
	}
	each := otherTime
	switch root := s.root.(type) {
	case *termStep:
		if root.table != nil {
			return 0
		}
	case *orStep:
		if s.sums != nil {
			each = unionTime
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
