package node

import (
	"context"

	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/reindex"
	"github.com/quiresearch/quire/problem"
)

// StartReindex accepts a reindex job.
func (n *Node) StartReindex(ctx context.Context, request reindex.Request) (reindex.Record, error) {
	return n.jobs.Start(ctx, request)
}

// Reindex returns the job of an index.
func (n *Node) Reindex(ctx context.Context, name registry.Name) (reindex.Record, error) {
	return n.jobs.Record(ctx, name)
}

// Reindexes returns the jobs of every index, ordered by index.
func (n *Node) Reindexes(ctx context.Context) ([]reindex.Record, error) { return n.jobs.List(ctx) }

// CancelReindex ends the job of an index.
func (n *Node) CancelReindex(ctx context.Context, name registry.Name) (reindex.Record, error) {
	return n.jobs.Cancel(ctx, name)
}

// AuditRegistry compares the registry with the storage. A node that keeps its
// data locally has nothing to compare.
func (n *Node) AuditRegistry(context.Context) (registry.Audit, error) {
	return registry.Audit{}, problem.IndexRegistryAuditUnavailable.New()
}

// RepairRegistry registers what the storage holds, in object mode.
func (n *Node) RepairRegistry(context.Context, registry.RepairRequest) (registry.Repair, error) {
	return registry.Repair{}, problem.IndexRegistryAuditUnavailable.New()
}
