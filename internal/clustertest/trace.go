package clustertest

import (
	"fmt"
	"hash/fnv"
	"io"
	"sync"
	"time"
)

// Trace is everything that crossed the links of a run, with its time, as one
// number. Two runs of a seed that went the same way have the same number.
type Trace struct {
	began time.Time
	out   io.Writer // every line as text; nil: none

	mu    sync.Mutex
	sum   uint64 // of the hashes of all lines: their order within an instant does not count
	lines int
}

// NewTrace begins a trace. It also writes the lines to out unless that is nil.
func NewTrace(out io.Writer) *Trace { return &Trace{began: time.Now(), out: out} }

// Note adds an event.
func (t *Trace) Note(who, what string, outcome int) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines++
	line := fmt.Sprintf("%d %s %s %d\n", time.Since(t.began), who, what, outcome)
	hash := fnv.New64a()
	_, _ = io.WriteString(hash, line)
	t.sum += hash.Sum64()
	if t.out != nil {
		_, _ = io.WriteString(t.out, line)
	}
}

// Sum returns the number of the run so far and how many events it stands for.
func (t *Trace) Sum() (sum uint64, events int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.sum, t.lines
}
