package node

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/generations"
	"github.com/quiresearch/quire/internal/registry"
)

// handOverWait bounds the commits of an index that goes to another node.
const handOverWait = 30 * time.Second

// handOver drains an index that goes to another node. Writes are already refused;
// it waits for those under way and tries one commit, so that the other node has
// little to replay.
func (s *shared) handOver(ctx context.Context, index registry.ID) {
	waiting, cancel := context.WithTimeout(ctx, handOverWait)
	defer cancel()
	// A write holds the lock of the index until the generation took it.
	moves := s.node.generations.Moves(index)
	moves.Lock()
	//lint:ignore SA2001 to have waited for the lock is all that is wanted
	moves.Unlock()
	for _, g := range s.node.generations.Open() {
		if g.Entry.Index == index && !g.IsCopy() {
			if _, err := g.Generation.Commit(waiting, engine.Explicit); err != nil {
				s.node.log.Warn("an index is handed over without a last commit", "index", g.Entry.Name.Index, "error", err)
			}
		}
		g.Release()
	}
}

// taken makes this node learn what its predecessor left of the index whose
// generation it begins to write: it reads the registry again and calls off a
// promotion that the other node announced and may still try.
func (s *shared) taken(ctx context.Context, entry registry.Entry) error {
	if err := s.node.registry.Refresh(ctx); err != nil {
		return fmt.Errorf("%w: %w", generations.ErrUnread, err)
	}
	index, err := s.node.registry.Find(entry.Name)
	if err != nil || index.ID != entry.Index || index.Intent == nil {
		return nil // the caller that asks for a removed index finds out
	}
	return s.node.registry.CallOff(ctx, entry, index.Intent.Job)
}

// ownershipChanged opens the indexes this node began to write and closes those it
// lost. A slow index delays no other (I19).
func (s *shared) ownershipChanged(ctx context.Context, gained, lost []registry.ID) {
	for _, index := range lost {
		name, _ := s.node.registry.Lists(index)
		s.node.log.Info("gave up writing an index", "index", name, "id", index)
		s.node.metrics.OwnershipChange("lost")
		s.node.generations.Demote(index)
	}
	if len(gained) == 0 {
		return
	}
	for range gained {
		s.node.metrics.OwnershipChange("gained")
	}
	s.finishLogs(ctx)
	var taking sync.WaitGroup
	defer taking.Wait()
	takeovers := make(chan struct{}, max(s.PullConcurrency, generations.LeastAtOnce))
	for _, index := range gained {
		takeovers <- struct{}{}
		taking.Go(func() {
			defer func() { <-takeovers }()
			s.takeOver(ctx, index)
		})
	}
}

// takeOver continues the job of an index that this node began to write and opens
// its live generation if the node holds few. finishLogs opens an index with a log
// that its last writer did not finish, however many the node holds.
func (s *shared) takeOver(ctx context.Context, index registry.ID) {
	name, listed := s.node.registry.Lists(index)
	if !listed {
		return // it is being created, or gone
	}
	s.node.log.Info("took over writing an index", "index", name, "id", index)
	if err := s.node.jobs.TakeOver(ctx, index); err != nil {
		s.node.log.Error("cannot take over the reindex job of an index", "index", name, "error", err)
	}
	entry, err := s.node.registry.Resolve(registry.Name{Index: name})
	if err != nil || len(s.Member.Held()) > s.PreloadIdleLimit || s.node.generations.IsFull() {
		return
	}
	if g, err := s.node.generations.AcquireFor(ctx, entry, generations.ForBackground); err == nil {
		g.Release()
	}
}

// finishLogs finishes the logs of the generations that this node writes.
func (s *shared) finishLogs(ctx context.Context) {
	var entries []registry.Entry
	for _, index := range s.node.registry.List() {
		if !s.Member.Holds(index.ID) || len(index.RequiredFeatures) > 0 {
			continue
		}
		for _, name := range index.GenerationNames() {
			entries = append(entries, registry.Entry{Name: registry.Name{Index: index.Name, Generation: name}, Index: index.ID,
				Generation: index.Generations[name].ID, Live: name == index.Live})
		}
	}
	s.node.generations.FinishLogs(ctx, entries, orDefault(s.VerifyInterval, 10*time.Minute), s.PullConcurrency)
}
