//go:build race

package clustertest

// underRace is set when the race detector watches: goroutines then change
// places.
const underRace = true
