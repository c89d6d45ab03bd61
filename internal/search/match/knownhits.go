package match

// Known returns how many hits there are at least, as far as that is known
// before looking, and whether that is all of them.
func (s *Scanner) Known() (atLeast int, exact bool) {
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
	atLeast, exact = knownOf(s.root)
	if s.mask.live != nil {
		deleted := int(s.mask.documents) - s.binder.segment.Documents
		return max(0, atLeast-deleted), false
	}
	return atLeast, exact
}

// knownOf returns how many documents a step matches at least, deleted ones
// included, and whether that is all of them.
func knownOf(s step) (atLeast int, exact bool) {
	switch s := s.(type) {
	case *termStep, setStep, *listStep:
		return s.cost(), true
	case *wordStep:
		if s.known != nil {
			return s.known.atLeast, s.known.isCount
		}
		atLeast, _ = knownOf(s.whole)
	case *sumStep:
		for _, p := range s.parts {
			atLeast = max(atLeast, p.cost())
		}
		n, _ := knownOf(&s.silent)
		atLeast = max(atLeast, n)
	case *constantStep:
		return knownOf(s.step)
	case *andStep:
		if len(s.steps) == 1 {
			return knownOf(s.steps[0])
		}
	case *orStep:
		for _, c := range s.steps {
			n, _ := knownOf(c)
			atLeast = max(atLeast, n)
		}
	}
	return atLeast, false
}
