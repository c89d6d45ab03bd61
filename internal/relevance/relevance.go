// Package relevance measures rankings against judgements: nDCG, reciprocal
// rank, precision, recall, and whether the difference between two rankings is
// more than chance.
//
// A ranking is a list of keys of hits, best first, each at most once. Grades
// are the judged keys of one query; a key with a grade above 0 is relevant, a
// key without a grade is not. Every measure is between 0 and 1, and 0 for a
// query without relevant keys. The package is pure: same input, same output.
package relevance

import (
	"math"
	"slices"
)

// NDCG returns the normalized discounted cumulative gain of the best k hits
// (Järvelin and Kekäläinen, 2002) with the exponential gain 2^grade − 1 and the
// discount log2(rank + 1) of Burges et al., 2005.
//
// With grades a: 3, b: 1 the ranking x, a, b has the gain 7/log2(3) + 1/log2(4)
// out of a possible 7/log2(2) + 1/log2(3): 0.644.
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

// discount returns the discount at a position, counted from 0.
func discount(position int) float64 { return math.Log2(float64(position) + 2) }

func first(ranking []string, k int) []string { return ranking[:min(k, len(ranking))] }

// Rank returns the rank of a key in a ranking, counted from 1, or 0 if it is
// not in the ranking.
func Rank(ranking []string, key string) int { return slices.Index(ranking, key) + 1 }

// ReciprocalRank returns 1 / rank of the first relevant hit among the best k, 0
// if there is none.
func ReciprocalRank(ranking []string, grades map[string]float64, k int) float64 {
	for i, key := range first(ranking, k) {
		if grades[key] > 0 {
			return 1 / float64(i+1)
		}
	}
	return 0
}

// Precision returns the number of relevant hits among the best k, divided by k.
func Precision(ranking []string, grades map[string]float64, k int) float64 {
	return float64(relevantHits(ranking, grades, k)) / float64(k)
}

// Recall returns the share of the relevant keys that are among the best k hits.
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

// Judged returns the share of the best k hits that have a grade, including 0.
// If it is low, the other measures say little about this ranking.
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
