package match

import (
	"sync"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/search/score"
	"github.com/quiresearch/quire/internal/segment/terms"
)

// maxTables bounds the tables kept; each takes 17 KiB.
const maxTables = 512

// Tables keeps what searches use again: the score tables of fields, as making
// one costs more than a short search, and working memory. Any number of
// goroutines may use it.
type Tables struct {
	scratches sync.Pool // of *scratch
	steps     sync.Pool // of *termStep, whose iterators are large
	bests     sync.Pool // of *bestStep, whose sums are large
	sums      sync.Pool // of *sumStep, whose occurrences are
	words     sync.Pool // of *wordStep, as well
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
		clear(t.tables) // averages change with every commit; old ones are not used again
	}
	t.tables[key] = table
	return table
}

// sharesOf returns the share of one word by length byte, nil for fields whose
// values are not rated by it.
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
