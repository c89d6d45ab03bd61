package match

import "context"

// Exhaustive evaluation: every window in which the root has a match is run, and all matches are
// handed over. This is the strategy of plans that no other strategy fits, and the start of
// strategies that wait until the sink prunes: nothing can be skipped while every match is
// wanted. Once the sink prunes, windows whose bound does not exceed the threshold are skipped.
//
// Example, with 4,096 documents in a window, a root that matches the documents 5, 9,000 and
// 9,001 with scores 1, 3 and 2, and a sink that keeps one hit: the first window hands over 5
// and the threshold becomes 1. No match precedes 9,000, so the second window is not run. The
// third is bounded by 3: it is run, and the threshold becomes 3. Nothing follows 9,001, so the
// walk ends.

// isFlat reports whether a step has the same bound for all documents, which is free to query.
func isFlat(s step) bool {
	switch s.(type) {
	case *constantStep, *listStep:
		return true
	}
	return false
}

// until says where a walk of windows stops.
type until uint8

const (
	untilEnd       until = iota
	untilPruning         // before the first window for which the sink prunes
	untilThreshold       // before the first window for which it also has a threshold
)

// isReached reports whether a walk stops.
func (u until) isReached(sink Sink) bool {
	return u != untilEnd && sink.Prunes() && (u == untilPruning || sink.Threshold() > 0)
}

// walkWindows walks the windows in [from, to). It returns where it stopped, which is to at
// the end.
func (s *Scanner) walkWindows(ctx context.Context, from, to uint32, sink Sink, until until) (uint32, error) {
	done := ctx.Done()
	in, out := &s.scratch.in, &s.scratch.out
	flat := s.sums != nil && isFlat(s.root)
	for base := from &^ (Span - 1); base < to; base += Span {
		if until.isReached(sink) {
			return base, nil
		}
		if err := canceled(ctx, done); err != nil {
			return to, err
		}
		next := s.root.next(base)
		if next == NoMore || next >= to {
			return to, nil
		}
		base = next &^ (Span - 1)
		if flat && sink.Prunes() && s.root.bound(base, to) <= sink.Threshold() {
			s.passOver()
			return to, nil // the rest has the same bound
		}
		if sink.Prunes() && (sink.SkipsWindow(base) || s.sums != nil && s.root.bound(base, base+Span) <= sink.Threshold()) {
			s.passOver()
			continue
		}
		s.mask.window(base, in)
		s.scratch.dirty = true
		s.root.run(base, in, out, s.sums)
		goesOn := out.Empty() || sink.Take(base, out, s.sums)
		s.scratch.dirty = false // the sink has cleared what it took
		if !goesOn {
			s.skipped = true
			return to, nil
		}
	}
	return to, nil
}
