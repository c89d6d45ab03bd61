package node

import (
	"context"
	"errors"
	"slices"

	"github.com/quiresearch/quire/internal/ownership"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/problem"
)

func (s *shared) claim(ctx context.Context, index registry.ID) error {
	return s.Member.Claim(ctx, index)
}

func (s *shared) owned(int) int { return len(s.Member.Held()) }

// writerAddress lets a candidate claim an index that has no writer.
func (s *shared) writerAddress(ctx context.Context, text string, creates bool) (string, error) {
	m := s.Member
	if m.IsDraining() {
		return "", problem.IndexReadonly.New()
	}
	name, err := registry.ParseName(text)
	if err != nil {
		return "", nil // the endpoint reports what is wrong with it
	}
	if err := s.node.ready(ctx); err != nil {
		return "", err
	}
	bare := registry.Name{Index: name.Index}
	if _, err = s.node.registry.Resolve(name); creates && errors.Is(err, problem.IndexNotFound) {
		// Another node may have created it, and is then the one to replace it.
		if err := s.refresh(ctx); err != nil {
			s.node.log.Warn("cannot read the registry before a creation", "error", err)
		}
		_, err = s.node.registry.Resolve(bare)
	} else {
		_, err = s.node.resolve(ctx, bare)
	}
	if errors.Is(err, problem.IndexNotFound) {
		if !creates || name.HasGeneration() || m.IsCandidate() {
			return "", nil
		}
		return reachable(m.Writer(ctx, registry.ID{}, name.Index))
	}
	index, err := s.node.registry.Find(name)
	if err != nil {
		return "", nil
	}
	if m.Holds(index.ID) {
		return "", nil
	}
	if m.IsCandidate() {
		err := m.Claim(ctx, index.ID)
		if err == nil {
			return "", s.node.jobs.TakeOver(ctx, index.ID)
		}
		if !errors.Is(err, problem.IndexerUnavailable) {
			return "", err
		}
	}
	return reachable(m.Writer(ctx, index.ID, name.Index))
}

func reachable(address string, err error) (string, error) {
	if err == nil && address == "" {
		err = problem.IndexerUnavailable.New()
	}
	return address, err
}

func (s *shared) describeWriter(ctx context.Context, index registry.ID, status *Status) {
	status.ReadOnly = !s.Member.Holds(index)
	if holder, ok, err := s.Member.Holder(ctx, index); err == nil && ok {
		status.Indexer = &holder
	}
}

func (s *shared) indexers(ctx context.Context) (ownership.Table, error) {
	if err := s.node.ready(ctx); err != nil {
		return ownership.Table{}, err // the table lists claims by index name
	}
	return s.Member.Table(ctx, s.node.registry.Lists)
}

// isServing reports whether the session of the node at an address is not over. It
// returns true while the leadership cannot be read.
func (s *shared) isServing(ctx context.Context, address string) bool {
	table, err := s.Member.Table(ctx, func(registry.ID) (string, bool) { return "", false })
	return err != nil || slices.ContainsFunc(table.Candidates, func(c ownership.Candidate) bool { return c.Address == address })
}

func (s *shared) peers(ctx context.Context) ([]string, error) { return s.Member.Peers(ctx) }

func (s *shared) otherRootKeys() []string { return s.Member.OtherRootKeys() }
