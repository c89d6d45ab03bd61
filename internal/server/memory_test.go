package server

import (
	"testing"

	"github.com/quiresearch/quire/internal/config"
)

func TestSomeReturnedDocumentsAreAlwaysKept(t *testing.T) {
	for _, c := range []struct{ configured, budget, want int64 }{
		{0, 4 << 30, leastRecords},
		{1 << 20, 4 << 30, leastRecords},
		{64 << 20, 4 << 30, 64 << 20},
		{0, 64 << 20, 1 << 20},
	} {
		all := &config.Config{Node: config.Node{MemoryBudget: c.budget}, Indexes: config.Indexes{DocumentCacheMaxSize: c.configured}}
		if got := keptRecords(all); got != c.want {
			t.Errorf("%d of a budget of %d: %d, want %d", c.configured, c.budget, got, c.want)
		}
	}
}
