package engine

import (
	"sync"
	"sync/atomic"

	"github.com/quiresearch/quire/internal/turn"
)

// Budget is memory for documents that are not yet committed, shared by all
// generations that are given it: what is indexed and not yet in a file, and
// what is known of every change until the commit. When it is used up, a caller that
// indexes writes what it holds into a file, unless that is little: then the
// generation that holds most is made to commit. So is one whose changes alone
// take half of the budget, because files do not make them fewer.
//
// Every byte in use counts twice, because the garbage collector lets the heap
// grow to twice of what is in use. A process that writes stays within its
// budget and what it needs anyway: its program, operations that wait for the
// log (Options.QueueBytes), pages of mapped files, buffers of a flush and a
// merge; some 300 MiB.
//
// A Budget may be used by any number of goroutines.
type Budget struct {
	most int64
	used atomic.Int64

	mu      sync.Mutex
	holders map[*Generation]bool

	settling turn.Lock  // held by the one generation that is merged at rest
	weighing sync.Mutex // held while a document is analysed to see what it takes
}

// NewBudget returns a budget of so many bytes; 0 means 256 MiB.
func NewBudget(bytes int64) *Budget {
	if bytes <= 0 {
		bytes = defaultMemory
	}
	return &Budget{most: bytes, holders: make(map[*Generation]bool)}
}

const defaultMemory = 256 << 20

// leastFlush is the size below which a builder is not written out only because
// others hold the memory.
const leastFlush = 1 << 20

// leastShare is the memory that a worker is worth having for: with much less, a
// builder is full before it holds a few documents.
const leastShare = 2 * collected * leastFlush

// mostBuilder is the size of a builder above which it is written out whatever the
// memory: the postings of a builder take at most 4 GiB.
const mostBuilder = 2 << 30

// leastEntries is the memory of changes below which they need no commit.
const leastEntries = 16 << 20

// collected is how much memory a byte in use takes.
const collected = 2

// holding is what a budget knows of the memory of one owner, which alone
// changes it.
type holding struct{ counted int64 }

// account records how many bytes a holding uses now.
func (g *Generation) account(h *holding, bytes int64) {
	change := collected*bytes - h.counted
	h.counted += change
	g.held.Add(change)
	g.options.Budget.used.Add(change)
}

// isOver reports whether a run that has so many bytes in use is to be written
// out.
func (g *Generation) isOver(bytes int64, workers int) bool {
	b := g.options.Budget
	switch {
	case bytes >= mostBuilder, collected*bytes >= g.options.Memory/int64(workers):
		return true
	case b.used.Load() <= b.most:
		return false
	case bytes >= leastFlush:
		return true
	}
	b.relieve()
	return false
}

// accountEntries counts what a table knows of its changes, and has it committed
// when that is much. The caller holds mu.
func (g *Generation) accountEntries(t *table, bytes int64) {
	t.bytes += bytes
	g.account(&t.holding, t.bytes)
	if t.holding.counted > max(min(g.options.Budget.most, g.options.Memory)/2, leastEntries) {
		g.press()
	}
}

// press makes a generation commit.
func (g *Generation) press() {
	if !g.pressed.Swap(true) {
		g.committing.wake()
	}
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
	if largest != nil {
		largest.press()
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
