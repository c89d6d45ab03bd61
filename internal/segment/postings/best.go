package postings

import (
	"cmp"
	"slices"
)

// best counts the documents of a term by frequency and length, to keep those
// that score highest: a search for the top k of the term then knows a score
// that k documents reach before it looks at any.
type best struct {
	counts *[(bestFreq + 1) << 8]uint32 // nil until a term needs it
	some   bool
	norms  [256]float32
	cells  []cell
}

// cell are documents of one frequency and length.
type cell struct {
	score        float32
	freq, length byte
	count        uint32
}

const (
	// bestFreq is the highest frequency told apart: saturation makes higher
	// ones score about the same.
	bestFreq = 15
	// bestDocs is how many documents are kept.
	bestDocs = 128
)

func (b *best) reset() {
	if b.some {
		clear(b.counts[:])
		b.some = false
	}
}

// setAverage prepares the BM25 norms with the usual parameters.
func (b *best) setAverage(length float64) {
	const k1, slope = 1.2, 0.75
	for code := range b.norms {
		b.norms[code] = float32(k1 * (1 - slope + slope*float64(DecodeLength(byte(code)))/max(length, 1)))
	}
}

// add counts a block; frequencies are minus one.
func (b *best) add(freqs []uint32, lengths []byte) {
	if b.counts == nil {
		b.counts = new([(bestFreq + 1) << 8]uint32)
	}
	b.some = true
	for i, f := range freqs {
		b.counts[min(f+1, bestFreq)<<8|uint32(lengths[i])]++
	}
}

func (b *best) appendTo(dst []byte) []byte {
	cells := b.cells[:0]
	for i, n := range b.counts {
		if n != 0 {
			f := float32(i >> 8)
			cells = append(cells, cell{f / (f + b.norms[i&255]), byte(i >> 8), byte(i), n})
		}
	}
	slices.SortFunc(cells, func(x, y cell) int { return cmp.Compare(y.score, x.score) })
	b.cells = cells
	at := len(dst)
	dst = append(dst, 0)
	total := uint32(0)
	for _, c := range cells {
		if total >= bestDocs || dst[at] == 255 {
			break
		}
		dst = append(dst, byte(min(c.count, 255)), c.freq, c.length)
		dst[at]++
		total += c.count
	}
	return dst
}

// Reached is a saturation f/(f+norms[length]) that at least k documents of
// the term reach, deleted ones included; 0 when none is known. See
// Impacts.Max. The iterator may stand anywhere.
func (it *Iterator) Reached(k int, norms *[256]float32) float32 {
	if it.numBlocks <= 1 || k <= 0 {
		return 0
	}
	at := int(it.impactAts[len(it.impactAts)-1])
	if at >= len(it.impacts) {
		return 0
	}
	b := it.impacts[at+1:]
	n := 3 * int(it.impacts[at])
	if n > len(b) {
		return 0
	}
	lowest := float32(1)
	for b = b[:n]; len(b) >= 3; b = b[3:] {
		f := float32(b[1])
		lowest = min(lowest, f/(f+norms[b[2]]))
		if k -= int(b[0]); k <= 0 {
			return lowest
		}
	}
	return 0
}
