package postings

import (
	"math"
	"slices"
)

// best counts the documents of a term by frequency and length and keeps the
// highest-scoring ones: a search for the top k of the term then has a threshold
// that k documents reach before it evaluates any.
type best struct {
	counts  *[(bestFreq + 1) << 8]uint32 // nil until a term needs it
	used    []uint16                     // cells of counts that are not zero
	average float64                      // average length
	norms   *[256]float32                // nil until a term needs it
	cells   []cell
}

// cell stands for the documents of one frequency and length, as a number that sorts
// by descending score, then ascending frequency, then ascending length.
type cell uint64

// newCell returns the cell for an index of the counts. Scores are not negative, so
// their bits sort like their values.
func newCell(score float32, at uint16) cell {
	return cell(^math.Float32bits(score))<<16 | cell(at)
}

// at returns the index in the counts: the frequency, with the length in the low
// byte.
func (c cell) at() uint16 { return uint16(c) }

const (
	// bestFreq is the highest frequency that is distinguished: because of
	// saturation, higher ones score about the same.
	bestFreq = 15
	// bestDocs is the number of documents kept.
	bestDocs = 128
)

func (b *best) reset() {
	for _, i := range b.used {
		b.counts[i] = 0
	}
	b.used = b.used[:0]
}

// setAverage sets the average length of documents.
func (b *best) setAverage(length float64) { b.average, b.norms = length, nil }

// prepare computes the BM25 norms with the usual parameters.
func (b *best) prepare() {
	const k1, slope = 1.2, 0.75
	b.norms = new([256]float32)
	for code := range b.norms {
		b.norms[code] = float32(k1 * (1 - slope + slope*float64(DecodeLength(byte(code)))/max(b.average, 1)))
	}
}

// add counts a block; freqs are frequencies minus one.
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
		cells = append(cells, newCell(float32(i>>8)/(float32(i>>8)+b.norms[i&255]), i))
	}
	slices.Sort(cells)
	b.cells = cells
	at := len(dst)
	dst = append(dst, 0)
	total := uint32(0)
	for _, c := range cells {
		if total >= bestDocs || dst[at] == 255 {
			break
		}
		count := b.counts[c.at()]
		dst = append(dst, byte(min(count, 255)), byte(c.at()>>8), byte(c.at()))
		dst[at]++
		total += count
	}
	return dst
}

// Reached returns a partial score that at least k documents of the term reach,
// counting deleted ones; 0 when none is known. The position of the iterator does
// not matter.
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
