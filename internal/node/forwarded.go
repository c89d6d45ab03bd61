package node

import (
	"context"
	"slices"

	"github.com/quiresearch/quire/internal/ownership"
	"github.com/quiresearch/quire/internal/registry"
)

// Forwarded reads the registry again after another node changed it on behalf of
// a caller of this one, so that the caller finds the change here. A registry
// that cannot be read is read later, like always.
func (n *Node) Forwarded(ctx context.Context) {
	if err := n.registry.Refresh(ctx); err != nil {
		n.log.Warn("the registry cannot be read after a forwarded change", "error", err)
	}
}

// IsServing reports whether the node of an address takes part in indexing: its
// session is not over. While the leadership cannot be read nothing else is known.
func (n *Node) IsServing(ctx context.Context, address string) bool {
	if n.object == nil {
		return true
	}
	table, err := n.object.Member.Table(ctx, func(registry.ID) (string, bool) { return "", false })
	return err != nil || slices.ContainsFunc(table.Candidates, func(c ownership.Candidate) bool { return c.Address == address })
}

// OtherRootKeys returns the names of the nodes that share the bucket and have
// another root key than this one.
func (n *Node) OtherRootKeys() []string {
	if n.object == nil {
		return nil
	}
	return n.object.Member.OtherRootKeys()
}
