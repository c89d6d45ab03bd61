//go:build !amd64

package score

const hasWide = false

func scoreWide(*Postings, *float32, float32, float32, *uint32, *float64) (scored, kept int) {
	return 0, 0
}

func addWide(*Postings, *float32, float32, uint32, *float64, uint32) int { return 0 }

func prefetch([]uint32, *byte) {}
