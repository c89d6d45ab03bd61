package search

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/problem"
)

func TestGateLetsOthersWaitThenRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(2)
		ctx := context.Background()
		for range 2 {
			if err := g.enter(ctx); err != nil {
				t.Fatal(err)
			}
		}
		waited := make(chan error)
		for range 2 * queuedPerSeat {
			go func() {
				err := g.enter(ctx)
				waited <- err
				if err == nil {
					g.leave()
				}
			}()
		}
		synctest.Wait()
		if err := g.enter(ctx); !errors.Is(err, problem.SearchTimeout) {
			t.Errorf("beyond the queue: %v", err)
		}
		g.leave()
		for range 2 * queuedPerSeat {
			if err := <-waited; err != nil {
				t.Error(err)
			}
		}
		synctest.Wait()
		if g.waiting.Load() != 0 || len(g.seats) != 1 {
			t.Errorf("%d wait, %d run", g.waiting.Load(), len(g.seats))
		}
	})
}

func TestWaitingEndsWithTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(nil, nil, Options{MaxConcurrent: 1, Timeout: time.Second})
		_, done, err := s.enter(context.Background(), time.Second)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.enter(context.Background(), time.Second); !errors.Is(err, problem.SearchTimeout) {
			t.Errorf("after the deadline: %v", err)
		}
		cancelled, cancel := context.WithCancel(context.Background())
		cancel()
		if _, _, err := s.enter(cancelled, time.Second); !errors.Is(err, context.Canceled) || errors.Is(err, problem.SearchTimeout) {
			t.Errorf("a cancelled request: %v", err)
		}
		done()
		if _, done, err = s.enter(context.Background(), time.Second); err != nil {
			t.Fatal(err)
		}
		done()
	})
}
