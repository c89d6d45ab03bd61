package collect

import (
	"context"

	"github.com/quiresearch/quire/internal/search/match"
	"github.com/quiresearch/quire/internal/search/plan"
)

// prepareAll prepares all plans of a request.
func (s *Search) prepareAll(ctx context.Context, r *Request) error {
	if err := s.prepare(ctx, r.Query); err != nil {
		return err
	}
	for _, f := range r.Filters {
		if err := s.prepare(ctx, f); err != nil {
			return err
		}
	}
	for _, k := range r.Order {
		for _, n := range k.Required {
			if err := s.prepare(ctx, n); err != nil {
				return err
			}
		}
		for _, source := range k.Chain {
			if err := s.prepare(ctx, source.When); err != nil {
				return err
			}
		}
	}
	if v := r.Values; v != nil {
		for _, n := range v.Required {
			if err := s.prepare(ctx, n); err != nil {
				return err
			}
		}
		return s.prepare(ctx, v.When)
	}
	return nil
}

// prepare gathers the statistics of a plan and resolves its knn and fuse nodes, the innermost
// first.
func (s *Search) prepare(ctx context.Context, n plan.Node) error {
	if n == nil {
		return nil
	}
	if err := s.view.Prepare(ctx, n); err != nil {
		return timedOut(ctx, err)
	}
	return s.resolve(ctx, n)
}

// HoldersOf returns the number of documents that hold a word as typed, and of those in its band
// with the most.
func (s *Search) HoldersOf(ctx context.Context, n *plan.Word) (typed, others uint64, err error) {
	if typed, others, err = s.view.HoldersOf(ctx, n); err != nil {
		return 0, 0, timedOut(ctx, err)
	}
	return typed, others, nil
}

func (s *Search) resolve(ctx context.Context, n plan.Node) error {
	for _, child := range plan.Children(n) {
		if err := s.resolve(ctx, child); err != nil {
			return err
		}
	}
	if s.view.Resolved(n) {
		return nil
	}
	var lists []*match.List
	var err error
	switch n := n.(type) {
	case *plan.Knn:
		lists, err = s.nearest(ctx, n)
	case *plan.Fuse:
		lists, err = s.fuse(ctx, n)
	default:
		return nil
	}
	if err != nil {
		return timedOut(ctx, err)
	}
	s.view.Resolve(n, lists)
	return nil
}
