//go:build race

package segmenter

// underRace is set when the race detector watches: pools then drop what is
// given back.
const underRace = true
