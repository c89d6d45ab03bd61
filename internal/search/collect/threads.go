package collect

import (
	"context"
	"sync"
	"time"
)

// Enter counts a search as one that needs a core until leave is called, so that no other search
// takes the core between two steps. Nested calls count once.
func (s *Search) Enter() (leave func()) {
	if s.entered {
		return func() {}
	}
	s.entered = true
	s.runner.running.Add(1)
	return func() {
		s.entered = false
		s.runner.running.Add(-1)
	}
}

// idle returns how many search threads are free and have a core that no running search needs.
func (r *Runner) idle() int {
	threads := cap(r.seats)
	return max(0, min(threads, threads+1-int(r.running.Load()))-len(r.seats))
}

// isCrowded reports whether searches and search threads together need more cores than there
// are.
func (r *Runner) isCrowded() bool {
	return int(r.running.Load())+len(r.seats) > cap(r.seats)+1
}

// seats takes up to most idle search threads.
func (s *Search) seats(most int) (taken int) {
	for most = min(most, s.runner.idle()); taken < most; taken++ {
		select {
		case s.runner.seats <- struct{}{}:
		default:
			return taken
		}
	}
	return taken
}

// Cores returns how many cores to use for work that takes the given time on one core: that of
// the search, and idle ones if waking search threads pays.
func (s *Search) Cores(takes time.Duration) int {
	defer s.Enter()()
	if takes < s.runner.worthHelp {
		return 1
	}
	return 1 + s.runner.idle()
}

// share runs work on the caller's goroutine, as thread 0, and on the threads that it has seats
// for, which it gives up afterwards. work returns how many pieces it did. share returns the
// first error after all work has ended; the error cancels the context of the others.
func (s *Search) share(ctx context.Context, seats int, work func(ctx context.Context, thread int) (done int, err error)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		wait  sync.WaitGroup
		once  sync.Once
		first error
	)
	run := func(thread int, kind string) {
		err := Guard(func() error {
			done, err := work(ctx, thread)
			s.runner.meters.Pieces(kind, done)
			return err
		})
		if err != nil {
			once.Do(func() { first = err })
			cancel(err)
		}
	}
	for i := range seats {
		wait.Go(func() {
			defer func() { <-s.runner.seats }()
			run(i+1, "pool")
		})
	}
	run(0, "request")
	wait.Wait()
	if first == nil {
		return context.Cause(ctx)
	}
	return first
}
