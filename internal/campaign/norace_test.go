//go:build !race

package campaign

// underRace is set under the race detector.
const underRace = false
