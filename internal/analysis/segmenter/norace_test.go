//go:build !race

package segmenter

const underRace = false
