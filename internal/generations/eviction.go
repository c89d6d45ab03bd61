package generations

import (
	"context"
	"time"
)

// isOver reports whether more generations are open than allowed. The caller must
// hold mu.
func (s *Set) isOver() bool {
	return s.options.MaxOpen > 0 && s.open-s.evicted > s.options.MaxOpen
}

// IsFull reports whether as many generations are open as allowed.
func (s *Set) IsFull() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.options.MaxOpen > 0 && s.open-s.evicted >= s.options.MaxOpen
}

// isIdle reports whether a generation is open and unused. The caller must hold mu.
func (h *holding) isIdle() bool {
	return (h.state == servingCopy || h.state == writing) && h.current.users == 0 && h.current.grace == nil
}

// evict closes unused generations beyond the bound, least recently used first. They
// stay usable for the grace period.
func (s *Set) evict(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.isOver() {
		var victim *holding
		for _, h := range s.holdings {
			if h.isIdle() && (victim == nil || h.current.usedAt.Before(victim.current.usedAt)) {
				victim = h
			}
		}
		if victim == nil {
			return
		}
		if s.options.CloseGrace <= 0 {
			s.fire(ctx, victim, shutDown)
			continue
		}
		s.evicted++
		inst := victim.current
		inst.grace = time.AfterFunc(s.options.CloseGrace, func() { s.endGrace(inst) })
	}
}

// endGrace closes an evicted generation that was not used again.
func (s *Set) endGrace(inst *instance) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.at(inst.entry.Generation)
	if inst.grace != nil && inst.users == 0 && h.current == inst && h.state.isHeld() {
		s.fire(context.Background(), h, shutDown)
	}
}

// stay ends the grace of a generation that is used again or is leaving. The caller
// must hold mu.
func (s *Set) stay(inst *instance) {
	if inst.grace != nil {
		inst.grace.Stop()
		inst.grace = nil
		s.evicted--
	}
}

// hurry makes every generation that is leaving, now or later, skip its last commit,
// and ends opens.
func (s *Set) hurry() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hurried = true
	for _, h := range s.holdings {
		if h.current != nil {
			h.current.abandon()
		}
		h.departure.hurry()
	}
}
