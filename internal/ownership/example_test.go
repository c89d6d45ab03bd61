package ownership

import (
	"fmt"
	"time"

	"github.com/quiresearch/quire/internal/registry"
)

// Node a writes an index; node b watches with a lease of 10 s. Node a stops after
// its second beat. Node b compares only its own clock: 10 s after it first saw that
// beat the session is over, and b takes the claim by one compare-and-swap.
func Example_takeover() {
	index := registry.NewID()
	l := leadership{
		Sessions: map[string]session{"run-1": {Node: "a"}, "run-2": {Node: "b"}},
		Claims:   map[registry.ID]string{index: "run-1"},
	}
	seen := make(watch)
	for _, read := range []struct {
		at   time.Duration // on the clock of b
		beat uint64        // of a, as stored
	}{{0, 1}, {5 * time.Second, 2}, {10 * time.Second, 2}, {14 * time.Second, 2}, {15 * time.Second, 2}} {
		l.Sessions["run-1"] = session{Node: "a", Beat: read.beat}
		seen.see(l, read.at, time.Time{})
		fmt.Printf("%4s  beat %d, unchanged for %s, over: %v\n", read.at, read.beat, read.at-seen["run-1"].at, seen.isOver(l, "run-1", read.at, 10*time.Second))
	}
	next := l.clone()
	next.remove("run-1", "run-2")
	fmt.Println("claimed by", next.Claims[index], "of", next.Sessions[next.Claims[index]].Node)
	// Output:
	//   0s  beat 1, unchanged for 0s, over: false
	//   5s  beat 2, unchanged for 0s, over: false
	//  10s  beat 2, unchanged for 5s, over: false
	//  14s  beat 2, unchanged for 9s, over: false
	//  15s  beat 2, unchanged for 10s, over: true
	// claimed by run-2 of b
}
