package search

import (
	"log/slog"
	"sync"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/settings"
)

// settingsCache caches the analysed words of search settings, per version of the
// settings and schema.
type settingsCache struct {
	log *slog.Logger // nil: no logging

	mu   sync.Mutex
	kept map[settingsKey]*plan.SettingsCache
}

type settingsKey struct {
	settings *settings.Settings
	schema   *definition.Schema
}

// maxSettings bounds the number of entries; an arbitrary entry is evicted.
const maxSettings = 256

func newSettingsCache(log *slog.Logger) *settingsCache {
	return &settingsCache{log: log, kept: make(map[settingsKey]*plan.SettingsCache)}
}

// of returns the cache for the settings of a view, or nil when it has none.
func (c *settingsCache) of(view *View) *plan.SettingsCache {
	if view.Settings == nil {
		return nil
	}
	if view.IsPreview {
		return new(plan.SettingsCache)
	}
	key := settingsKey{view.Settings, view.Schema}
	c.mu.Lock()
	defer c.mu.Unlock()
	found := c.kept[key]
	if found != nil {
		return found
	}
	for old := range c.kept {
		if len(c.kept) < maxSettings {
			break
		}
		delete(c.kept, old)
	}
	found = new(plan.SettingsCache)
	c.kept[key] = found
	c.logSkipped(view)
	return found
}

// logSkipped logs the settings that searches of a generation skip. Settings are
// checked against the generation that is live when they are written, so another
// generation may not support all of them.
func (c *settingsCache) logSkipped(view *View) {
	if c.log == nil {
		return
	}
	for _, p := range problem.All(view.Settings.Validate(view.Schema)) {
		c.log.Warn("setting skipped", "index", view.Index, "generation", view.Generation, "setting", p.Path, "code", p.Code.Name())
	}
}
