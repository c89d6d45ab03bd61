//go:build race

package campaign

// underRace is set when the race detector watches, which takes memory of its
// own.
const underRace = true
