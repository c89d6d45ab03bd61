package node

import (
	"context"

	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/reindex"
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
