package node

import (
	"context"
	"time"

	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/searchcount"
	"github.com/quiresearch/quire/settings"
)

// flushInterval is how often counts of searches are stored.
const flushInterval = 30 * time.Second

// CountsSearches reports whether searches under these settings are counted: both
// the settings and the node must ask for it.
func (n *Node) CountsSearches(inForce *settings.Settings) bool {
	return n.options.CountSearches && inForce != nil && inForce.CountSearches
}

// CountSearch counts a search of an index for a text.
func (n *Node) CountSearch(index, text string, found bool, took time.Duration) {
	if listed, err := n.registry.Find(registry.Name{Index: index}); err == nil {
		n.searches.Count(listed.ID, text, found, took)
	}
}

// Searches are the counts of an index.
type Searches struct {
	*searchcount.Sketch
	IsCounted bool // new searches are counted
}

// Searches returns the counts of the searches of an index.
func (n *Node) Searches(ctx context.Context, name registry.Name) (Searches, error) {
	entry, err := n.locate(ctx, name)
	if err != nil {
		return Searches{}, err
	}
	held, err := n.settings.Current(ctx, entry.Index)
	if err != nil {
		return Searches{}, err
	}
	sketch, err := n.searches.Read(ctx, entry.Index)
	return Searches{sketch, n.CountsSearches(held.Settings.InForce())}, err
}

// DeleteSearches deletes the counts of the searches of an index.
func (n *Node) DeleteSearches(ctx context.Context, name registry.Name) error {
	entry, err := n.locate(ctx, name)
	if err != nil {
		return err
	}
	return n.searches.Delete(ctx, entry.Index)
}

// flushSearches stores what was counted here.
func (n *Node) flushSearches(ctx context.Context) {
	if err := n.searches.Flush(ctx); err != nil {
		n.log.Warn("cannot store the counts of searches yet", "error", err)
	}
}
