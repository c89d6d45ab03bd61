//go:build race

package vectors

// underRace reports whether the race detector is on, which makes searches many
// times slower.
const underRace = true
