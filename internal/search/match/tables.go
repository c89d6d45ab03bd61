package match

import (
	"sync"

	"github.com/quiresearch/quire/internal/search/score"
	"github.com/quiresearch/quire/internal/segment/terms"
)

// maxTables bounds the tables kept; each takes 17 KiB.
const maxTables = 512

// Tables keeps what searches use again: the score tables of fields, as making
// one costs more than a short search, and working memory. Any number of
// goroutines may use it.
type Tables struct {
	rooms   sync.Pool // of *room
	steps   sync.Pool // of *termStep, whose iterators are large
	bests   sync.Pool // of *bestStep, whose sums are large
	blends  sync.Pool // of *blendStep, whose counts are
	shelves sync.Pool // of *shelf
	lengths [256]float64
	mu      sync.RWMutex
	tables  map[tableKey]*score.Table
}

type tableKey struct{ average, b float64 }

// NewTables returns an empty collection.
func NewTables() *Tables {
	t := &Tables{tables: map[tableKey]*score.Table{}}
	t.rooms.New = func() any { return new(room) }
	t.steps.New = func() any { return new(termStep) }
	t.bests.New = func() any { return new(bestStep) }
	t.blends.New = func() any { return new(blendStep) }
	t.shelves.New = func() any { return new(shelf) }
	for code := range t.lengths {
		t.lengths[code] = float64(terms.DecodeLength(byte(code)))
	}
	return t
}

func (t *Tables) get(average, b float64) *score.Table {
	if b == 0 {
		average = 0 // lengths play no part
	}
	key := tableKey{average, b}
	t.mu.RLock()
	table := t.tables[key]
	t.mu.RUnlock()
	if table != nil {
		return table
	}
	table = score.NewTable(&t.lengths, average, b)
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.tables) >= maxTables {
		clear(t.tables) // averages change with every commit; old ones are of no use
	}
	t.tables[key] = table
	return table
}
