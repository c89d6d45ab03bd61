//go:build !race

package clustertest

const underRace = false
