package collect

import (
	"context"
	"sync/atomic"
	"time"
)

// worthHelp is how long the remaining pieces must take for waking search threads to pay: a
// woken thread starts after some ten microseconds, and the request then waits for it.
const worthHelp = 60 * time.Microsecond

// pieces runs work for every segment, on the caller's goroutine and, if the remaining pieces
// take long, on the free search threads. It returns the first error after all work has ended.
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
				return s.shared(ctx, done, count, seats, work)
			}
		}
	}
	s.runner.meters.Pieces("request", count)
	return nil
}

// Each runs work for the numbers below count, on the caller's goroutine and on the free search
// threads. It returns the first error after all work has ended.
func (s *Search) Each(ctx context.Context, count int, work func(ctx context.Context, number int) error) error {
	defer s.Enter()()
	return s.help(ctx, count, work)
}

// help is Each for work that is part of a run.
func (s *Search) help(ctx context.Context, count int, work func(ctx context.Context, number int) error) error {
	return s.shared(ctx, 0, count, s.seats(count-1), work)
}

// shared runs work for the numbers in [from, count), on the caller's goroutine and on the
// threads that it has seats for.
func (s *Search) shared(ctx context.Context, from, count, seats int, work func(ctx context.Context, number int) error) error {
	var next atomic.Int64
	next.Store(int64(from))
	return s.share(ctx, seats, func(ctx context.Context, thread int) (done int, err error) {
		for i := int(next.Add(1) - 1); i < count && err == nil && ctx.Err() == nil; i = int(next.Add(1) - 1) {
			done++
			if err = work(ctx, i); thread > 0 && s.runner.isCrowded() {
				break
			}
		}
		return done, err
	})
}
