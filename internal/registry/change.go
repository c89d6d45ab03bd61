package registry

import (
	"context"
	"slices"
	"time"

	"github.com/quiresearch/quire/internal/versioned"
	"github.com/quiresearch/quire/problem"
)

// change applies a change to the stored registry and takes the result over. The
// registry of a running deployment is never absent: one that was not read, is gone
// or was replaced refuses every change (RG4).
func (r *Registry) change(ctx context.Context, apply func(next *state) error) error {
	if err := r.changing.LockUntil(ctx); err != nil {
		return unreadable(err)
	}
	defer r.changing.Unlock()
	if err := r.Check(); err != nil {
		return err
	}
	known := r.Version()
	written, err := r.store.Change(ctx, func(now versioned.Object[state]) (state, error) {
		switch {
		case !now.Exists():
			return state{}, unreadable(errGone)
		case now.Value.Deployment != r.Deployment():
			return state{}, unreadable(errForeign)
		case now.Version < known:
			return state{}, unreadable(errOlder)
		}
		now.Value.settle()
		next := now.Value.clone()
		if err := apply(&next); err != nil {
			return state{}, err
		}
		return next, nil
	})
	// A refused change has brought the newest state, too.
	if written.Exists() && written.Value.Deployment == r.Deployment() {
		r.install(written)
	}
	return err
}

// CreateIndex registers an index with its first generation, which is live. It
// returns index:already_exists when the name is taken.
func (r *Registry) CreateIndex(ctx context.Context, name Name, index, generation ID, at time.Time) error {
	return r.change(ctx, func(next *state) error {
		if _, taken := next.Indexes[name.Index]; taken {
			return problem.IndexAlreadyExists.New("name", name.Index)
		}
		next.Indexes[name.Index] = &Index{
			ID: index, CreatedAt: at, Live: name.Generation,
			Generations: map[string]Generation{name.Generation: {ID: generation, CreatedAt: at}},
		}
		return nil
	})
}

// CreateGeneration registers a generation that is not live. It returns
// index:not_found when the index is gone or is now another one, and
// index:generation:already_exists when the name is taken.
func (r *Registry) CreateGeneration(ctx context.Context, name Name, index, generation ID, at time.Time) error {
	return r.change(ctx, func(next *state) error {
		found, err := next.same(name, index)
		if err != nil {
			return err
		}
		if _, taken := found.Generations[name.Generation]; taken {
			return problem.IndexGenerationAlreadyExists.New("name", name.String())
		}
		found.Generations[name.Generation] = Generation{ID: generation, CreatedAt: at}
		return nil
	})
}

// same finds the index of a name if it is the one with the id.
func (s *state) same(name Name, id ID) (*Index, error) {
	index, err := s.find(name)
	if err != nil {
		return nil, err
	}
	if index.ID != id {
		return nil, problem.IndexNotFound.New("name", name.String())
	}
	return index, nil
}

// Promote makes the generation of an entry live in place of another one, or of
// none, the zero Entry. It returns index:generation:live_moved when neither is
// live. It calls off a promotion that a job announced, because another one came
// before it.
func (r *Registry) Promote(ctx context.Context, live, target Entry) error {
	return r.change(ctx, func(next *state) error {
		index, err := next.same(target.Name, target.Index)
		if err != nil {
			return err
		}
		if index.Generations[target.Name.Generation].ID != target.Generation {
			return problem.IndexNotFound.New("name", target.Name.String())
		}
		if index.Live == target.Name.Generation {
			return versioned.ErrUnchanged
		}
		if index.Generations[index.Live].ID != live.Generation {
			return problem.IndexGenerationLiveMoved.New("expected", live.Name.Generation, "live", index.Live)
		}
		index.Live, index.Intent = target.Name.Generation, nil
		return nil
	})
}

// Announce writes the intent of a job to promote, replacing that of an earlier
// epoch. It requires that the index still answers from source.
func (r *Registry) Announce(ctx context.Context, source, target Entry, intent Intent) error {
	return r.change(ctx, func(next *state) error {
		index, err := next.movable(source, target)
		if err != nil {
			return err
		}
		index.Intent = &intent
		return nil
	})
}

// PromoteAnnounced makes the target of a job live. It requires that the index still
// answers from source and that the announced intent is this one.
func (r *Registry) PromoteAnnounced(ctx context.Context, source, target Entry, intent Intent) error {
	return r.change(ctx, func(next *state) error {
		index, err := next.movable(source, target)
		if err != nil {
			return err
		}
		if index.Intent == nil || *index.Intent != intent {
			return problem.IndexReadonly.New("name", target.Name.Index)
		}
		index.Live, index.Intent = target.Name.Generation, nil
		return nil
	})
}

// movable finds the index if it answers from source and still has target.
func (s *state) movable(source, target Entry) (*Index, error) {
	index, err := s.same(target.Name, target.Index)
	if err != nil {
		return nil, err
	}
	if index.Generations[target.Name.Generation].ID != target.Generation {
		return nil, problem.IndexNotFound.New("name", target.Name.String())
	}
	if index.Generations[index.Live].ID != source.Generation {
		return nil, problem.IndexGenerationLiveMoved.New(
			"expected", source.Name.Generation, "live", index.Live)
	}
	return index, nil
}

// CallOff removes the intent of a job.
func (r *Registry) CallOff(ctx context.Context, target Entry, job string) error {
	return r.change(ctx, func(next *state) error {
		index, err := next.same(target.Name, target.Index)
		if err != nil || index.Intent == nil || index.Intent.Job != job {
			return versioned.ErrUnchanged
		}
		index.Intent = nil
		return nil
	})
}

// RemoveIndex removes an index with all its generations and returns them.
func (r *Registry) RemoveIndex(ctx context.Context, name Name, at time.Time) ([]Removed, error) {
	var removed []Removed
	err := r.change(ctx, func(next *state) error {
		index, ok := next.Indexes[name.Index]
		if !ok {
			return problem.IndexNotFound.New("name", name.String())
		}
		before := len(next.Removed)
		for _, generation := range index.GenerationNames() {
			next.remove(name.Index, index, generation, true, at)
		}
		delete(next.Indexes, name.Index)
		removed = slices.Clone(next.Removed[before:])
		return nil
	})
	return removed, err
}

// RemoveGeneration removes a generation that is not live and returns it.
func (r *Registry) RemoveGeneration(ctx context.Context, name Name, at time.Time) ([]Removed, error) {
	var removed []Removed
	err := r.change(ctx, func(next *state) error {
		entry, err := next.resolve(name)
		if err != nil {
			return err
		}
		if entry.Live {
			return problem.IndexGenerationIsLive.New("name", name.String())
		}
		index := next.Indexes[name.Index]
		before := len(next.Removed)
		next.remove(name.Index, index, name.Generation, false, at)
		delete(index.Generations, name.Generation)
		if index.Intent != nil && index.Intent.Target == name.Generation {
			index.Intent = nil
		}
		removed = slices.Clone(next.Removed[before:])
		return nil
	})
	return removed, err
}

// maxForgotten bounds the ids of generations whose data is gone. A node that was
// away while more were removed keeps its copies, which only costs disk space.
const maxForgotten = 512

// Forget drops removed generations whose data is gone (RG5). Their ids stay for a
// while, because nodes drop a copy only if they see that a client removed it (RG6).
func (r *Registry) Forget(ctx context.Context, gone []Removed) error {
	return r.change(ctx, func(next *state) error {
		before := len(next.Removed)
		next.Removed = slices.DeleteFunc(next.Removed, func(have Removed) bool {
			isGone := slices.ContainsFunc(gone, func(g Removed) bool { return g.GenerationID == have.GenerationID })
			if isGone {
				next.Forgotten = append(next.Forgotten, have.GenerationID)
			}
			return isGone
		})
		next.Forgotten = next.Forgotten[max(len(next.Forgotten)-maxForgotten, 0):]
		if len(next.Removed) == before {
			return versioned.ErrUnchanged
		}
		return nil
	})
}
