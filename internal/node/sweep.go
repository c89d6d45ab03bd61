package node

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/quiresearch/quire/internal/registry"
)

// sweep deletes objects of the indexes this node writes that nothing names any
// more, and the data of removed generations whose grace is over.
func (s *shared) sweep(ctx context.Context) {
	if !s.Member.IsCandidate() {
		return
	}
	s.node.generations.Heal(ctx)
	s.node.generations.Sweep(ctx)
	expired, err := s.node.registry.Expired(ctx, s.RemovalGrace)
	if err != nil {
		s.node.log.Error("cannot list the removed generations", "error", err)
		return
	}
	for _, one := range expired {
		if ctx.Err() != nil {
			return
		}
		if err := s.eraseShared(ctx, one); err != nil {
			s.node.log.Error("cannot delete the data of a removed generation", "generation", one.GenerationID, "error", err)
		}
	}
}

// eraseShared deletes what the bucket holds of a removed generation. It reads the
// registry again first, so that a restored generation stays.
func (s *shared) eraseShared(ctx context.Context, one registry.Removed) error {
	err := s.node.registry.BeginErase(ctx, one)
	if errors.Is(err, registry.ErrListed) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := s.node.generations.Remove(ctx, one.GenerationID); err != nil {
		return err
	}
	if err := s.node.generations.EraseRemote(ctx, one.GenerationID); err != nil {
		return err
	}
	// A mark of an earlier version does not name the index of its generation.
	if _, isListed := s.node.registry.Lists(one.IndexID); !isListed && !one.IndexID.IsZero() {
		if err := s.node.deleteShared(ctx, one.IndexID); err != nil {
			return fmt.Errorf("settings, judgements and job of %s: %w", one.Index, err)
		}
	}
	return s.node.registry.Forget(ctx, []registry.Removed{one})
}

// fenceLimit bounds how long fencing the previous writer of a removed generation
// may take when the bucket does not answer.
const fenceLimit = 30 * time.Second

// eraseRemoved does nothing: the data stays until its grace is over, see sweep.
func (s *shared) eraseRemoved(context.Context) error { return nil }

// retire takes removed generations out of use. The bucket keeps their data under a
// mark until the grace is over. Their writers are fenced, so that a node that does
// not know of the removal yet acknowledges nothing there.
func (s *shared) retire(ctx context.Context, removed []registry.Removed) error {
	fencing, cancel := context.WithTimeout(ctx, fenceLimit)
	defer cancel()
	var failed error
	for _, one := range removed {
		failed = errors.Join(failed, s.node.generations.Remove(ctx, one.GenerationID))
		if err := s.node.generations.Fence(fencing, one.GenerationID); err != nil {
			s.node.log.Error("cannot fence the writer of a removed generation yet", "generation", one.GenerationID, "error", err)
			s.fenceLater(one.GenerationID)
		}
		if err := registry.MarkRemoved(ctx, s.node.bucket, one); err != nil {
			// The registry still lists it as removed.
			s.node.log.Error("cannot write a removal mark", "generation", one.GenerationID, "error", err)
		}
	}
	return failed
}

// fenceLater notes that the writer of a removed generation is yet to be fenced.
func (s *shared) fenceLater(generation registry.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unfenced[generation] = true
}

// fenceRemoved fences the writers of generations that could not be fenced when they
// were removed. It leaves alone what was restored or erased meanwhile.
func (s *shared) fenceRemoved(ctx context.Context) {
	s.mu.Lock()
	waiting := slices.SortedFunc(maps.Keys(s.unfenced), registry.ID.Compare)
	s.mu.Unlock()
	for _, generation := range waiting {
		isRemoved := slices.ContainsFunc(s.node.registry.Removed(), func(one registry.Removed) bool { return one.GenerationID == generation && !one.Erased })
		fencing, cancel := context.WithTimeout(ctx, fenceLimit)
		if !isRemoved || s.node.generations.Fence(fencing, generation) == nil {
			s.mu.Lock()
			delete(s.unfenced, generation)
			s.mu.Unlock()
		}
		cancel()
	}
}
