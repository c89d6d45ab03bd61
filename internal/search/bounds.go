package search

import (
	"math"
	"time"
)

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

// parseInstant reads an ISO 8601 date-time with offset as milliseconds since
// 1970.
func parseInstant(text string) (int64, bool) {
	for _, form := range []string{time.RFC3339Nano, "2006-01-02T15:04Z07:00"} {
		if t, err := time.Parse(form, text); err == nil {
			return t.UnixMilli(), true
		}
	}
	return 0, false
}
