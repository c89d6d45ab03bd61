package generations

import (
	"context"
	"time"
)

// isOver reports whether more generations are open than may be. The caller
// holds mu.
func (s *Set) isOver() bool {
	return s.options.MaxOpen > 0 && len(s.slots)-s.evicted > s.options.MaxOpen
}

// IsFull reports whether as many generations are open as may be.
func (s *Set) IsFull() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.options.MaxOpen > 0 && len(s.slots)-s.evicted >= s.options.MaxOpen
}

// evict closes unused generations beyond the bound, least recently used first.
// They stay usable for the grace period.
func (s *Set) evict(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.isOver() {
		var victim *slot
		for _, held := range s.slots {
			if held.users == 0 && held.engine != nil && held.grace == nil && (victim == nil || held.usedAt.Before(victim.usedAt)) {
				victim = held
			}
		}
		if victim == nil {
			return
		}
		if s.options.CloseGrace <= 0 {
			s.leave(ctx, victim)
			continue
		}
		s.evicted++
		victim.grace = time.AfterFunc(s.options.CloseGrace, func() { s.endGrace(victim) })
	}
}

// endGrace closes an evicted generation that nobody came back for.
func (s *Set) endGrace(held *slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if held.grace != nil && held.users == 0 && s.slots[held.entry.Generation] == held {
		s.leave(context.Background(), held)
	}
}

// stay ends the grace of a generation that is used again or is leaving. The
// caller holds mu.
func (s *Set) stay(held *slot) {
	if held.grace != nil {
		held.grace.Stop()
		held.grace = nil
		s.evicted--
	}
}
