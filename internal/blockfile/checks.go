package blockfile

import (
	"errors"
	"sync"
	"sync/atomic"
)

// checks records which sections were verified. Sections are many and failures are
// few, so a section that passed takes one bit.
type checks struct {
	passed []atomic.Uint64
	turns  [32]sync.Mutex // by section number, modulo: held while a section is verified

	mu     sync.Mutex
	failed map[int]error
}

func newChecks(sections int) *checks { return &checks{passed: make([]atomic.Uint64, (sections+63)/64)} }

// once runs verify for a section that has not been verified, and returns the error
// of the only run. If verify panics, the section has failed.
func (c *checks) once(i int, verify func() error) (err error) {
	word, bit := &c.passed[i/64], uint64(1)<<(i%64)
	if word.Load()&bit != 0 {
		return nil
	}
	turn := &c.turns[i%len(c.turns)]
	turn.Lock()
	defer turn.Unlock()
	if word.Load()&bit != 0 {
		return nil
	}
	if err := c.failure(i); err != nil {
		return err
	}
	err = errUnverified // remains if verify panics
	defer func() {
		if err != nil {
			c.fail(i, err)
			return
		}
		word.Or(bit)
	}()
	return verify()
}

var errUnverified = errors.New("a part of the file could not be verified")

// failure returns the error of a section that failed, nil for any other.
func (c *checks) failure(i int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failed[i]
}

func (c *checks) fail(i int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed == nil {
		c.failed = make(map[int]error)
	}
	c.failed[i] = err
}
