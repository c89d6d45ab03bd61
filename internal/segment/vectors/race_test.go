//go:build race

package vectors

// underRace is set when the race detector watches, which makes searches many
// times slower.
const underRace = true
