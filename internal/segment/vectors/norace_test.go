//go:build !race

package vectors

// underRace reports whether the race detector is on.
const underRace = false
