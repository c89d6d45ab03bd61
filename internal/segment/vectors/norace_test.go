//go:build !race

package vectors

// underRace is set when the race detector watches.
const underRace = false
