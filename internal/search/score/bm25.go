// Package score holds the arithmetic of ranking: BM25 over length bytes,
// ranking signals, and distances on the earth.
//
// A Table turns (occurrences, length byte) into the saturated share of a term
// score with one load for small frequencies, so that a block of postings is
// scored without a division per document. Tables are immutable once made and
// may be read from many goroutines.
//
// Invariants:
//
//	C1  Part grows with the frequency and shrinks with the length.
//	C2  Bound of a set of pairs is never below the score of a document whose
//	    pair one of them dominates.
package score

import "math"

// K1 is how soon further occurrences stop counting.
const K1 = 1.2

// IDF returns the weight of a term that n of total documents hold.
func IDF(n, total uint64) float64 {
	if n > total {
		total = n // statistics of postings may run ahead of those of the field
	}
	return math.Log1p((float64(total-n) + 0.5) / (float64(n) + 0.5))
}

// SmallFrequencies is how many frequencies a Table has precomputed; nearly
// every posting is below it.
const SmallFrequencies = 16

// slack covers rounding between a bound and the scores below it.
const slack = 1 + 1e-6

// Table holds the saturated share of every small frequency and length byte.
type Table struct {
	parts [SmallFrequencies * 256]float32 // frequency × 256 + length byte
	norms [256]float32                    // K1 × (1 − b + b × len ÷ avg)
}

// NewTable returns the table of a field with the average length, for the
// share b of the length. lengths maps a length byte to the length it stands
// for.
func NewTable(lengths *[256]float64, average, b float64) *Table {
	t := &Table{}
	for code, length := range lengths {
		norm := float32(K1)
		if b > 0 && average > 0 {
			norm = float32(K1 * (1 - b + b*length/average))
		}
		t.norms[code] = norm
		for f := 1; f < SmallFrequencies; f++ {
			t.parts[f<<8|code] = part(float64(f), float64(norm))
		}
	}
	return t
}

func part(f, norm float64) float32 { return float32(f / (f + norm)) }

// Part returns f / (f + norm) for a frequency and a length byte.
func (t *Table) Part(frequency uint32, length byte) float32 {
	if frequency < SmallFrequencies {
		return t.parts[frequency<<8|uint32(length)]
	}
	return part(float64(frequency), float64(t.norms[length]))
}

// PartOf returns the share of a frequency that is not a whole number, as
// blended terms and sloppy phrases have.
func (t *Table) PartOf(frequency float64, length byte) float32 {
	return part(frequency, float64(t.norms[length]))
}

// Norms returns K1 × (1 − b + b × len ÷ avg) per length byte. It must not be
// changed.
func (t *Table) Norms() *[256]float32 { return &t.norms }

// Raise returns a bound that holds although bounds and scores are rounded
// apart.
func Raise(bound float32) float32 { return bound * slack }

// Ceiling returns a score that no document exceeds.
func Ceiling(weight float32) float32 { return weight * slack }
