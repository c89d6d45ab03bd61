package node

import (
	"context"
	"errors"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/registry"
)

// join starts this node's part in the leadership.
func (s *shared) join() {
	s.Member.OnChange(func(gained, lost []registry.ID) {
		for _, index := range lost {
			s.node.jobs.Lost(index)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.isStopped {
			s.start(func(ctx context.Context) { s.ownershipChanged(ctx, gained, lost) })
		}
	})
	s.Member.OnHandover(s.handOver)
	s.Member.ReadyWhen(s.node.IsReady)
	s.Member.SpaceWhen(s.node.canStore)
	s.start(s.Member.Run)
}

// start runs work in the background; its context ends when the node leaves.
func (s *shared) start(work func(context.Context)) {
	s.running.Go(func() {
		ctx, cancel := s.life.Context(context.Background())
		defer cancel()
		work(ctx)
	})
}

// begin takes over the indexes this node already writes and drops the local copies
// that are no longer listed.
func (s *shared) begin() {
	if held := s.Member.Held(); len(held) > 0 {
		s.start(func(ctx context.Context) { s.ownershipChanged(ctx, held, nil) })
	}
	s.dropUnlisted()
}

// leave gives up everything this node writes. Generations are already closed. If a
// log is not finished, it lets the session expire instead, so that another node
// takes the claims over and finishes the log: an index that no node holds waits for
// a write.
func (s *shared) leave(ctx context.Context) error {
	s.shareHints(ctx)
	s.mu.Lock()
	s.isStopped = true
	s.mu.Unlock()
	s.life.End()
	s.running.Wait()
	if s.node.generations.IsUnfinished() {
		s.node.log.Warn("a log is not finished; letting the leases of this node expire")
		return nil
	}
	return s.Member.Leave(ctx)
}

const (
	awayCheck = 5 * time.Second // between checks whether the bucket answers, and the limit of each
	awayLimit = 2               // failed checks before last commits are given up
)

// watchClose calls hurry, which ends the last commits, when the bucket does not
// answer: what was acknowledged is in its log. The channel is closed when the watch
// is over, at the latest when ctx ends.
func (s *shared) watchClose(ctx context.Context, hurry context.CancelFunc) <-chan struct{} {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		failures := 0
		for failures < awayLimit {
			timer := time.NewTimer(awayCheck)
			select {
			case <-ctx.Done():
				timer.Stop()
				return
			case <-timer.C:
			}
			checking, cancel := context.WithTimeout(ctx, awayCheck)
			err := s.node.registry.Refresh(checking)
			cancel()
			if failures++; err == nil || !isAway(err) {
				failures = 0
			}
		}
		if ctx.Err() == nil {
			s.node.log.Warn("the bucket does not answer; closing indexes without a last commit")
			hurry()
		}
	}()
	return ended
}

// isAway reports whether err means that the bucket did not answer.
func isAway(err error) bool {
	return errors.Is(err, bucket.ErrUnknown) || errors.Is(err, context.DeadlineExceeded)
}

func (s *shared) drain() { s.Member.Drain() }
