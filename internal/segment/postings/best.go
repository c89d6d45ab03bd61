package postings

import (
	"cmp"
	"math"
	"slices"
)

// best counts the documents of a term by frequency and length, to keep those
// that score highest: a search for the top k of the term then knows a score
// that k documents reach before it looks at any.
type best struct {
	counts  *[(bestFreq + 1) << 8]uint32 // nil until a term needs it
	used    []uint16                     // cells of counts that are not zero
	average float64                      // length
	norms   *[256]float32                // nil until a term needs it
	cells   []cell
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
	for _, i := range b.used {
		b.counts[i] = 0
	}
	b.used = b.used[:0]
}

// setAverage states the average length of documents.
func (b *best) setAverage(length float64) { b.average, b.norms = length, nil }

// prepare computes the BM25 norms with the usual parameters.
func (b *best) prepare() {
	const k1, slope = 1.2, 0.75
	b.norms = new([256]float32)
	for code := range b.norms {
		b.norms[code] = float32(k1 * (1 - slope + slope*float64(DecodeLength(byte(code)))/max(b.average, 1)))
	}
}

// add counts a block; frequencies are minus one.
func (b *best) add(freqs []uint32, lengths []byte) {
	if b.counts == nil {
		b.counts = new([(bestFreq + 1) << 8]uint32)
	}
	for i, f := range freqs {
		at := min(f+1, bestFreq)<<8 | uint32(lengths[i])
		if b.counts[at] == 0 {
			b.used = append(b.used, uint16(at))
		}
		b.counts[at]++
	}
}

func (b *best) appendTo(dst []byte) []byte {
	if b.norms == nil {
		b.prepare()
	}
	cells := b.cells[:0]
	for _, i := range b.used {
		f := float32(i >> 8)
		cells = append(cells, cell{f / (f + b.norms[i&255]), byte(i >> 8), byte(i), b.counts[i]})
	}
	slices.SortFunc(cells, func(x, y cell) int {
		return cmp.Or(cmp.Compare(y.score, x.score), cmp.Compare(x.freq, y.freq), cmp.Compare(x.length, y.length))
	})
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

// Reached is a part of the score that at least k documents of the term reach,
// deleted ones included; 0 when none is known. The iterator may stand
// anywhere.
func (it *Iterator) Reached(k int, by Scorer) float32 {
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
	lowest := float32(math.MaxFloat32)
	for b = b[:n]; len(b) >= 3; b = b[3:] {
		lowest = min(lowest, by.Part(uint32(b[1]), b[2]))
		if k -= int(b[0]); k <= 0 {
			return lowest
		}
	}
	return 0
}
