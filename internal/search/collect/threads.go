package collect

import (
	"context"
	"sync"
	"time"
)

// Enter counts a search as one that needs a core until the function that it
// returns is called, so that no other search takes the core between two steps.
// Calls inside of others count once.
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

// idle is how many search threads are free and have a core that no running
// search needs.
func (r *Runner) idle() int {
	threads := cap(r.seats)
	return max(0, min(threads, threads+1-int(r.running.Load()))-len(r.seats))
}

// isCrowded reports whether searches and search threads together have more to do
// than there are cores.
func (r *Runner) isCrowded() bool {
	return int(r.running.Load())+len(r.seats) > cap(r.seats)+1
}

// seats takes up to so many idle search threads.
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

// Cores returns on how many cores to do work that takes so long on one: that of
// the search, and those that are idle when waking search threads pays.
func (s *Search) Cores(takes time.Duration) int {
	defer s.Enter()()
	if takes < s.runner.worthHelp {
		return 1
	}
	return 1 + s.runner.idle()
}

// share runs work on the caller's goroutine, as thread 0, and on the threads it
// has seats for, which it gives back. Work returns how many pieces it did. The
// first error is returned after all have ended; it ends the context of the
// others.
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
