package postings

import "slices"

// BlockImpacts returns the impacts of the current block, valid until the next call.
// It returns nil when they are unknown: then the block has no bound.
func (it *Iterator) BlockImpacts() Impacts {
	return it.readImpacts(it.blockPairs[:0], it.block)
}

// GroupImpacts returns the impacts of the group of 32 blocks that contains the
// current block, valid until the next call.
func (it *Iterator) GroupImpacts() Impacts {
	if it.numBlocks <= 1 {
		return it.readImpacts(it.groupPairs[:0], it.block)
	}
	return it.readImpacts(it.groupPairs[:0], it.numBlocks+it.block/GroupSize)
}

// TermImpacts returns the impacts of the whole term, valid until the next call. The
// position of the iterator does not matter.
func (it *Iterator) TermImpacts() Impacts {
	if it.numBlocks <= 1 {
		return it.readImpacts(it.termPairs[:0], 0)
	}
	return it.readImpacts(it.termPairs[:0], len(it.impactAts)-2)
}

// GroupLastDoc returns the last document of the group of the current block.
func (it *Iterator) GroupLastDoc() uint32 {
	last := min((it.block/GroupSize+1)*GroupSize, it.numBlocks) - 1
	if uint(last) >= uint(len(it.lastDocs)) {
		return NoMoreDocs
	}
	return it.lastDocs[last]
}

func (it *Iterator) readImpacts(dst Impacts, list int) Impacts {
	if it.tiny {
		// The lengths are in the documents themselves; zero is a lower bound.
		return append(dst, Impact{Freq: uint8(min(slices.Max(it.freqs[:it.df]), manyFreq)), Length: 0})
	}
	if list < 0 || list >= len(it.impactAts) {
		return nil
	}
	at := int(it.impactAts[list])
	if at >= len(it.impacts) {
		return nil
	}
	n := int(it.impacts[at])
	b := it.impacts[at+1:]
	if n > maxPairs || 2*n > len(b) {
		return nil
	}
	for i := range n {
		dst = append(dst, Impact{Freq: b[2*i], Length: b[2*i+1]})
	}
	return dst
}

// keptBounds is the number of bounds that an iterator caches: the bound of a block
// is used several times before the walk has passed it.
const keptBounds = 8

// keptBound is the bound of one stored list; list is the list's number plus one.
type keptBound struct {
	list int32
	max  float32
}

// maxOf is Impacts.Max of one stored list, without copying the list.
func (it *Iterator) maxOf(list int, by Scorer) float32 {
	if it.tiny || list >= len(it.impactAts) {
		return it.BlockImpacts().Max(by)
	}
	if it.boundBy != by {
		it.boundBy, it.small, it.bounds = by, by.Small(), [keptBounds]keptBound{}
	}
	kept := &it.bounds[list%keptBounds]
	if kept.list != int32(list+1) {
		*kept = keptBound{int32(list + 1), it.computeMax(list, by)}
	}
	return kept.max
}

func (it *Iterator) computeMax(list int, by Scorer) float32 {
	at := int(it.impactAts[list])
	if at >= len(it.impacts) {
		return partOf(by, manyFreq, 0)
	}
	b := it.impacts[at+1:]
	n := 2 * int(it.impacts[at])
	if n == 0 || n > len(b) {
		return partOf(by, manyFreq, 0)
	}
	var best float32
	for b = b[:n]; len(b) >= 2; b = b[2:] {
		if at := int(b[0])<<8 | int(b[1]); at < len(it.small) && b[0] != manyFreq {
			best = max(best, it.small[at])
		} else {
			best = max(best, partOf(by, b[0], b[1]))
		}
	}
	return best
}

// BlockMax returns BlockImpacts().Max(by).
func (it *Iterator) BlockMax(by Scorer) float32 { return it.maxOf(it.block, by) }

// GroupMax returns GroupImpacts().Max(by).
func (it *Iterator) GroupMax(by Scorer) float32 {
	if it.numBlocks <= 1 {
		return it.maxOf(it.block, by)
	}
	return it.maxOf(it.numBlocks+it.block/GroupSize, by)
}

// MaxIn returns an upper bound of Impacts.Max over all documents d with from ≤ d <
// to. It considers the blocks from the current one on without moving; 0 when none
// of them overlaps the range.
func (it *Iterator) MaxIn(from, to uint32, by Scorer) float32 {
	b := max(it.block, 0)
	if b >= it.numBlocks || from >= to {
		return 0
	}
	if it.lastDocs[b] < from {
		lo, hi := b, it.numBlocks
		for step := 1; lo+step < it.numBlocks; step <<= 1 {
			if it.lastDocs[lo+step] >= from {
				hi = lo + step
				break
			}
			lo += step
		}
		for lo+1 < hi {
			if mid := int(uint(lo+hi) >> 1); it.lastDocs[mid] < from {
				lo = mid
			} else {
				hi = mid
			}
		}
		b = hi
	}
	var best float32
	for ; b < it.numBlocks; b++ {
		if b > 0 && it.lastDocs[b-1] >= to-1 {
			break
		}
		// A group that lies entirely in the range has a bound of its own.
		if b%GroupSize == 0 && it.numBlocks > 1 && b+GroupSize <= it.numBlocks && it.lastDocs[b+GroupSize-1] < to {
			best = max(best, it.maxOf(it.numBlocks+b/GroupSize, by))
			b += GroupSize - 1
			continue
		}
		best = max(best, it.maxOf(b, by))
	}
	return best
}
