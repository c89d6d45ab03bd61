// Package clustertest runs whole nodes of object mode against one bucket and
// takes the world away under them.
//
// The simulation runs the real code of several nodes in virtual time over a
// bucket in memory. One seed decides which requests are lost, answered late,
// refused or stalled, which machines are killed, paused or emptied, and when.
// Clients own their keys and remember what they were told; whatever happened,
// nothing acknowledged may be missing and nothing may be shown that was never
// written.
//
//	go test ./internal/clustertest -run Simulation -seeds 1000 -first 1
//
// The process tests run the program itself against a real S3 server and kill
// it.
package clustertest
