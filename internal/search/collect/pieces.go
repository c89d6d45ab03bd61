package collect

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// worthHelp is how long the pieces that are left must take for waking search
// threads to pay: a woken thread begins after some ten microseconds, and the
// request then waits for it.
const worthHelp = 60 * time.Microsecond

// pieces runs work for every segment, on the caller's goroutine and, when what
// is left takes long, on the search threads that are free. The first error is
// returned after all have ended.
func (s *Search) pieces(ctx context.Context, work func(ctx context.Context, segment int) error) error {
	count := len(s.snapshot.Segments)
	if count == 0 {
		return nil
	}
	var began time.Time
	if count > 1 && s.runner.seats != nil {
		began = time.Now()
	}
	for i := range count {
		if err := Guard(func() error { return work(ctx, i) }); err != nil {
			s.runner.meters.Pieces("request", i+1)
			return err
		}
		done, left := i+1, count-i-1
		if left > 0 && !began.IsZero() && time.Since(began)*time.Duration(left) > s.runner.worthHelp*time.Duration(done) {
			if seats := s.seats(left); seats > 0 {
				s.runner.meters.Pieces("request", done)
				return s.shared(ctx, done, seats, work)
			}
		}
	}
	s.runner.meters.Pieces("request", count)
	return nil
}

// seats takes up to so many search threads.
func (s *Search) seats(most int) (taken int) {
	for taken < most {
		select {
		case s.runner.seats <- struct{}{}:
			taken++
		default:
			return taken
		}
	}
	return taken
}

// shared runs work for the segments from one on, on the caller's goroutine and
// on the threads it has seats for.
func (s *Search) shared(ctx context.Context, from, seats int, work func(ctx context.Context, segment int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		next   atomic.Int64
		pooled atomic.Int64
		wait   sync.WaitGroup
		once   sync.Once
		first  error
	)
	next.Store(int64(from))
	count := len(s.snapshot.Segments)
	walk := func() (done int64) {
		for i := int(next.Add(1) - 1); i < count && ctx.Err() == nil; i = int(next.Add(1) - 1) {
			done++
			if err := Guard(func() error { return work(ctx, i) }); err != nil {
				once.Do(func() { first = err })
				cancel(err)
			}
		}
		return done
	}
	for range seats {
		wait.Go(func() {
			defer func() { <-s.runner.seats }()
			pooled.Add(walk())
		})
	}
	done := walk()
	wait.Wait()
	s.runner.meters.Pieces("pool", int(pooled.Load()))
	s.runner.meters.Pieces("request", int(done))
	if first == nil {
		return context.Cause(ctx)
	}
	return first
}
