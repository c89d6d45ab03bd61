package match

// reachedSlack allows for the different rounding of the scores stored for a term and of the
// scores of documents.
const reachedSlack = 1 - 2e-6

// Reached returns a score that at least k matches reach, or 0 if none is known before the scan;
// a search for the k best can ignore lower scores. Terms store the scores of their best
// documents, and the other clauses of a union only add to them.
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

// reached is Reached for a step: the best documents of any one of its terms will do.
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
		if len(s.steps) == 1 { // optional clauses only add
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

// reached relies on the fact that occurrences in further fields only add to the score.
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
