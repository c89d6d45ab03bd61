package search

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/quiresearch/quire/problem"
)

// gate bounds the searches that run at once. Others wait in a short queue, first
// come first served; beyond it they are refused, so that a flood of searches
// takes neither the memory nor the time of those that run.
type gate struct {
	seats   chan struct{}
	waiting atomic.Int64
	most    int64 // may wait
}

// queuedPerSeat is how many searches may wait for each one that runs.
const queuedPerSeat = 4

// newGate returns a gate for so many searches at once; nil, which lets all in,
// when the number is not positive.
func newGate(searches int) *gate {
	if searches <= 0 {
		return nil
	}
	return &gate{seats: make(chan struct{}, searches), most: int64(searches) * queuedPerSeat}
}

func (g *gate) enter(ctx context.Context) error {
	if g == nil {
		return nil
	}
	select {
	case g.seats <- struct{}{}:
		return nil
	default:
	}
	defer g.waiting.Add(-1)
	if g.waiting.Add(1) > g.most {
		return problem.SearchTimeout.New()
	}
	select {
	case g.seats <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (g *gate) leave() {
	if g != nil {
		<-g.seats
	}
}

// enter begins a request that may take so long; done ends it.
func (s *Searcher) enter(ctx context.Context, limit time.Duration) (timed context.Context, done func(), err error) {
	timed, cancel := s.deadline(ctx, limit)
	if err := s.gate.enter(timed); err != nil {
		cancel()
		return nil, nil, s.timeout(ctx, err, limit)
	}
	if s.gate == nil {
		return timed, cancel, nil
	}
	return timed, func() {
		s.gate.leave()
		cancel()
	}, nil
}
