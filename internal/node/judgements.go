package node

import (
	"context"

	"github.com/quiresearch/quire/internal/judgement"
	"github.com/quiresearch/quire/internal/judgementstore"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/problem"
)

// checkSetName rejects names that cannot name a judgement set.
func checkSetName(set string) error {
	if !registry.IsIndexName(set) {
		return problem.JudgementsNameInvalid.New("set", set)
	}
	return nil
}

// locateSet finds the index of a name and checks the name of a set.
func (n *Node) locateSet(ctx context.Context, name registry.Name, set string) (registry.Entry, error) {
	entry, err := n.locate(ctx, name)
	if err == nil {
		err = checkSetName(set)
	}
	return entry, err
}

// CheckSet rejects an index that does not exist and a name that cannot name a set.
func (n *Node) CheckSet(ctx context.Context, name registry.Name, set string) error {
	_, err := n.locateSet(ctx, name, set)
	return err
}

// CheckIndex rejects an index or generation that does not exist.
func (n *Node) CheckIndex(ctx context.Context, name registry.Name) error {
	_, err := n.locate(ctx, name)
	return err
}

// Judgements reads a judgement set of the index of a name.
func (n *Node) Judgements(ctx context.Context, name registry.Name, set string) (*judgement.Set, error) {
	entry, err := n.locateSet(ctx, name, set)
	if err != nil {
		return nil, err
	}
	found, err := n.judgements.Read(ctx, entry.Index, set)
	if err == nil && found == nil {
		err = problem.JudgementsNotFound.New("name", name.Index, "set", set)
	}
	return found, err
}

// ListJudgements returns the names of the judgement sets of an index, ordered.
func (n *Node) ListJudgements(ctx context.Context, name registry.Name) ([]string, error) {
	entry, err := n.locate(ctx, name)
	if err != nil {
		return nil, err
	}
	return n.judgements.List(ctx, entry.Index)
}

// ChangeJudgements replaces a set by the result of change, which gets the stored
// one or nil. matches is the If-Match header, nil when none was sent. It reports
// whether the set is new.
func (n *Node) ChangeJudgements(ctx context.Context, name registry.Name, set string, matches func(version string) bool,
	change func(now *judgement.Set) (*judgement.Set, error),
) (*judgement.Set, bool, error) {
	entry, err := n.locateSet(ctx, name, set)
	if err != nil {
		return nil, false, err
	}
	next, existed, err := n.judgements.Change(ctx, entry.Index, set, func(now judgementstore.Held) (*judgement.Set, error) {
		if matches != nil {
			switch {
			case now.Err != nil:
				return nil, now.Err
			case now.Set == nil:
				return nil, problem.JudgementsNotFound.New("name", name.Index, "set", set)
			case !matches(now.Set.Version()):
				return nil, problem.JudgementsVersionMismatch.New("version", now.Set.Version())
			}
		}
		return change(now.Set)
	})
	return next, !existed, err
}

// DeleteJudgements removes a set. It returns nil when there is none.
func (n *Node) DeleteJudgements(ctx context.Context, name registry.Name, set string) error {
	entry, err := n.locateSet(ctx, name, set)
	if err != nil {
		return err
	}
	return n.judgements.Delete(ctx, entry.Index, set)
}
