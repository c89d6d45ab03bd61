//go:build race

package campaign

// underRace is set under the race detector, which takes memory of its own.
const underRace = true
