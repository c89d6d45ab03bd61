//go:build race

package clustertest

// underRace is set under the race detector, which makes goroutines change places.
const underRace = true
