package generations

import (
	"context"
	"errors"
	"time"

	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/turn"
	"github.com/quiresearch/quire/problem"
)

// indexMoves decides between the writes of an index and what moves it.
type indexMoves struct {
	lock      turn.Shared
	unsettled *unsettledMove // guarded by Set.mu, as unknown; nil: the outcome of every move is known
	unknown   int            // passes of Forget in a row in which nothing knew of the index
}

// movesOf returns the moves of an index. The caller holds mu.
func (s *Set) movesOf(index registry.ID) *indexMoves {
	m, ok := s.moves[index]
	if !ok {
		m = new(indexMoves)
		s.moves[index] = m
	}
	return m
}

// Moves returns the lock of an index that decides between writes and moves. A
// write holds it for reading from the moment it looks the name up until the
// generation took it; a caller that changes what a name answers from, or what a
// generation accepts, holds it alone. It comes before every other lock.
func (s *Set) Moves(index registry.ID) *turn.Shared {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &s.movesOf(index).lock
}

const (
	settleWait  = 10 * time.Second // of one write, for a move to be settled
	settlePause = time.Second      // between tries
)

// unsettledMove is a move of which it is not known whether it was made.
type unsettledMove struct {
	settle  func(context.Context) error
	triedAt time.Time // guarded by Moves of the index, as err
	err     error
}

// Unsettle notes that an index may have been moved, or may be yet: the store did
// not say. A write that went to where the index answered from before could be lost
// to all readers (I16), so none is taken until settle has made the outcome known.
// The caller holds Moves alone.
func (s *Set) Unsettle(index registry.ID, settle func(context.Context) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.movesOf(index).unsettled = &unsettledMove{settle: settle}
}

// IsUnsettled reports whether an index may have been moved. The caller holds
// Moves.
func (s *Set) IsUnsettled(index registry.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.movesOf(index).unsettled != nil
}

// Settle finds out whether an index was moved. The caller does not hold Moves.
func (s *Set) Settle(ctx context.Context, index registry.ID) error {
	moves := s.Moves(index)
	moves.Lock()
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
		err = problem.StorageIoError.New("resource", "registry").Because(err) // of a write that was not taken
	}
	if one.err, one.triedAt = err, time.Now(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.movesOf(index).unsettled = nil
	return nil
}
