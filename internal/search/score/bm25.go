// Package score holds the arithmetic of ranking: BM25F over length bytes,
// ranking signals, and distances on the earth. The guide "relevance" says what
// the numbers are for.
//
// A Table turns (occurrences, length byte) into the part of a word's score, or
// of its weighted occurrences, with one load for small frequencies, so that a
// block of postings is scored without a division per document. Tables are
// immutable once made and may be read from many goroutines.
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
	// K1 is how soon further occurrences stop counting.
	K1 = 2.0
	// longest is how many averages of its field a length counts at most, so that
	// a word in a very long value still counts more than a typo of it.
	longest = 16
)

// IDF returns the weight of a term that n of total documents hold.
func IDF(n, total uint64) float64 {
	if n > total {
		total = n // statistics of postings may run ahead of those of the field
	}
	return math.Log1p((float64(total-n) + 0.5) / (float64(n) + 0.5))
}

// Presence is what a word of a text with n distinct words counts for being
// there at all. It makes short texts prefer documents with all words.
func Presence(n int) float64 { return min(0.5, 4/float64(n*n)) }

// Share is what the share of a word in a short value counts at most, in a text
// with n distinct words.
func Share(n int) float64 { return 0.5 / float64(n*n) }

// ShareOf is the share of one word in a value of a field: 1 ÷ length where the
// field asks for strong normalization, else 0.
func ShareOf(norm definition.LengthNormalization, length float64) float64 {
	if norm != definition.LengthStrong {
		return 0
	}
	return 1 / max(1, length)
}

// Norm is what occurrences in a value are divided by: 1 for a value of the
// average length, more for longer ones.
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

// Occurrences is what a frequency counts in a value of so many words. Without
// length normalization the first occurrence counts the same in every value,
// and the length damps repetitions alone.
func Occurrences(norm definition.LengthNormalization, frequency, length, average float64) float64 {
	if norm == definition.LengthNone {
		return min(frequency, 1) + max(0, frequency-1)/Norm(norm, length, average)
	}
	return frequency / Norm(norm, length, average)
}

// Saturate returns the share of a word's score that weighted occurrences reach,
// over fields of a mean weight.
func Saturate(occurrences, meanWeight float64) float64 {
	return occurrences / (occurrences + K1*meanWeight)
}

// Quality joins what a word counts by its occurrences, by being there, and by
// its share in a value, of a text with n distinct words. It lies between 0 and
// 1.
func Quality(saturation, share float64, n int) float64 {
	return (saturation + Presence(n) + Share(n)*share) / (1 + Presence(n) + Share(n))
}

const (
	// Near is how many positions apart two words of a text stand at most to
	// count as a pair.
	Near = 8
	// PairWeight is what a pair counts of its more frequent word.
	PairWeight = 0.6
)

// SmallFrequencies is how many frequencies a Table has precomputed; nearly
// every posting is below it.
const SmallFrequencies = 16

// BoundSlack covers rounding between a bound and the scores below it.
const BoundSlack = 1 + 1e-6

// Form says what a Table turns occurrences into.
type Form struct {
	Length definition.LengthNormalization
	// Words is the number of distinct words of the text, for qualities. 0 leaves
	// saturation alone.
	Words int
	// Weight is that of the field, for weighted occurrences; 0 for qualities of a
	// word of one field.
	Weight float64
	// Mean is the weight of the fields of a word, for the quality of a document
	// that holds it in this one alone; 0 leaves the weighted occurrences.
	Mean float64
}

// Table holds what every small frequency and length byte makes of a score: the
// quality of a word that is looked up in one field, or the weighted occurrences
// in one field of several.
type Table struct {
	parts   [SmallFrequencies * 256]float32 // frequency × 256 + length byte
	lengths *[256]float64
	average float64
	form    Form
}

// NewTable returns the table of a field with the average length. lengths maps
// a length byte to the length it stands for and must not change.
func NewTable(lengths *[256]float64, average float64, form Form) *Table {
	t := &Table{lengths: lengths, average: average, form: form}
	for code := range lengths {
		for f := 1; f < SmallFrequencies; f++ {
			t.parts[f<<8|code] = t.PartOf(float64(f), byte(code))
		}
	}
	return t
}

// Part returns what a frequency makes of a score in a value with a length
// byte.
func (t *Table) Part(frequency uint32, length byte) float32 {
	if frequency < SmallFrequencies {
		return t.parts[frequency<<8|uint32(length)]
	}
	return t.PartOf(float64(frequency), length)
}

// Small is the parts of frequencies below SmallFrequencies, at frequency × 256 +
// length byte. They must not be changed.
func (t *Table) Small() []float32 { return t.parts[:] }

// PartOf is Part for a frequency that is not a whole number, as words with
// synonyms and sloppy phrases have.
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
// apart.
func Raise(bound float32) float32 { return bound * BoundSlack }

// MaxScore returns a score that no document exceeds by a term of a weight.
func MaxScore(weight float32) float32 { return weight * BoundSlack }
