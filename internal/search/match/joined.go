package match

import (
	"math/bits"

	"github.com/quiresearch/quire/internal/search/match/window"
)

// Joined windows: a walk processes several windows as one when the cost per window exceeds that
// of the documents in it.

// maxWindows is the largest number of joined windows. The words of a text have several readings
// in several fields, and each is bounded, sought and looked up in every window. A walk starts
// with one window and joins more later, because the threshold rises from one look to the next.
const maxWindows = 4

// endOfLook returns the end of the windows to join from base on: their number doubles with
// every step, up to maxWindows. It makes memory for them.
func (s *Scanner) endOfLook(base, to uint32, steps int) uint32 {
	windows := min(uint32(1)<<min(steps, 31), maxWindows)
	end := joinedEnd(base, min(windows, (to-base+Span-1)/Span))
	if end-base > Span {
		s.growJoined()
	}
	return end
}

// joinedEnd returns the end of the joined windows from base on: their number is windows rounded
// down to a power of two.
func joinedEnd(base, windows uint32) uint32 { return base + Span<<(bits.Len32(windows)-1) }

// joinedBits is the state of a walk in the joined windows.
type joinedBits struct {
	in      [maxWindows]Bits // documents that may be hits
	matched [maxWindows * window.Words]uint64
}

// growJoined makes memory for joined windows.
func (s *Scanner) growJoined() {
	s.scratch.grow(maxWindows)
	s.sums = s.scratch.window()
}

// union accumulates the documents of several terms in one or more windows, with the sums of
// their scores.
type union struct {
	base    uint32
	sums    []float64
	matched []uint64
	marked  []uint64 // documents are marked here as they are added: matched, or nil
}

// newUnion returns an empty union. isMarked says that documents are few and to be marked.
func (s *Scanner) newUnion(base, end uint32, isMarked bool) union {
	u := union{base: base, sums: s.scratch.sums[:end-base], matched: s.scratch.joined.matched[:(end-base)/64]}
	clear(u.matched)
	if isMarked {
		u.marked = u.matched
	}
	return u
}

func (u *union) windows() int { return len(u.sums) / Span }

// window returns the documents and sums of the i-th window.
func (u *union) window(i int) (*Bits, *Sums) {
	return (*Bits)(u.matched[i*window.Words:]), (*Sums)(u.sums[i*Span:])
}

// takeUnion appends the documents of a union that score above least to the batch, and resets
// the sums to zero.
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
