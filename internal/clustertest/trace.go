package clustertest

import (
	"fmt"
	"hash"
	"hash/fnv"
	"io"
	"sync"
	"time"
)

// Trace is everything that crossed the links of a run, with the time at which
// it did, as one number. Two runs of a seed that went the same way have the
// same.
type Trace struct {
	began time.Time
	out   io.Writer // every line as text; nil: none

	mu    sync.Mutex
	sum   hash.Hash64
	lines int
}

// NewTrace begins a trace. Its lines go to out as well unless that is nil.
func NewTrace(out io.Writer) *Trace { return &Trace{began: time.Now(), out: out, sum: fnv.New64a()} }

// Note adds an event.
func (t *Trace) Note(who, what string, outcome int) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines++
	at := time.Since(t.began)
	_, _ = fmt.Fprintf(t.sum, "%d %s %s %d\n", at, who, what, outcome)
	if t.out != nil {
		_, _ = fmt.Fprintf(t.out, "%d %s %s %d\n", at, who, what, outcome)
	}
}

// Sum returns the number of the run so far and how many events it stands for.
func (t *Trace) Sum() (sum uint64, events int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.sum.Sum64(), t.lines
}
