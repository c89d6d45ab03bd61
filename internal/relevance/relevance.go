// Package relevance measures rankings against judgements: nDCG, reciprocal
// rank, precision, recall, and whether the difference between two rankings is
// more than chance.
//
// A ranking is the keys of hits, best first, each at most once. Grades are the
// judged keys of one query; a key with a grade above 0 is relevant, a key
// without a grade is not. Every measure lies between 0 and 1 and is 0 for a
// query without relevant keys. The package is pure: same input, same output.
package relevance

import (
	"math"
	"slices"
)

// NDCG is the normalized discounted cumulative gain of the best k hits
// (Järvelin and Kekäläinen, 2002) with the exponential gain 2^grade − 1 and
// the discount log2(rank + 1) of Burges et al., 2005.
//
// With grades a: 3, b: 1 the ranking x, a, b has the gain 7/log2(3) + 1/log2(4)
// of the possible 7/log2(2) + 1/log2(3): 0.644.
func NDCG(ranking []string, grades map[string]float64, k int) float64 {
	ideal := make([]float64, 0, len(grades))
	for _, g := range grades {
		if g > 0 {
			ideal = append(ideal, gain(g))
		}
	}
	if len(ideal) == 0 {
		return 0
	}
	slices.Sort(ideal)
	slices.Reverse(ideal)
	possible, reached := 0.0, 0.0
	for i, g := range ideal[:min(k, len(ideal))] {
		possible += g / discount(i)
	}
	for i, key := range first(ranking, k) {
		if g := grades[key]; g > 0 {
			reached += gain(g) / discount(i)
		}
	}
	return reached / possible
}

func gain(grade float64) float64 { return math.Exp2(grade) - 1 }

// discount is that of the hit at a position, counted from 0.
func discount(position int) float64 { return math.Log2(float64(position) + 2) }

func first(ranking []string, k int) []string { return ranking[:min(k, len(ranking))] }

// Rank is the place of a key in a ranking, counted from 1; 0 when it is not
// there.
func Rank(ranking []string, key string) int { return slices.Index(ranking, key) + 1 }

// ReciprocalRank is 1 / rank of the first relevant hit among the best k.
func ReciprocalRank(ranking []string, grades map[string]float64, k int) float64 {
	for i, key := range first(ranking, k) {
		if grades[key] > 0 {
			return 1 / float64(i+1)
		}
	}
	return 0
}

// Precision is the share of k places that relevant hits take.
func Precision(ranking []string, grades map[string]float64, k int) float64 {
	return float64(relevantHits(ranking, grades, k)) / float64(k)
}

// Recall is the share of the relevant keys that the best k hits hold.
func Recall(ranking []string, grades map[string]float64, k int) float64 {
	relevant := 0
	for _, g := range grades {
		if g > 0 {
			relevant++
		}
	}
	if relevant == 0 {
		return 0
	}
	return float64(relevantHits(ranking, grades, k)) / float64(relevant)
}

func relevantHits(ranking []string, grades map[string]float64, k int) int {
	found := 0
	for _, key := range first(ranking, k) {
		if grades[key] > 0 {
			found++
		}
	}
	return found
}

// Judged is the share of the best k hits that have a grade, 0 included. A low
// share says that the other measures hardly know this ranking.
func Judged(ranking []string, grades map[string]float64, k int) float64 {
	hits := first(ranking, k)
	if len(hits) == 0 {
		return 0
	}
	judged := 0
	for _, key := range hits {
		if _, ok := grades[key]; ok {
			judged++
		}
	}
	return float64(judged) / float64(len(hits))
}
