package search

import "math"

// wholeBound returns the whole number from which on a bound between two whole
// ones holds, kept inside 64 bits.
func wholeBound(f float64) int64 {
	up := math.Ceil(f)
	switch {
	case up >= math.MaxInt64:
		return math.MaxInt64
	case up <= math.MinInt64:
		return math.MinInt64
	}
	return int64(up)
}
