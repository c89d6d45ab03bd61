//go:build !amd64

package score

const hasWide = false

func gradeWide(float32, *uint32, *uint32, int, *byte, *float32, float32, *uint32, *float64) (graded, kept int) {
	return 0, 0
}

func addWide(float32, *uint32, *uint32, int, *byte, *float32, uint32, *float64) int { return 0 }
