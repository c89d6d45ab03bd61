package match

import "context"

// A word with typos, or typed in part, is a union of the word itself, which
// scores as a term, and of the terms near it, which score constants. Documents
// with the word itself are near it too.

// wordOf returns the two parts when the scanner's root is such a union and
// scores, nil otherwise.
func (s *Scanner) wordOf() (*termStep, *expandStep) {
	or, ok := s.root.(*orStep)
	if !ok || s.sums == nil || s.mask.domain != nil {
		return nil, nil
	}
	return wordIn(or)
}

func wordIn(or *orStep) (*termStep, *expandStep) {
	if len(or.steps) != 2 {
		return nil, nil
	}
	word, _ := or.steps[0].(*termStep)
	near, _ := or.steps[1].(*expandStep)
	if word == nil || near == nil || word.table == nil || word.once || word.field != near.field || word.entry != near.of.whole {
		return nil, nil
	}
	return word, near
}

// bestOfWord walks the documents with the word itself: what only stands near
// it does not exceed the floor.
func (s *Scanner) bestOfWord(ctx context.Context, word *termStep, near *expandStep, from, to uint32, sink Sink) error {
	done := ctx.Done()
	extra := near.bands[0].score
	it, out := &word.grade, &s.room.batch
	s.skipped = true
	for open := word.opened[1] && it.SeekBlock(from); open && it.FirstDoc() < to; open = it.NextBlock() {
		select {
		case <-done:
			return context.Cause(ctx)
		default:
		}
		floor := sink.Floor()
		if word.blockBound()+extra <= floor {
			continue
		}
		out.reset()
		word.gradeInto(out, it.Docs(), it.Freqs(), float32(floor*reachedSlack-extra))
		for i := range out.sums {
			out.sums[i] += extra
		}
		if !out.sendWithin(&s.mask, from, to, sink) {
			return nil
		}
	}
	return nil
}

// Known returns how many hits there are at least, as far as that can be told
// without looking, and whether that is all of them.
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
	case *termStep, *setStep, *listStep:
		return s.cost(), true
	case *expandStep:
		return s.of.atLeast, s.of.isCount
	case *constantStep:
		return knownOf(s.step)
	case *orStep:
		if _, near := wordIn(s); near != nil {
			return knownOf(near)
		}
		for _, c := range s.steps {
			n, _ := knownOf(c)
			atLeast = max(atLeast, n)
		}
	}
	return atLeast, false
}
