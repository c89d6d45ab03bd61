//go:build race

package campaign

// underRace is set when the race detector watches, which makes searches many
// times slower.
const underRace = true
