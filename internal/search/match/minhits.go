package match

// MinHits returns how many hits there are at least, as far as that is known
// before the scan, and whether that is all of them.
func (s *Scanner) MinHits() (atLeast int, exact bool) {
	switch s.root.(type) {
	case noStep:
		return 0, true
	case *everyStep:
		if s.mask.domain == nil {
			return s.binder.segment.Documents, true
		}
		return 0, false
	}
	if s.mask.parents != nil || s.mask.domain != nil {
		return 0, false
	}
	atLeast, exact = minMatches(s.root)
	if s.mask.live != nil {
		deleted := int(s.mask.documents) - s.binder.segment.Documents
		return max(0, atLeast-deleted), false
	}
	return atLeast, exact
}

// minMatches returns how many documents a step matches at least, deleted ones
// included, and whether that is all of them.
func minMatches(s step) (atLeast int, exact bool) {
	switch s := s.(type) {
	case *termStep, setStep, *listStep:
		return s.cost(), true
	case *wordStep:
		if s.expansion != nil {
			return s.expansion.atLeast, s.expansion.isCount
		}
		atLeast, _ = minMatches(s.whole)
	case *sumStep:
		for _, p := range s.parts {
			atLeast = max(atLeast, p.cost())
		}
		n, _ := minMatches(&s.silent)
		atLeast = max(atLeast, n)
	case *constantStep:
		return minMatches(s.step)
	case *andStep:
		if len(s.steps) == 1 {
			return minMatches(s.steps[0])
		}
	case *orStep:
		for _, c := range s.steps {
			n, _ := minMatches(c)
			atLeast = max(atLeast, n)
		}
	}
	return atLeast, false
}
