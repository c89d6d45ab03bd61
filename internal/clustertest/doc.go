// Package clustertest runs whole nodes of object mode against one bucket and makes
// everything around them fail.
//
// The simulation runs the real code of several nodes in virtual time over a bucket
// in memory. One seed decides which requests are lost, answered late, refused or
// stalled; which machines are killed, paused, emptied or lose power; whose clock
// leaps or stops; which syncs fail; which objects are shown as missing, damaged or
// older for a while; and when. Clients own their keys and remember their answers;
// one deletes, creates and restores an index, one changes settings, one reindexes.
// Whatever happened, nothing acknowledged may be missing, nothing refused may be
// there, and nothing may be shown that was never written. The bucket itself watches
// what is published and deleted.
//
// A seed may also draw scenarios: requests are HTTP requests that nodes forward to
// each other over a network that fails on its own (F14); the bucket loses objects
// while repairs run (F23, F27); processes are stopped in the middle of merges and
// pulls (F36); for hours a machine gets files slowly (F24), or faults are rare and
// nothing may be left over (F41). The flag -only chooses one or more for all seeds.
//
//	go test ./internal/clustertest -run Simulation -seeds 1000 -first 1
//
// It needs neither files nor a network, so that it can be built and run elsewhere,
// divided among processes:
//
//	go test -c -o sim.test ./internal/clustertest
//	./sim.test -test.run '^TestSimulation$' -test.timeout 0 -first 1 -seeds 10000 -shards 16
//
// Run a failed seed again with -first SEED -seeds 1, -log for the logs of the nodes
// and -trace FILE for every request.
//
// The process tests run the program itself against a real S3 server and kill it.
package clustertest
