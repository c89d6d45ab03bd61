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

// maxQueued bounds the operations that wait or are being appended: one group commit
// under way and one that gathers. Each operation holds a parsed document, which
// takes many times its bytes; more of them would not make the log or the workers
// faster.
const maxQueued = 2 * maxBatchOperations

// keptBatches is how many batches newest is maintained for after a lookup. A load
// that replaces whole documents never looks keys up.
const keptBatches = 16

// operation is one change on its way through the log into a table.
type operation struct {
	log.Operation
	source   []byte             // of an Add: the document as sent
	signals  []signalValue      // of an Add: all of its values; of Signals: the refreshed ones
	at       place              // of Signals: where the document is
	document *document.Document // of an Add, when it is parsed already
	stream   *WriteStream
}

// keyState is the effect on one key of the operations that are not in a table yet.
type keyState struct {
	base    *operation    // the last Add or Delete; nil when there is none
	signals []signalValue // refreshed after base
	last    *operation
}

// queue holds the operations that wait for the log, in order, and those being
// appended. Lookups of the newest state start here.
type queue struct {
	mu      sync.Mutex
	waiting []*operation
	held    int // operations that wait or are being appended
	bases   int // how many of these add or delete a document
	bytes   int64
	limit   int64
	full    atomic.Bool         // held or bytes has reached its limit
	batch   []*operation        // being appended; nil once it is known to be refused
	busy    bool                // a batch is being appended
	since   time.Time           // when that began
	newest  map[string]keyState // by key: what waits or is being appended; nil unless looked up recently
	keptFor int                 // batches until newest is dropped unless it is looked up
	refusal error               // non-nil: the queue takes nothing
	refused atomic.Uint64       // how often waiting operations were refused
	round   uint64              // incremented when a batch ends and the next one is to wait for others
	writers int                 // streams with waiting operations, while wanted is not 0
	stayed  int                 // how many streams had waiting operations when the round began
	wanted  int                 // how many streams the next batch waits for; see gatherFor
	until   time.Time           // when it stops waiting for them
	alone   int                 // number of batches that will not wait for others
	arrived func()              // called when something waits; must not block
	freed   chan struct{}       // closed and replaced when bytes drop
	drained chan struct{}       // closed and replaced when nothing waits
}

func newQueue(limit int64, arrived func()) *queue {
	return &queue{limit: limit, arrived: arrived, freed: make(chan struct{}), drained: make(chan struct{})}
}

var errQueueFull = errors.New("the log takes nothing at present")

// awaitCapacity blocks until the queue has capacity. It fails when one append takes
// longer than most; 0 means no bound.
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

// patience returns how much of the time allowed for one append is left: all of it
// while none is under way, as when the workers are busy.
func (q *queue) patience(most time.Duration) time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.busy {
		return most
	}
	return most - time.Since(q.since)
}

// after returns a channel that delivers once wait has passed, or never when wait is
// 0.
func after(wait time.Duration) (late <-chan time.Time, stop func() bool) {
	if wait <= 0 {
		return nil, func() bool { return true }
	}
	timer := time.NewTimer(wait)
	return timer.C, timer.Stop
}

// count adds operations to the totals of the queue (sign 1) or subtracts them (-1).
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

// pushOnto enqueues an operation that was prepared when refused had the given
// value. It fails when something was refused since, because the operation may build
// on that.
func (q *queue) pushOnto(refused uint64, op *operation) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.refusal == nil && q.refused.Load() != refused {
		return problem.StorageIoError.New("resource", "index").Because(errRefusedBase)
	}
	return q.add(op)
}

// push enqueues an operation that builds on no other. It fails once the queue has
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

// pushAll is pushOnto for the operations of one stream: it takes all or none.
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

// note records an operation in newest.
func (q *queue) note(op *operation) {
	switch op.Kind {
	case log.Add, log.Delete:
		q.newest[op.Key] = keyState{base: op, last: op}
	case log.Signals:
		state := q.newest[op.Key]
		q.newest[op.Key] = keyState{base: state.base, signals: mergeSignals(state.signals, op.signals), last: op}
	}
}

// take returns the operations of the next batch, or nil when nothing waits.
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

// done removes a batch that was applied to a table or refused.
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
	if q.keptFor--; q.keptFor <= 0 || q.held == 0 { // an empty map may still take much memory
		q.newest = nil
	}
	q.awaitOthers(batch)
	q.batch, q.busy = nil, false
	q.wake()
}

// wake wakes callers that wait for capacity or for the queue to drain.
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

// refuseWaiting removes and returns all waiting operations, because they may build
// on a batch that was not written. A non-nil refusal also ends the queue: later
// pushes fail with it.
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

// end makes later pushes fail with refusal; operations that wait are still
// processed.
func (q *queue) end(refusal error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.refusal == nil {
		q.refusal = refusal
	}
	q.wake()
}

// isDrained reports whether nothing waits or is being appended. The channel is
// closed when that becomes true.
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

// find returns the state of a key in the queue; ok is false when nothing waits for
// it.
func (q *queue) find(key string) (state keyState, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.keepNewest()
	state, ok = q.newest[key]
	return state, ok
}

// keepNewest builds newest if necessary, and keeps it for keptBatches more. The
// caller holds mu.
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

// findBases reports the documents for which an Add or Delete waits or is being
// appended. When only refreshes come in, it does not build newest.
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
