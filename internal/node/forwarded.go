package node

import "context"

// Forwarded reads the registry again after another node changed it on behalf of
// a caller of this one, so that the caller finds the change here. A registry
// that cannot be read is read later, like always.
func (n *Node) Forwarded(ctx context.Context) {
	if err := n.registry.Refresh(ctx); err != nil {
		n.log.Warn("the registry cannot be read after a forwarded change", "error", err)
	}
}
