package search

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/quiresearch/quire/problem"
)

// gate bounds the number of concurrent searches. Further searches wait in a short
// queue, first come first served; once it is full, searches are rejected, so that a
// flood of searches takes neither memory nor time from those running.
type gate struct {
	seats   chan struct{}
	waiting atomic.Int64
	most    int64 // bound of waiting
}

// queuedPerSeat is the number of searches that may wait per running search.
const queuedPerSeat = 4

// newGate returns a gate for that many concurrent searches. It returns nil, which
// admits all, when the number is not positive.
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

// enter admits a request and limits its time; the caller must call done at its end.
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
