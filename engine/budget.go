package engine

import (
	"sync"
	"sync/atomic"
)

// Budget is memory for documents that are indexed and not yet in files, shared
// by all generations that are given it. When it is used up, whoever indexes
// writes what it holds into a file, unless that is little: then the generation
// that holds most is made to commit.
//
// A Budget may be used by any number of goroutines.
type Budget struct {
	most int64
	used atomic.Int64

	mu      sync.Mutex
	holders map[*Generation]bool
}

// NewBudget returns a budget of so many bytes; 0 means 256 MiB.
func NewBudget(bytes int64) *Budget {
	if bytes <= 0 {
		bytes = defaultMemory
	}
	return &Budget{most: bytes, holders: make(map[*Generation]bool)}
}

const defaultMemory = 256 << 20

// Used returns the bytes in use.
func (b *Budget) Used() int64 { return b.used.Load() }

// leastFlush is the size below which a builder is not written out only because
// others hold the memory.
const leastFlush = 1 << 20

// account tells the budget how much a run holds now.
func (g *Generation) account(r *run, bytes int64) {
	change := bytes - r.counted
	r.counted = bytes
	g.held.Add(change)
	g.options.Budget.used.Add(change)
}

// isOver reports whether a run of so many bytes is to be written out.
func (g *Generation) isOver(bytes int64) bool {
	b := g.options.Budget
	switch {
	case b.used.Load() <= b.most:
		return false
	case bytes >= leastFlush:
		return true
	}
	b.relieve()
	return false
}

// relieve makes the generation that holds most commit.
func (b *Budget) relieve() {
	b.mu.Lock()
	defer b.mu.Unlock()
	var largest *Generation
	for g := range b.holders {
		if largest == nil || g.held.Load() > largest.held.Load() {
			largest = g
		}
	}
	if largest != nil && !largest.pressed.Swap(true) {
		notify(largest.wakeCommit)
	}
}

func (b *Budget) join(g *Generation) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.holders[g] = true
}

// leave gives back what a closed generation held.
func (b *Budget) leave(g *Generation) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.holders, g)
	b.used.Add(-g.held.Swap(0))
}
