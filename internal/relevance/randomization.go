package relevance

import "math/rand/v2"

// Comparison is the difference of a measure between two rankings of the same
// queries.
type Comparison struct {
	Difference float64 // mean of the first minus mean of the second
	P          float64 // two-sided
	Better     int     // queries on which the first is better
	Worse      int
}

// exactBelow is the number of differing queries up to which every assignment of
// signs is tried; 2^14 assignments take less than a millisecond.
const exactBelow = 14

// Compare is the paired randomization test (Fisher; Smucker, Allan and
// Carterette, 2007): if both rankings were equally good, the difference on each
// query could as well have the opposite sign. P is the share of sign
// assignments whose mean difference is at least as large as the observed one.
//
// For the differences .5, .5, .5, equal signs give the largest mean, and 2 of
// the 8 assignments reach it: P is .25, so three wins out of three prove
// nothing.
//
// Up to 14 differing queries, every assignment is tried; beyond that, draws
// assignments are drawn with a fixed seed and the observed one is counted among
// them. Values beyond the shorter of the two slices are ignored.
func Compare(a, b []float64, draws int) Comparison {
	n := min(len(a), len(b))
	c := Comparison{P: 1}
	var differing []float64
	sum := 0.0
	for i := range n {
		d := a[i] - b[i]
		sum += d
		switch {
		case d > 0:
			c.Better++
		case d < 0:
			c.Worse++
		default:
			continue
		}
		differing = append(differing, d)
	}
	if len(differing) == 0 {
		return c
	}
	c.Difference = sum / float64(n)
	if len(differing) <= exactBelow {
		c.P = exact(differing)
	} else {
		c.P = drawn(differing, draws)
	}
	return c
}

// reaches compares sums of the same numbers with different signs.
func reaches(sum, observed float64) bool {
	const rounding = 1e-12
	return max(sum, -sum) >= max(observed, -observed)-rounding
}

func exact(differences []float64) float64 {
	observed := signed(differences, 0)
	reached := 0
	for signs := range uint64(1) << len(differences) {
		if reaches(signed(differences, signs), observed) {
			reached++
		}
	}
	return float64(reached) / float64(uint64(1)<<len(differences))
}

func drawn(differences []float64, draws int) float64 {
	observed := signed(differences, 0)
	random := rand.New(rand.NewPCG(1, uint64(len(differences))))
	reached := 1
	for range draws {
		sum := 0.0
		for from := 0; from < len(differences); from += 64 {
			sum += signed(differences[from:min(from+64, len(differences))], random.Uint64())
		}
		if reaches(sum, observed) {
			reached++
		}
	}
	return float64(reached) / float64(draws+1)
}

// signed sums up to 64 differences, negating those whose bit is set; if signs
// is 0, it sums all of them.
func signed(differences []float64, signs uint64) float64 {
	sum := 0.0
	for i, d := range differences {
		if i < 64 && signs>>i&1 == 1 {
			d = -d
		}
		sum += d
	}
	return sum
}
