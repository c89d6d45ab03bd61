// Package score holds the arithmetic of ranking: BM25F over length bytes, ranking
// signals, and distances on the earth. The guide "relevance" explains the numbers.
//
// A Table maps (occurrences, length byte) to a part of a word's score, or to its
// weighted occurrences, with one load for small frequencies, so that a block of
// postings is scored without a division per document. Tables are immutable and may
// be read by any number of goroutines.
//
// Invariants:
//
//	BM1  Part grows with the frequency and shrinks with the length.
//	BM2  Bound of a set of pairs is never below the score of a document whose
//	     pair one of them dominates.
package score

import (
	"math"

	"github.com/quiresearch/quire/definition"
)

const (
	// K1 sets how quickly further occurrences stop counting (BM25's k1).
	K1 = 2.0
	// longest caps a length at that many averages of its field, so that a word in a
	// very long value still counts more than a typo of it.
	longest = 16
)

// IDF returns the weight of a term that n of total documents hold.
func IDF(n, total uint64) float64 {
	if n > total {
		total = n // postings statistics may be ahead of those of the field
	}
	return math.Log1p((float64(total-n) + 0.5) / (float64(n) + 0.5))
}

// Presence returns what a word of a text with n distinct words scores merely for
// occurring. It makes short texts prefer documents with all words.
func Presence(n int) float64 { return min(0.5, 4/float64(n*n)) }

// Share returns the weight of a word's share in a short value, for a text with n
// distinct words.
func Share(n int) float64 { return 0.5 / float64(n*n) }

// ShareOf returns the share of one word in a value of a field: 1 ÷ length with
// strong length normalization, else 0.
func ShareOf(norm definition.LengthNormalization, length float64) float64 {
	if norm != definition.LengthStrong {
		return 0
	}
	return 1 / max(1, length)
}

// Norm returns the divisor of occurrences in a value: 1 for a value of average
// length, more for longer ones.
func Norm(norm definition.LengthNormalization, length, average float64) float64 {
	if average <= 0 {
		return 1
	}
	b := 0.75
	if norm == definition.LengthStrong {
		b = 1
	}
	return 1 - b + b*min(max(1, length)/average, longest)
}

// Occurrences returns the normalized count of a frequency in a value of length
// words. Without length normalization the first occurrence counts the same in every
// value, and the length damps only repetitions.
func Occurrences(norm definition.LengthNormalization, frequency, length, average float64) float64 {
	if norm == definition.LengthNone {
		return min(frequency, 1) + max(0, frequency-1)/Norm(norm, length, average)
	}
	return frequency / Norm(norm, length, average)
}

// Saturate returns the fraction of a word's score that weighted occurrences reach,
// for fields with a mean weight of meanWeight.
func Saturate(occurrences, meanWeight float64) float64 {
	return occurrences / (occurrences + K1*meanWeight)
}

// Quality combines the saturation of a word's occurrences, its presence, and its
// share in a value, for a text with n distinct words. It lies between 0 and 1.
func Quality(saturation, share float64, n int) float64 {
	return (saturation + Presence(n) + Share(n)*share) / (1 + Presence(n) + Share(n))
}

const (
	// Near is the maximum distance in positions at which two words of a text count
	// as a pair.
	Near = 8
	// PairWeight is the weight of a pair relative to its more frequent word.
	PairWeight = 0.6
)

// SmallFrequencies is the number of frequencies for which a Table is precomputed;
// nearly every posting is below it.
const SmallFrequencies = 16

// BoundSlack covers the rounding differences between a bound and the scores it
// bounds.
const BoundSlack = 1 + 1e-6

// Form says what a Table maps occurrences to.
type Form struct {
	Length definition.LengthNormalization
	// Words is the number of distinct words of the text, for qualities. 0 computes
	// the saturation alone.
	Words int
	// Weight is the weight of the field, for weighted occurrences; 0 computes the
	// quality of a word of one field.
	Weight float64
	// Mean is the mean weight of the fields of a word, for the quality of a document
	// that holds the word in this field only; 0 computes the weighted occurrences.
	Mean float64
}

// Table holds the result for every small frequency and length byte: the quality of
// a word of one field, or the weighted occurrences in one field of several.
type Table struct {
	parts   [SmallFrequencies * 256]float32 // frequency × 256 + length byte
	lengths *[256]float64
	average float64
	form    Form
}

// NewTable returns the table of a field with the average length. lengths maps a
// length byte to the length it encodes and must not change.
func NewTable(lengths *[256]float64, average float64, form Form) *Table {
	t := &Table{lengths: lengths, average: average, form: form}
	for code := range lengths {
		for f := 1; f < SmallFrequencies; f++ {
			t.parts[f<<8|code] = t.PartOf(float64(f), byte(code))
		}
	}
	return t
}

// Part returns the part for a frequency in a value with a length byte.
func (t *Table) Part(frequency uint32, length byte) float32 {
	if frequency < SmallFrequencies {
		return t.parts[frequency<<8|uint32(length)]
	}
	return t.PartOf(float64(frequency), length)
}

// Small returns the parts of frequencies below SmallFrequencies, at frequency × 256
// + length byte. The caller must not modify it.
func (t *Table) Small() []float32 { return t.parts[:] }

// PartOf is Part for a fractional frequency, as words with synonyms and sloppy
// phrases have.
func (t *Table) PartOf(frequency float64, length byte) float32 {
	occurrences := Occurrences(t.form.Length, frequency, t.lengths[length], t.average)
	mean := 1.0
	if t.form.Weight > 0 {
		occurrences *= t.form.Weight
		if mean = t.form.Mean; mean == 0 {
			return float32(occurrences)
		}
	}
	saturation := Saturate(occurrences, mean)
	if t.form.Words == 0 {
		return float32(saturation)
	}
	return float32(Quality(saturation, ShareOf(t.form.Length, t.lengths[length]), t.form.Words))
}

// Raise returns a bound that holds although bounds and scores are rounded
// differently.
func Raise(bound float32) float32 { return bound * BoundSlack }

// MaxScore returns an upper bound of the score that a term with a weight gives.
func MaxScore(weight float32) float32 { return weight * BoundSlack }
