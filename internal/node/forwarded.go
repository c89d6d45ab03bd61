package node

import (
	"context"

	"github.com/quiresearch/quire/internal/ownership"
)

// Forwarded reads the registry again after another node changed it on behalf of a
// caller of this one, so that the caller finds the change here. A registry that
// cannot be read now is read later, as always.
func (n *Node) Forwarded(ctx context.Context) {
	if err := n.registry.Refresh(ctx); err != nil {
		n.log.Warn("cannot read the registry after a forwarded change", "error", err)
	}
}

// IsServing reports whether the node at an address takes part in indexing, that is,
// whether its session is not over. It returns true while the leadership cannot be
// read.
func (n *Node) IsServing(ctx context.Context, address string) bool {
	return n.deployment.isServing(ctx, address)
}

// OtherRootKeys returns the names of the nodes that share the bucket and have
// another root key than this one.
func (n *Node) OtherRootKeys() []string { return n.deployment.otherRootKeys() }

// WriterAddress returns where writes of an index go: scheme://host:port of another
// node, or an empty string when this one serves them. A candidate claims an index
// that has no writer.
func (n *Node) WriterAddress(ctx context.Context, text string, creates bool) (string, error) {
	return n.deployment.writerAddress(ctx, text, creates)
}

// Indexers returns which node writes which index.
func (n *Node) Indexers(ctx context.Context) (ownership.Table, error) {
	return n.deployment.indexers(ctx)
}

// Peers returns the addresses of the other nodes that take part in indexing.
func (n *Node) Peers(ctx context.Context) ([]string, error) { return n.deployment.peers(ctx) }
