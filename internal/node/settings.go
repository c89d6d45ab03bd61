package node

import (
	"context"
	"errors"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/freshness"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/settingstore"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/settings"
)

// Settings are the search settings of an index as they are stored.
type Settings struct {
	*settings.Settings
	Freshness string // of the change; empty for a read
}

// ReadSettings reads the settings of the index of a name from storage. It returns
// settings:not_found when there are none.
func (n *Node) ReadSettings(ctx context.Context, name registry.Name) (*settings.Settings, error) {
	entry, err := n.locate(ctx, name)
	if err != nil {
		return nil, err
	}
	held, err := n.settings.Read(ctx, entry.Index)
	if err != nil {
		return nil, err
	}
	if held.Settings == nil {
		return nil, problem.SettingsNotFound.New("name", name.Index)
	}
	return held.Settings, nil
}

// locate finds the index of a name. Settings and job belong to the index, so an
// index without a live generation has them too. A generation that is named must
// exist.
func (n *Node) locate(ctx context.Context, name registry.Name) (registry.Entry, error) {
	if entry, err := n.resolve(ctx, name); name.HasGeneration() || !errors.Is(err, problem.IndexNoLiveGeneration) {
		return entry, err
	}
	index, err := n.registry.Find(name)
	if err != nil {
		return registry.Entry{}, err
	}
	return registry.Entry{Name: name, Index: index.ID}, nil
}

// PutSettings replaces the settings of an index. matches is the If-Match header,
// nil when none was sent. It reports whether these are its first settings.
func (n *Node) PutSettings(ctx context.Context, name registry.Name, matches func(version string) bool, body []byte) (Settings, bool, error) {
	if _, err := n.resolve(ctx, name); err != nil {
		return Settings{}, false, err
	}
	next, err := settings.Decode(body)
	if next == nil {
		return Settings{}, false, err
	}
	return n.changeSettings(ctx, name, matches, func(settingstore.Held) (*settings.Settings, error) { return next, err })
}

// PatchSettings changes parts of the settings of an index. If another change comes
// between, it applies to the newest version.
func (n *Node) PatchSettings(ctx context.Context, name registry.Name, matches func(version string) bool, body []byte) (Settings, bool, error) {
	return n.changeSettings(ctx, name, matches, func(now settingstore.Held) (*settings.Settings, error) {
		return now.Settings.Patch(body)
	})
}

func (n *Node) changeSettings(ctx context.Context, name registry.Name, matches func(version string) bool, change func(settingstore.Held) (*settings.Settings, error)) (Settings, bool, error) {
	entry, schema, err := n.schemaOf(ctx, name)
	if err != nil {
		return Settings{}, false, err
	}
	held, existed, err := n.settings.Change(ctx, entry.Index, func(now settingstore.Held) (*settings.Settings, error) {
		switch {
		case matches != nil && now.Settings == nil:
			return nil, problem.SettingsNotFound.New("name", name.Index)
		case matches != nil && !matches(now.Version()):
			return nil, problem.SettingsVersionMismatch.New("version", now.Version())
		}
		next, err := change(now)
		if next == nil {
			return nil, err
		}
		var found problem.List
		found.Add(err)
		found.Add(next.ValidateChange(schema, now.Settings))
		return next, found.Err()
	})
	if err != nil {
		return Settings{}, false, err
	}
	n.noteChanged(entry)
	return Settings{held.Settings, settingsToken(entry, held)}, !existed, nil
}

// schemaOf returns the schema that settings are checked against: that of the
// generation the name answers from.
func (n *Node) schemaOf(ctx context.Context, name registry.Name) (registry.Entry, *definition.Schema, error) {
	g, err := n.acquire(ctx, name)
	if err != nil {
		return registry.Entry{}, nil, err
	}
	defer g.Release()
	return g.Entry, g.Schema(), nil
}

// DeleteSettings removes the settings of an index and returns the token of the
// state without them.
func (n *Node) DeleteSettings(ctx context.Context, name registry.Name) (string, error) {
	entry, err := n.locate(ctx, name)
	if err != nil {
		return "", err
	}
	held, _, err := n.settings.Change(ctx, entry.Index, func(settingstore.Held) (*settings.Settings, error) { return nil, nil })
	if err != nil {
		return "", err
	}
	return settingsToken(entry, held), nil
}

func settingsToken(entry registry.Entry, held settingstore.Held) string {
	return freshness.Token{Index: entry.Index, IndexName: entry.Name.Index, Settings: held.Revision}.String()
}
