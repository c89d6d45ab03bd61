// Package turn has locks that may be held across slow work, such as requests
// to storage: callers wait on a channel, in the order of arrival, so that
// virtual time goes on while a holder sleeps.
//
// The zero values are unlocked. Each may be used by any number of goroutines
// and must not be copied after its first use.
package turn

import (
	"context"
	"slices"
	"sync"
)

// Lock lets one at a time go on.
type Lock struct {
	mu      sync.Mutex
	isHeld  bool
	waiting []chan struct{}
}

// Lock waits for its turn.
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

// LockUntil waits for its turn, or for the end of ctx, whose error it returns then.
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
		return nil // it came at the same moment
	}
	l.waiting = slices.Delete(l.waiting, at, at+1)
	return ctx.Err()
}

// Unlock hands the lock to the caller that waited longest.
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

// Shared lets many callers proceed together, or one alone. A caller that waits to
// be alone is not overtaken by callers that share.
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

// Lock waits until it is alone.
func (s *Shared) Lock() { s.wait(true) }

// RLock waits until it may share.
func (s *Shared) RLock() { s.wait(false) }

func (s *Shared) wait(alone bool) {
	s.mu.Lock()
	if len(s.waiting) == 0 && !s.isAlone && (!alone || s.sharing == 0) {
		s.enter(alone)
		s.mu.Unlock()
		return
	}
	w := waiter{make(chan struct{}), alone}
	s.waiting = append(s.waiting, w)
	s.mu.Unlock()
	<-w.turn
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

// Unlock ends being alone.
func (s *Shared) Unlock() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.isAlone = false
	s.admit()
}

// RUnlock ends sharing.
func (s *Shared) RUnlock() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sharing--
	s.admit()
}

// admit lets those in who may go on now.
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
