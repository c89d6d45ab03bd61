package collect

import (
	"math/bits"

	"github.com/quiresearch/quire/internal/search/match"
)

// Hits ordered by a text are ranked by the ordinals of a column: once a page is full, the
// ordinals that still rank before its last hit are a range, and documents outside of it are
// skipped without reading anything else.

// ordinalsBefore returns the range of ordinals, plus one as stored in the column, with which a
// document may become a hit; the range is empty when none can. It returns false while documents
// must be checked one by one.
func (k *ranker) ordinalsBefore() (least, most uint32, ok bool) {
	first := &k.keys[0]
	if first.Kind != ByText || !k.isFull() || first.ordinals == nil || first.ordinals.Multi() || first.List != "" {
		return 0, 0, false
	}
	worst := k.ranks[0]
	if worst.place != 0 || first.turn(0, false).place < 0 {
		return 0, 0, false // documents without a value may become hits
	}
	number := worst.number
	if first.flip {
		number = ^number
	}
	last := uint32(number/2) + 1 // ordinal of the worst hit, plus one
	// Among equals the first document ranks first: later ones rank after it.
	tied := len(k.keys) > 1 || k.backwards
	switch {
	case first.flip && tied:
		return last, first.ordinals.Len(), true
	case first.flip:
		return last + 1, first.ordinals.Len(), true
	case tied:
		return 1, last, true
	}
	return 1, last - 1, true
}

// offerOrdinals offers those documents of a window whose ordinals are in a range.
func (k *ranker) offerOrdinals(base uint32, matched *match.Bits, least, most uint32) {
	if least > most {
		return
	}
	narrowed := *matched
	k.keys[0].ordinals.Narrow(base, narrowed[:], least, most)
	for i, w := range narrowed {
		for ; w != 0; w &= w - 1 {
			k.offer(base+uint32(i<<6+bits.TrailingZeros64(w)), 0)
		}
	}
}
