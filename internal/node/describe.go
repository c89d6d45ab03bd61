package node

import (
	"context"
	"time"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/generations"
	"github.com/quiresearch/quire/internal/ownership"
	"github.com/quiresearch/quire/internal/registry"
)

// engineMajor is the major version of the engine that this build writes.
const engineMajor = 1

// Description is what a node knows of one generation of an index.
type Description struct {
	Name        registry.Name // with the generation
	Live        bool
	Version     string
	Definition  *definition.Definition
	Status      Status
	Generations []GenerationEntry
	Freshness   string // set only by calls that make a state
}

// Status is the state of a generation on this node.
type Status struct {
	State               string
	ReadOnly            bool
	EngineCompatibility string
	EngineCreatedMajor  int // 0: not recorded yet
	SettingsUnsupported []string
	Indexer             *ownership.Candidate // the node that writes the index; nil: none is known
}

// GenerationEntry is a generation as listings show it.
type GenerationEntry struct {
	Name      string
	Live      bool
	CreatedAt time.Time // zero: not known
}

// IndexEntry is an index as listings show it.
type IndexEntry struct {
	Name        string
	Live        string // empty: none
	Generations []GenerationEntry
}

// List returns every index, ordered by name. It returns storage:io_error until the
// registry was read.
func (n *Node) List(ctx context.Context) ([]IndexEntry, error) {
	if err := n.ready(ctx); err != nil {
		return nil, err
	}
	listed := n.registry.List()
	all := make([]IndexEntry, 0, len(listed))
	for _, index := range listed {
		all = append(all, IndexEntry{Name: index.Name, Live: index.Live, Generations: generationEntries(index.Index)})
	}
	return all, nil
}

func generationEntries(index *registry.Index) []GenerationEntry {
	entries := make([]GenerationEntry, 0, len(index.Generations))
	for _, name := range index.GenerationNames() {
		entries = append(entries, GenerationEntry{Name: name, Live: name == index.Live, CreatedAt: index.Generations[name].CreatedAt})
	}
	return entries
}

// Has reports whether an index of that name exists.
func (n *Node) Has(index string) bool {
	_, err := n.registry.Find(registry.Name{Index: index})
	return err == nil
}

// Describe returns what the node knows of the generation that a name answers from.
func (n *Node) Describe(ctx context.Context, name registry.Name) (*Description, error) {
	entry, err := n.resolve(ctx, name)
	if err != nil {
		return nil, err
	}
	g, err := n.generations.AcquireToRead(ctx, entry)
	if err != nil {
		return nil, err
	}
	defer g.Release()
	return n.describe(ctx, g)
}

func (n *Node) describe(ctx context.Context, g *generations.Generation) (*Description, error) {
	// Resolve the entry again: another generation may be live by now.
	entry, err := n.registry.Resolve(g.Entry.Name)
	if err != nil {
		return nil, err
	}
	index, err := n.registry.Find(entry.Name)
	if err != nil {
		return nil, err
	}
	d := g.Definition()
	described := &Description{
		Name: entry.Name, Live: entry.Live, Version: d.Version(), Definition: d,
		Status:      Status{State: g.State(), EngineCompatibility: "unknown"},
		Generations: generationEntries(index),
	}
	if g.Sequence() > 0 {
		described.Status.EngineCompatibility, described.Status.EngineCreatedMajor = "current", engineMajor
	}
	if held, err := n.settings.Current(ctx, entry.Index); err == nil && held.Settings != nil {
		described.Status.SettingsUnsupported = held.Settings.UnsupportedFeatures
	}
	n.deployment.describeWriter(ctx, entry.Index, &described.Status)
	return described, nil
}

// describeCreated describes a generation that was just created and is not open.
func (n *Node) describeCreated(entry registry.Entry, d *definition.Definition) *Description {
	described := &Description{
		Name: entry.Name, Live: true, Version: d.Version(), Definition: d,
		Status: Status{State: generations.NeedsPull, EngineCompatibility: "unknown"},
	}
	if index, err := n.registry.Find(entry.Name); err == nil {
		described.Live, described.Generations = index.Live == entry.Name.Generation, generationEntries(index)
	}
	return described
}
