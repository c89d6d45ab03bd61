package match

// reachedSlack covers that what is stored for a term and what a document
// scores are rounded apart.
const reachedSlack = 1 - 2e-6

// Reached returns a score that at least k matches reach, 0 when none is known
// before looking: a search for the k best need not look for lower ones. Terms
// keep the scores of their best documents; another clause of a union only
// adds to them.
func (s *Scanner) Reached(k int) float32 {
	if !s.mask.isFull() {
		return 0
	}
	switch root := s.root.(type) {
	case *termStep:
		return root.reached(k)
	case *wordStep:
		if whole, ok := root.whole.(*termStep); ok {
			return whole.reached(k)
		}
	case *orStep:
		best := float32(0)
		for _, c := range root.steps {
			if t, ok := c.(*termStep); ok {
				best = max(best, t.reached(k))
			}
		}
		return best
	}
	return 0
}

func (s *termStep) reached(k int) float32 {
	if s.table == nil || s.once || len(s.lengths) == 0 {
		return 0
	}
	return s.weight * s.grade.Reached(k, s.table) * reachedSlack
}
