package clustertest

import (
	"math/rand/v2"
	"sync"
	"time"
)

// clock is the clock of one process (F13): it begins anywhere, runs at half, normal
// or double speed, leaps ahead and stops with its machine.
type clock struct {
	mu       sync.Mutex
	shown    time.Duration // at the time since
	since    time.Time
	rate     float64
	isFrozen bool
}

func newClock(random *rand.Rand) *clock {
	return &clock{shown: 2*time.Hour + time.Duration(random.Int64N(int64(2*time.Hour))), since: time.Now(), rate: 1}
}

func (c *clock) now() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.read()
}

func (c *clock) read() time.Duration {
	if c.isFrozen {
		return c.shown
	}
	return c.shown + time.Duration(c.rate*float64(time.Since(c.since)))
}

func (c *clock) set(change func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shown, c.since = c.read(), time.Now()
	change()
}

func (c *clock) leap(d time.Duration) { c.set(func() { c.shown += d }) }
func (c *clock) run(rate float64)     { c.set(func() { c.rate = rate }) }
func (c *clock) freeze(isFrozen bool) { c.set(func() { c.isFrozen = isFrozen }) }
