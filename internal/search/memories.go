package search

import (
	"sync"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/settings"
)

// memories keeps what is worked out of schemas and settings: the analysed words
// of search settings, one memory for each version of settings under each
// schema, and how units are written.
type memories struct {
	units *unitCache

	mu   sync.Mutex
	kept map[memoryKey]*plan.Memory
}

type memoryKey struct {
	settings *settings.Settings
	schema   *definition.Schema
}

// maxMemories bounds the memories kept; any of them is let go for another.
const maxMemories = 256

func newMemories() *memories {
	return &memories{units: newUnitCache(), kept: make(map[memoryKey]*plan.Memory)}
}

// of returns the memory of a view, nil when it has no settings.
func (m *memories) of(view *View) *plan.Memory {
	if view.Settings == nil {
		return nil
	}
	key := memoryKey{view.Settings, view.Schema}
	m.mu.Lock()
	defer m.mu.Unlock()
	found := m.kept[key]
	if found != nil {
		return found
	}
	for old := range m.kept {
		if len(m.kept) < maxMemories {
			break
		}
		delete(m.kept, old)
	}
	found = new(plan.Memory)
	m.kept[key] = found
	return found
}
