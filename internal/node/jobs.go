package node

import (
	"context"

	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/reindex"
	"github.com/quiresearch/quire/problem"
)

// StartReindex accepts a reindex job.
func (n *Node) StartReindex(ctx context.Context, request reindex.Request) (reindex.Record, error) {
	if err := n.ready(ctx); err != nil {
		return reindex.Record{}, err
	}
	if request.Verify != "" {
		if _, err := n.Judgements(ctx, request.Target.Bare(), request.Verify); err != nil {
			return reindex.Record{}, err
		}
	}
	return n.jobs.Start(ctx, request)
}

// Reindex returns the job of an index.
func (n *Node) Reindex(ctx context.Context, name registry.Name) (reindex.Record, error) {
	if _, err := n.locate(ctx, name); err != nil {
		return reindex.Record{}, err
	}
	return n.jobs.Record(ctx, name)
}

// Reindexes returns the jobs of every index, ordered by index.
func (n *Node) Reindexes(ctx context.Context) ([]reindex.Record, error) {
	if err := n.ready(ctx); err != nil {
		return nil, err
	}
	return n.jobs.List(ctx)
}

// CancelReindex ends the job of an index.
func (n *Node) CancelReindex(ctx context.Context, name registry.Name) (reindex.Record, error) {
	if _, err := n.locate(ctx, name); err != nil {
		return reindex.Record{}, err
	}
	return n.jobs.Cancel(ctx, name)
}

// AuditRegistry compares the registry with the storage. A node that keeps its
// data locally has nothing to compare.
func (n *Node) AuditRegistry(ctx context.Context) (registry.Audit, error) {
	if n.synced == nil {
		return registry.Audit{}, problem.IndexRegistryAuditUnavailable.New()
	}
	return n.registry.Audit(ctx, n.synced)
}

// RepairRegistry registers what the storage holds.
func (n *Node) RepairRegistry(ctx context.Context, request registry.RepairRequest) (registry.Repair, error) {
	if n.synced == nil {
		return registry.Repair{}, problem.IndexRegistryAuditUnavailable.New()
	}
	done, err := n.registry.Repair(ctx, request, n.synced)
	if err != nil {
		return done, err
	}
	if err := n.begin(ctx); err != nil {
		n.log.Error("what a crash interrupted cannot be finished yet", "error", err)
	}
	return done, nil
}
