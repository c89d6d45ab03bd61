package engine

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/log"
	"github.com/quiresearch/quire/problem"
)

// Bounds of one group commit.
const (
	maxBatchOperations = 2000
	maxBatchBytes      = 8 << 20
)

// maxQueued is the number of operations that wait or are being appended: one
// group commit on its way and one that gathers. Each holds a document that was
// read, which takes many times its bytes; more of them would not make the log or
// the workers faster.
const maxQueued = 2 * maxBatchOperations

// keptBatches is for how many batches the newest state by key is kept up after
// a caller asked for it. A load that replaces whole documents never asks.
const keptBatches = 16

// operation is one change on its way through the log into a table.
type operation struct {
	log.Operation
	source   []byte             // of an Add: the document as sent
	signals  []signalValue      // of an Add: all of its values; of Signals: the refreshed ones
	at       place              // of Signals: where the document is
	document *document.Document // of an Add, when it is read already
	stream   *WriteStream
}

// keyState is what operations that are not in a table yet do to one key.
type keyState struct {
	base    *operation    // the last Add or Delete; nil when there is none
	signals []signalValue // refreshed behind base
	last    *operation
}

// queue holds operations that wait for the log, in order, and those being
// appended. Readers of the newest state look here first.
type queue struct {
	mu      sync.Mutex
	waiting []*operation
	held    int // operations that wait or are being appended
	bases   int // of these, how many add or delete a document
	bytes   int64
	limit   int64
	full    atomic.Bool         // held or bytes has reached its bound
	batch   []*operation        // being appended; nil once it is known to be refused
	busy    bool                // a batch is being appended
	since   time.Time           // when that began
	newest  map[string]keyState // by key: what waits or is being appended; nil unless a caller asks
	keptFor int                 // batches until newest is dropped unless a caller asks
	refusal error               // non-nil: nothing is taken
	refused atomic.Uint64       // how often what waited was refused
	round   uint64              // raised when a batch ends behind which the next is to wait for others
	writers int                 // streams with operations that wait, while wanted is not 0
	stayed  int                 // how many of them did when the round began
	wanted  int                 // how many of them the next batch is to have; see gatherFor
	until   time.Time           // how long it waits for them
	alone   int                 // batches that are not to wait for others
	arrived func()              // called when something waits; must not wait
	freed   chan struct{}       // closed and replaced when bytes drop
	drained chan struct{}       // closed and replaced when nothing waits
}

func newQueue(limit int64, arrived func()) *queue {
	return &queue{limit: limit, arrived: arrived, freed: make(chan struct{}), drained: make(chan struct{})}
}

var errQueueFull = errors.New("the log takes nothing at present")

// awaitCapacity waits until the queue may take more, or for as long as one append may
// be under way; 0 means no bound.
func (q *queue) awaitCapacity(ctx context.Context, most time.Duration) error {
	wait := most
	for q.full.Load() {
		q.mu.Lock()
		freed, full, refusal := q.freed, q.full.Load(), q.refusal
		q.mu.Unlock()
		switch {
		case refusal != nil:
			return refusal
		case !full:
			return nil
		}
		late, stop := after(wait)
		select {
		case <-freed:
			stop()
			wait = most
		case <-late:
			if wait = q.patience(most); wait <= 0 {
				return problem.StorageIoError.New("resource", "index").Because(errQueueFull)
			}
		case <-ctx.Done():
			stop()
			return ctx.Err()
		}
	}
	return nil
}

// patience returns how much of the time that one append may take is left: all of
// it while none is under way, as when the workers are busy.
func (q *queue) patience(most time.Duration) time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.busy {
		return most
	}
	return most - time.Since(q.since)
}

// after returns a channel that answers once so long has passed, never when that
// is 0.
func after(wait time.Duration) (late <-chan time.Time, stop func() bool) {
	if wait <= 0 {
		return nil, func() bool { return true }
	}
	timer := time.NewTimer(wait)
	return timer.C, timer.Stop
}

// count adds operations to what the queue holds (sign 1), or takes them away (-1).
// The caller holds mu.
func (q *queue) count(sign int, operations ...*operation) {
	for _, op := range operations {
		q.bytes += int64(sign * log.OperationSize(op.Operation))
		if op.Kind == log.Add || op.Kind == log.Delete {
			q.bases += sign
		}
	}
	q.held += sign * len(operations)
	q.full.Store(q.held >= maxQueued || q.bytes >= q.limit)
}

var errRefusedBase = errors.New("what was written before was refused")

// pushOnto takes an operation that was prepared when refused had this value. It
// fails when something was refused since: the operation may build on it.
func (q *queue) pushOnto(refused uint64, op *operation) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.refusal == nil && q.refused.Load() != refused {
		return problem.StorageIoError.New("resource", "index").Because(errRefusedBase)
	}
	return q.add(op)
}

// push takes an operation that builds on nothing. It fails when the queue was
// ended.
func (q *queue) push(op *operation) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.add(op)
}

// add is push; the caller must hold mu.
func (q *queue) add(op *operation) error {
	if q.refusal != nil {
		return q.refusal
	}
	q.waiting = append(q.waiting, op)
	q.join(op.stream)
	q.count(1, op)
	if q.newest != nil {
		q.note(op)
	}
	if op.stream != nil {
		op.stream.taken(1)
	}
	q.arrived()
	return nil
}

// pushAll is pushOnto for operations of one stream: all are taken, or none.
func (q *queue) pushAll(refused uint64, stream *WriteStream, operations []operation) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.refusal != nil:
		return q.refusal
	case q.refused.Load() != refused:
		return problem.StorageIoError.New("resource", "index").Because(errRefusedBase)
	case len(operations) == 0:
		return nil
	}
	q.join(stream)
	start := len(q.waiting)
	for i := range operations {
		q.waiting = append(q.waiting, &operations[i])
		if q.newest != nil {
			q.note(&operations[i])
		}
	}
	q.count(1, q.waiting[start:]...)
	stream.taken(len(operations))
	q.arrived()
	return nil
}

// note puts an operation into newest.
func (q *queue) note(op *operation) {
	switch op.Kind {
	case log.Add, log.Delete:
		q.newest[op.Key] = keyState{base: op, last: op}
	case log.Signals:
		state := q.newest[op.Key]
		q.newest[op.Key] = keyState{base: state.base, signals: mergeSignals(state.signals, op.signals), last: op}
	}
}

// take returns the operations of the next batch, nil when nothing waits.
func (q *queue) take() []*operation {
	q.mu.Lock()
	defer q.mu.Unlock()
	count, bytes := 0, 0
	for count < len(q.waiting) && count < maxBatchOperations {
		size := log.OperationSize(q.waiting[count].Operation)
		if count > 0 && bytes+size > maxBatchBytes {
			break
		}
		bytes += size
		count++
	}
	if count == 0 {
		return nil
	}
	if 2*(q.writers-q.stayed) < q.wanted-q.stayed {
		q.alone = aloneFor
	}
	q.stayed, q.wanted = 0, 0
	batch := q.waiting[:count:count]
	q.waiting = q.waiting[count:]
	q.batch, q.busy, q.since = batch, true, time.Now()
	return batch
}

// done removes a batch that is in a table, or refused.
func (q *queue) done(batch []*operation) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.count(-1, batch...)
	if q.newest != nil {
		for _, op := range batch {
			if q.newest[op.Key].last == op {
				delete(q.newest, op.Key)
			}
		}
	}
	if q.keptFor--; q.keptFor <= 0 || q.held == 0 { // what is empty may still take much memory
		q.newest = nil
	}
	q.awaitOthers(batch)
	q.batch, q.busy = nil, false
	q.wake()
}

// wake wakes callers that wait for space in the queue or for the end of the work.
func (q *queue) wake() {
	close(q.freed)
	q.freed = make(chan struct{})
	if len(q.waiting) == 0 && !q.busy {
		close(q.drained)
		q.drained = make(chan struct{})
		q.waiting = nil
	}
	if len(q.waiting) > 0 {
		q.arrived()
	}
}

// refuseWaiting takes everything out of the queue, because what waits may
// build on a batch that was not written. With a refusal the queue ends: what
// is pushed later is refused with it.
func (q *queue) refuseWaiting(refusal error) []*operation {
	q.mu.Lock()
	defer q.mu.Unlock()
	refused := q.waiting
	q.count(-1, refused...)
	q.waiting, q.batch, q.newest = nil, nil, nil
	q.refused.Add(1)
	if refusal != nil && q.refusal == nil {
		q.refusal = refusal
		q.arrived() // the next batch may be waiting for others
	}
	q.wake()
	return refused
}

// end makes the queue refuse what is pushed from now on; what waits is still
// worked off.
func (q *queue) end(refusal error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.refusal == nil {
		q.refusal = refusal
	}
	q.wake()
}

// isDrained reports whether nothing waits or is being appended.
func (q *queue) isDrained() (bool, <-chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting) == 0 && !q.busy, q.drained
}

// drain waits until everything pushed so far is in a table or refused.
func (q *queue) drain(ctx context.Context) error {
	q.takeAtOnce()
	for {
		empty, drained := q.isDrained()
		if empty {
			return nil
		}
		select {
		case <-drained:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// find returns what waits for a key; ok is false when nothing does.
func (q *queue) find(key string) (state keyState, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.keepNewest()
	state, ok = q.newest[key]
	return state, ok
}

// keepNewest makes newest where it is not kept, and keeps it. The caller holds mu.
func (q *queue) keepNewest() {
	q.keptFor = keptBatches
	if q.newest != nil {
		return
	}
	q.newest = make(map[string]keyState)
	for _, op := range q.batch {
		q.note(op)
	}
	for _, op := range q.waiting {
		q.note(op)
	}
}

// findBases reports for which documents an Add or Delete waits or is being
// appended. Where nothing but refreshes comes in, newest is not needed.
func (q *queue) findBases(all []Refresh, report func(i int, exists bool)) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.bases == 0 {
		return
	}
	q.keepNewest()
	for i := range all {
		if base := q.newest[string(all[i].Key)].base; base != nil {
			report(i, base.Kind == log.Add)
		}
	}
}
