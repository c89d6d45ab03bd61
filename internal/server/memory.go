package server

import (
	"os"
	"runtime/debug"

	"github.com/quiresearch/quire/internal/config"
)

// limitMemory makes the garbage collector work harder when the process approaches
// the memory that the node may use, of which a tenth is left to mapped files.
// GOMEMLIMIT takes precedence if set.
func limitMemory(c *config.Config) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(c.MemoryBudget() / 10 * 9)
	}
}

// spareHeap is how much garbage a node with almost nothing in its heap may leave
// before it is collected. The live heap of a node that only searches is a few
// megabytes; if it were collected whenever it doubled, that would take an eighth of
// the time of short searches.
const spareHeap = 16 << 20

// reserveHeap returns memory that the collector counts as live and that is never
// touched, so that it takes no physical memory. It is kept while the node runs.
func reserveHeap() []byte { return make([]byte, spareHeap) }

// Unpacking the ten documents of a page takes more than half of the time of a short
// search that returns them. So every node keeps some of the documents returned
// lately: leastRecords, which is enough in most deployments, within recordShare of
// its memory.
const (
	leastRecords = 8 << 20
	recordShare  = 64
)

// keptRecords returns how many bytes of returned documents are kept.
func keptRecords(c *config.Config) int64 {
	return max(c.Indexes.DocumentCacheMaxSize, min(leastRecords, c.MemoryBudget()/recordShare))
}
