package engine

import (
	"sync"
	"sync/atomic"

	"github.com/quiresearch/quire/internal/turn"
)

// Budget bounds the memory for uncommitted documents and is shared by all
// generations that are given it. It covers the index data that is not in a file yet
// and what is kept of every change until the commit. When the budget is used up, a
// worker writes its builder to a file, unless the builder is small: then the
// generation that holds the most memory must commit. So must a generation whose
// changes alone take half of the budget, because writing files does not reduce
// those.
//
// Every byte in use counts twice, because the garbage collector lets the heap grow
// to twice the live bytes. A process that writes stays within its budget plus what
// it needs anyway: its program, operations that wait for the log
// (Options.QueueBytes), pages of mapped files, buffers of a flush and a merge; some
// 300 MiB.
//
// A Budget is safe for concurrent use.
type Budget struct {
	most int64
	used atomic.Int64

	mu      sync.Mutex
	holders map[*Generation]bool

	settling turn.Lock  // held by the one generation that merges at rest
	weighing sync.Mutex // held while a document is analysed to measure its cost
}

// NewBudget returns a budget of the given number of bytes; 0 means 256 MiB.
func NewBudget(bytes int64) *Budget {
	if bytes <= 0 {
		bytes = defaultMemory
	}
	return &Budget{most: bytes, holders: make(map[*Generation]bool)}
}

const defaultMemory = 256 << 20

// leastFlush is the size below which a builder is not written out merely because
// others hold the memory.
const leastFlush = 1 << 20

// leastShare is the least memory that justifies a worker: with much less, a builder
// is full after a few documents.
const leastShare = 2 * collected * leastFlush

// mostBuilder is the size at which a builder is written out however much memory is
// left: the postings of a builder cannot exceed 4 GiB.
const mostBuilder = 2 << 30

// leastEntries is the memory of changes below which they trigger no commit.
const leastEntries = 16 << 20

// collected is the number of bytes of memory counted for each byte in use.
const collected = 2

// holding is the memory of one owner as the budget counts it. Only the owner
// changes it.
type holding struct{ counted int64 }

// account records how many bytes a holding uses now.
func (g *Generation) account(h *holding, bytes int64) {
	change := collected*bytes - h.counted
	h.counted += change
	g.held.Add(change)
	g.options.Budget.used.Add(change)
}

// isOver reports whether a run with the given number of bytes in use must be
// written out.
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

// accountEntries counts the memory of changes to a table, and requests a commit
// when it grows large. The caller holds mu.
func (g *Generation) accountEntries(t *table, bytes int64) {
	t.bytes += bytes
	g.account(&t.holding, t.bytes)
	if t.holding.counted > max(min(g.options.Budget.most, g.options.Memory)/2, leastEntries) {
		g.press()
	}
}

// press makes the generation commit.
func (g *Generation) press() {
	if !g.pressed.Swap(true) {
		g.committing.wake()
	}
}

// relieve makes the generation that holds the most memory commit.
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

// leave returns the memory of a closed generation to the budget.
func (b *Budget) leave(g *Generation) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.holders, g)
	b.used.Add(-g.held.Swap(0))
}
