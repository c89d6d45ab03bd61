//go:build !amd64

package bitset

const hasWideCount, hasAVX2 = false, false

func countWide(*uint64, int) int { return 0 }

func countBothWide(_, _ *uint64, _ int) int { return 0 }

func countAVX2(*uint64, int) int { return 0 }

func countBothAVX2(_, _ *uint64, _ int) int { return 0 }
