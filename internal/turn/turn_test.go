package turn

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestFreeIsWhatNobodyHolds(t *testing.T) {
	var lock Shared
	check := func(what string, want bool) {
		t.Helper()
		if lock.IsFree() != want {
			t.Errorf("%s: free %t", what, !want)
		}
	}
	check("at first", true)
	lock.RLock()
	check("shared", false)
	lock.RUnlock()
	check("no longer shared", true)
	lock.Lock()
	check("held alone", false)
	lock.Unlock()
	check("at the end", true)
}

func TestLockIsHeldByOne(t *testing.T) {
	var (
		lock  Lock
		group sync.WaitGroup
		n     int
	)
	for range 16 {
		group.Go(func() {
			for range 500 {
				lock.Lock()
				n++
				lock.Unlock()
			}
		})
	}
	group.Wait()
	if n != 16*500 {
		t.Errorf("counted %d", n)
	}
}

func TestSharedIsAloneOrTogether(t *testing.T) {
	var (
		lock  Shared
		group sync.WaitGroup
		n, m  int
	)
	for i := range 16 {
		group.Go(func() {
			for range 300 {
				if i%4 == 0 {
					lock.Lock()
					n++
					m++
					lock.Unlock()
					continue
				}
				lock.RLock()
				if n != m {
					t.Error("seen half a change")
				}
				lock.RUnlock()
			}
		})
	}
	group.Wait()
}

func TestVirtualTimeGoesOnWhileAHolderSleeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var (
			lock   Lock
			shared Shared
			group  sync.WaitGroup
		)
		began := time.Now()
		for range 3 {
			group.Go(func() {
				lock.Lock()
				defer lock.Unlock()
				time.Sleep(time.Second)
				shared.RLock()
				defer shared.RUnlock()
			})
		}
		group.Go(func() {
			shared.Lock()
			defer shared.Unlock()
			time.Sleep(10 * time.Second)
		})
		group.Wait()
		if took := time.Since(began); took < 3*time.Second {
			t.Errorf("took %s", took)
		}
	})
}

func TestAWaitForALockEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lock Lock
		lock.Lock()
		brief, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := lock.LockUntil(brief); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a wait that ended: %v", err)
		}
		order := make(chan int, 3)
		for i := range 3 {
			go func() {
				if i != 1 {
					lock.Lock()
				} else if err := lock.LockUntil(t.Context()); err != nil {
					t.Error(err)
				}
				order <- i
				lock.Unlock()
			}()
			synctest.Wait()
		}
		lock.Unlock()
		for want := range 3 {
			if got := <-order; got != want {
				t.Errorf("%d came before %d", got, want)
			}
		}
		synctest.Wait()
		if err := lock.LockUntil(brief); err != nil {
			t.Errorf("a lock that is free: %v", err)
		}
	})
}

// A lock that arrives at the moment its wait ends is either held or handed on,
// never lost.
func TestNoTurnIsLostToAWaitThatEnds(t *testing.T) {
	var lock Lock
	for range 2000 {
		lock.Lock()
		ctx, cancel := context.WithCancel(context.Background())
		var group sync.WaitGroup
		group.Go(func() {
			if lock.LockUntil(ctx) == nil {
				lock.Unlock()
			}
		})
		group.Go(cancel)
		lock.Unlock()
		group.Wait()
		if lock.isHeld || len(lock.waiting) > 0 {
			t.Fatal("it is still held")
		}
	}
}

// A wait for a shared lock ends too. Readers behind a writer that leaves get in.
func TestAWaitForASharedLockEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var (
			lock  Shared
			group sync.WaitGroup
		)
		brief, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		lock.RLock()
		group.Go(func() {
			if err := lock.LockUntil(brief); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("a writer whose wait ended: %v", err)
			}
		})
		synctest.Wait()
		began := time.Now()
		if err := lock.RLockUntil(t.Context()); err != nil || time.Since(began) != time.Second {
			t.Errorf("a reader behind it: %v after %s", err, time.Since(began))
		}
		group.Wait()
		lock.RUnlock()
		lock.RUnlock()
		lock.Lock()
		if err := lock.RLockUntil(brief); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a reader whose wait ended: %v", err)
		}
		lock.Unlock()
		if !lock.IsFree() {
			t.Error("it is still held")
		}
		if err := lock.LockUntil(brief); err != nil {
			t.Errorf("a lock that is free: %v", err)
		}
	})
}

func TestNoSharedTurnIsLostToAWaitThatEnds(t *testing.T) {
	var lock Shared
	for i := range 2000 {
		lock.Lock()
		ctx, cancel := context.WithCancel(context.Background())
		var group sync.WaitGroup
		group.Go(func() {
			if i%2 == 0 && lock.LockUntil(ctx) == nil {
				lock.Unlock()
			} else if i%2 == 1 && lock.RLockUntil(ctx) == nil {
				lock.RUnlock()
			}
		})
		group.Go(func() {
			lock.RLock()
			defer lock.RUnlock()
		})
		group.Go(cancel)
		lock.Unlock()
		group.Wait()
		if !lock.IsFree() {
			t.Fatal("it is still held")
		}
	}
}
