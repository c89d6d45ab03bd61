//go:build race

package segmenter

// underRace is true under the race detector, where pools drop objects returned
// to them.
const underRace = true
