//go:build !amd64

package bitset

const hasWideCount = false

func countWide(*uint64, int) int { return 0 }

func countBothWide(_, _ *uint64, _ int) int { return 0 }
