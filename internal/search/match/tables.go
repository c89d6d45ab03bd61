package match

import (
	"sync"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/search/score"
	"github.com/quiresearch/quire/internal/segment/terms"
)

// maxTables bounds how many tables are kept; each takes 17 KiB.
const maxTables = 512

// Tables keeps what searches reuse: working memory, and the score tables of fields, which cost
// more to make than a short search. It is safe for concurrent use.
type Tables struct {
	scratches sync.Pool // of *scratch
	steps     sync.Pool // of *termStep; its iterators are large
	bests     sync.Pool // of *bestStep; its sums are large
	sums      sync.Pool // of *sumStep; its sums are large
	words     sync.Pool // of *wordStep; its sums are large
	pools     sync.Pool // of *stepPool
	lengths   [256]float64
	shares    [256]float32 // of one word, by length byte
	mu        sync.RWMutex
	tables    map[tableKey]*score.Table
}

type tableKey struct {
	average float64
	form    score.Form
}

// NewTables returns an empty collection.
func NewTables() *Tables {
	t := &Tables{tables: map[tableKey]*score.Table{}, shares: shares()}
	t.scratches.New = func() any { return newScratch() }
	t.steps.New = func() any { return new(termStep) }
	t.bests.New = func() any { return new(bestStep) }
	t.sums.New = func() any { return new(sumStep) }
	t.words.New = func() any { return new(wordStep) }
	t.pools.New = func() any { return new(stepPool) }
	for code := range t.lengths {
		t.lengths[code] = float64(terms.DecodeLength(byte(code)))
	}
	return t
}

func (t *Tables) get(average float64, form score.Form) *score.Table {
	key := tableKey{average, form}
	t.mu.RLock()
	table := t.tables[key]
	t.mu.RUnlock()
	if table != nil {
		return table
	}
	table = score.NewTable(&t.lengths, average, form)
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.tables) >= maxTables {
		clear(t.tables) // averages change with every commit; old ones are never used again
	}
	t.tables[key] = table
	return table
}

// sharesOf returns the share of one word by length byte, or nil for fields that do not score by
// share.
func (t *Tables) sharesOf(norm definition.LengthNormalization) *[256]float32 {
	if norm != definition.LengthStrong {
		return nil
	}
	return &t.shares
}

func shares() (byLength [256]float32) {
	for code := range byLength {
		byLength[code] = float32(score.ShareOf(definition.LengthStrong, float64(terms.DecodeLength(byte(code)))))
	}
	return byLength
}
