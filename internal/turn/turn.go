// Package turn provides locks that may be held during slow work, such as requests
// to storage: callers wait on a channel, in order of arrival, so that virtual time
// advances while a holder sleeps.
//
// The zero values are unlocked. They are safe for concurrent use and must not be
// copied after first use.
package turn

import (
	"context"
	"slices"
	"sync"
)

// Lock is a mutual exclusion lock.
type Lock struct {
	mu      sync.Mutex
	isHeld  bool
	waiting []chan struct{}
}

// Lock acquires the lock.
func (l *Lock) Lock() {
	l.mu.Lock()
	if !l.isHeld {
		l.isHeld = true
		l.mu.Unlock()
		return
	}
	turn := make(chan struct{})
	l.waiting = append(l.waiting, turn)
	l.mu.Unlock()
	<-turn
}

// LockUntil acquires the lock, or returns the error of ctx when ctx ends first.
func (l *Lock) LockUntil(ctx context.Context) error {
	l.mu.Lock()
	if !l.isHeld {
		l.isHeld = true
		l.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	l.waiting = append(l.waiting, turn)
	l.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	at := slices.Index(l.waiting, turn)
	if at < 0 {
		return nil // the lock was handed over at the same moment
	}
	l.waiting = slices.Delete(l.waiting, at, at+1)
	return ctx.Err()
}

// Unlock hands the lock to the caller that has waited longest.
func (l *Lock) Unlock() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) == 0 {
		l.isHeld = false
		return
	}
	close(l.waiting[0])
	l.waiting = l.waiting[1:]
}

// Shared is a readers-writer lock. A waiting writer is not overtaken by later
// readers.
type Shared struct {
	mu      sync.Mutex
	sharing int
	isAlone bool
	waiting []waiter
}

type waiter struct {
	turn  chan struct{}
	alone bool
}

// Lock acquires the lock exclusively.
func (s *Shared) Lock() { _ = s.wait(context.Background(), true) }

// LockUntil is Lock, or returns the error of ctx when ctx ends first.
func (s *Shared) LockUntil(ctx context.Context) error { return s.wait(ctx, true) }

// RLock acquires the lock for sharing.
func (s *Shared) RLock() { _ = s.wait(context.Background(), false) }

// RLockUntil is RLock, or returns the error of ctx when ctx ends first.
func (s *Shared) RLockUntil(ctx context.Context) error { return s.wait(ctx, false) }

func (s *Shared) wait(ctx context.Context, alone bool) error {
	s.mu.Lock()
	if len(s.waiting) == 0 && !s.isAlone && (!alone || s.sharing == 0) {
		s.enter(alone)
		s.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	s.waiting = append(s.waiting, waiter{turn, alone})
	s.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at := slices.IndexFunc(s.waiting, func(w waiter) bool { return w.turn == turn })
	if at < 0 {
		return nil // the lock was handed over at the same moment
	}
	s.waiting = slices.Delete(s.waiting, at, at+1)
	s.admit() // readers behind a writer that leaves
	return ctx.Err()
}

func (s *Shared) enter(alone bool) {
	if alone {
		s.isAlone = true
	} else {
		s.sharing++
	}
}

// IsFree reports whether no caller holds the lock or waits for it.
func (s *Shared) IsFree() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.isAlone && s.sharing == 0 && len(s.waiting) == 0
}

// Unlock releases the lock after Lock.
func (s *Shared) Unlock() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.isAlone = false
	s.admit()
}

// RUnlock releases the lock after RLock.
func (s *Shared) RUnlock() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sharing--
	s.admit()
}

// admit hands the lock to all waiting callers that may hold it now.
func (s *Shared) admit() {
	for len(s.waiting) > 0 {
		next := s.waiting[0]
		if s.isAlone || next.alone && s.sharing > 0 {
			return
		}
		s.enter(next.alone)
		s.waiting = s.waiting[1:]
		close(next.turn)
	}
}
