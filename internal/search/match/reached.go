package match

// reachedSlack covers that what is stored for a term and what a document
// scores are rounded apart.
const reachedSlack = 1 - 2e-6

// Reached returns a score that at least k matches reach, 0 when none is known
// before looking: a search for the k best need not look for lower ones. Terms
// keep the scores of their best documents; another clause of a union only
// adds to them.
func (s *Scanner) Reached(k int) float32 {
	if s.IsDeferred() {
		return 0
	}
	if w, ok := s.root.(*wordStep); ok && s.sums != nil {
		if s.isFound = s.scratch.found.find(s, w, k); s.isFound {
			return s.scratch.found.reached
		}
	}
	if !s.mask.isFull() {
		return 0
	}
	return reached(s.root, k)
}

// reached is Reached of a step; the documents of a single term reach it.
func reached(s step, k int) float32 {
	switch s := s.(type) {
	case *termStep:
		return s.reached(k)
	case *sumStep:
		return s.reached(k)
	case *wordStep:
		return reached(s.whole, k)
	case *orStep:
		best := float32(0)
		for _, c := range s.steps {
			best = max(best, reached(c, k))
		}
		return best
	case *andStep:
		if len(s.steps) == 1 { // what is optional only adds
			return reached(s.steps[0], k)
		}
	}
	return 0
}

func (s *termStep) reached(k int) float32 {
	if s.table == nil || s.once || len(s.lengths) == 0 {
		return 0
	}
	return s.weight * s.scorer.Reached(k, s.table) * reachedSlack
}

// reached uses that occurrences in further fields only add.
func (s *sumStep) reached(k int) float32 {
	best := float32(0)
	for _, p := range s.parts {
		best = max(best, p.reached(k))
	}
	if best == 0 {
		return 0
	}
	return float32(s.curve.at(float64(best), 0) * reachedSlack)
}
