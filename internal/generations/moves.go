package generations

import (
	"context"
	"errors"
	"time"

	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/turn"
	"github.com/quiresearch/quire/problem"
)

// indexMoves arbitrates between the writes of an index and changes that move it.
type indexMoves struct {
	lock      turn.Shared
	unsettled *unsettledMove // guarded by Set.mu, like unknown; nil: the outcome of every move is known
	unknown   int            // consecutive passes of Forget in which the index was unknown
}

// movesOf returns the moves of an index. The caller must hold mu.
func (s *Set) movesOf(index registry.ID) *indexMoves {
	m, ok := s.moves[index]
	if !ok {
		m = new(indexMoves)
		s.moves[index] = m
	}
	return m
}

// Moves returns the lock of an index that arbitrates between writes and moves. A
// write holds it for reading from the lookup of the name until the generation took
// it; a caller that changes what a name answers from, or what a generation accepts,
// holds it exclusively. It is locked before every other lock.
func (s *Set) Moves(index registry.ID) *turn.Shared {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &s.movesOf(index).lock
}

const (
	settleWait  = 10 * time.Second // of one write, for a move to be settled
	settlePause = time.Second      // between attempts
)

// unsettledMove is a move whose outcome is unknown.
type unsettledMove struct {
	settle  func(context.Context) error
	triedAt time.Time // guarded by Moves of the index, like err
	err     error
}

// Unsettle notes that an index may have been moved, or may yet be: the store did
// not report the outcome. A write that went to the generation that answered before
// could be lost to all readers (I16), so none is taken until settle has determined
// the outcome. The caller must hold Moves exclusively.
func (s *Set) Unsettle(index registry.ID, settle func(context.Context) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.movesOf(index).unsettled = &unsettledMove{settle: settle}
}

// IsUnsettled reports whether an index may have been moved. The caller must hold
// Moves.
func (s *Set) IsUnsettled(index registry.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.movesOf(index).unsettled != nil
}

// Settle finds out whether an index was moved. The caller must not hold Moves.
func (s *Set) Settle(ctx context.Context, index registry.ID) error {
	moves := s.Moves(index)
	if err := moves.LockUntil(ctx); err != nil {
		return err
	}
	defer moves.Unlock()
	s.mu.Lock()
	one := s.movesOf(index).unsettled
	s.mu.Unlock()
	if one == nil {
		return nil
	}
	if one.err != nil && time.Since(one.triedAt) < settlePause {
		return one.err
	}
	ctx, cancel := context.WithTimeout(ctx, settleWait)
	defer cancel()
	err := one.settle(ctx)
	if errors.Is(err, problem.StorageUnknown) {
		err = problem.StorageIoError.New("resource", "registry").Because(err) // the caller's write was not taken
	}
	if one.err, one.triedAt = err, time.Now(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.movesOf(index).unsettled = nil
	return nil
}
