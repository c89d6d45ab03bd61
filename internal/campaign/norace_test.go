//go:build !race

package campaign

// underRace is set when the race detector watches.
const underRace = false
