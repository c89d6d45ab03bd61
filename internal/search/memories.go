package search

import (
	"log/slog"
	"sync"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/settings"
)

// memories keeps what is worked out of schemas and settings: the analysed words
// of search settings, one memory for each version of settings under each
// schema, and how units are written.
type memories struct {
	units *unitCache
	log   *slog.Logger // nil: nothing is logged

	mu   sync.Mutex
	kept map[memoryKey]*plan.Memory
}

type memoryKey struct {
	settings *settings.Settings
	schema   *definition.Schema
}

// maxMemories bounds the memories kept; any of them is let go for another.
const maxMemories = 256

func newMemories(log *slog.Logger) *memories {
	return &memories{units: newUnitCache(), log: log, kept: make(map[memoryKey]*plan.Memory)}
}

// of returns the memory of a view, nil when it has no settings.
func (m *memories) of(view *View) *plan.Memory {
	if view.Settings == nil {
		return nil
	}
	if view.IsPreview {
		return new(plan.Memory)
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
	m.tell(view)
	return found
}

// tell logs what of the settings searches of a generation pass over: settings
// are checked against the generation that was live when they were written.
func (m *memories) tell(view *View) {
	if m.log == nil {
		return
	}
	for _, p := range problem.All(view.Settings.Validate(view.Schema)) {
		m.log.Warn("setting skipped", "index", view.Index, "generation", view.Generation, "setting", p.Path, "code", p.Code.Name())
	}
}
