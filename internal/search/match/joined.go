package match

import (
	"math/bits"

	"github.com/quiresearch/quire/internal/search/match/window"
)

// Joined windows: a walk looks at several windows as one where looking at a window costs
// more than the documents in it.

// maxWindows is how many windows are looked at as one at most. The words of a text have
// several readings in several fields, and each is bounded, sought and looked up in every
// window. The first look is at one window, later ones at more: the threshold rises from one
// look to the next.
const maxWindows = 4

// endOfLook is where the windows end that are looked at as one from base on, after some
// steps in each of which their number is doubled. It makes memory for them.
func (s *Scanner) endOfLook(base, to uint32, steps int) uint32 {
	windows := min(uint32(1)<<min(steps, 31), maxWindows)
	end := joinedEnd(base, min(windows, (to-base+Span-1)/Span))
	if end-base > Span {
		s.growJoined()
	}
	return end
}

// joinedEnd is where the windows from base on end that are looked at as one, when there
// are so many: the largest power of two.
func joinedEnd(base, windows uint32) uint32 { return base + Span<<(bits.Len32(windows)-1) }

// joinedBits is what a walk knows of the windows that it looks at as one.
type joinedBits struct {
	in      [maxWindows]Bits // that may be hits
	matched [maxWindows * window.Words]uint64
}

// growJoined makes memory for windows that are looked at as one.
func (s *Scanner) growJoined() {
	s.scratch.grow(maxWindows)
	s.sums = s.scratch.window()
}

// union is the documents of several terms in a window or more, with the sums of their
// scores.
type union struct {
	base    uint32
	sums    []float64
	matched []uint64
	marked  []uint64 // is matched where documents are marked as they are added, or nil
}

// newUnion returns an empty union. Where its documents are few, they are marked.
func (s *Scanner) newUnion(base, end uint32, isMarked bool) union {
	u := union{base: base, sums: s.scratch.sums[:end-base], matched: s.scratch.joined.matched[:(end-base)/64]}
	clear(u.matched)
	if isMarked {
		u.marked = u.matched
	}
	return u
}

func (u *union) windows() int { return len(u.sums) / Span }

// window returns the documents and sums of one of its windows.
func (u *union) window(i int) (*Bits, *Sums) {
	return (*Bits)(u.matched[i*window.Words:]), (*Sums)(u.sums[i*Span:])
}

// takeUnion appends the documents of a union to the batch that score above least. The
// sums are zero afterwards.
func (s *Scanner) takeUnion(u *union, least float64) {
	if u.marked == nil {
		// Every document scores above zero, so a sum of zero is not a match.
		s.skipped = s.skipped || least > 0
		least = max(0, least)
	}
	for i := range u.windows() {
		matched, sums := u.window(i)
		if u.marked == nil {
			window.Above(sums, least, matched)
		}
		if s.scratch.batch.Take(u.base+uint32(i)*Span, matched, sums, least) {
			s.skipped = true
		}
	}
	if u.marked == nil {
		clear(u.sums)
	}
}
