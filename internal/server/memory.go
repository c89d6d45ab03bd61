package server

import (
	"os"
	"runtime/debug"

	"github.com/quiresearch/quire/internal/config"
)

// limitMemory makes the garbage collector work harder when the process comes
// near what the node may use, of which a tenth is left to mapped files. Where
// GOMEMLIMIT is set, that holds.
func limitMemory(c *config.Config) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(c.MemoryBudget() / 10 * 9)
	}
}
