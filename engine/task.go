package engine

import (
	"context"
	"sync"
	"time"
)

// task is background work of a generation that runs in a goroutine only while there
// is some: a generation that is not written holds no goroutine and no timer,
// however many are open. The zero task does nothing until begin.
//
// The work is a loop that ends when park returns true. Meanwhile it may wait for
// woken and for a timer:
//
//	g.committing.begin(g.commitLoop)
//	g.committing.wake()        // starts the loop, or makes it check again
//	if g.committing.park() {   // in the loop: nothing is left to do
//		return
//	}
//
// No wake is lost: one that comes while the loop is about to park makes it check
// again, and a later one starts it anew. A task is safe for concurrent use; its
// work never runs twice at once.
type task struct {
	woken chan struct{} // buffered by one

	mu        sync.Mutex // taken last
	work      func()     // nil before begin
	isRunning bool
	isEnded   bool
	running   sync.WaitGroup
}

func newTask() task { return task{woken: make(chan struct{}, 1)} }

// begin sets the work of the task, and starts it if the task was woken before.
func (t *task) begin(work func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.work = work
	if len(t.woken) > 0 {
		t.start()
	}
}

// wake makes the work run, unless the task has ended.
func (t *task) wake() {
	t.mu.Lock()
	defer t.mu.Unlock()
	notify(t.woken)
	t.start()
}

// start starts the work unless it is running. The caller must hold mu.
func (t *task) start() {
	if t.work == nil || t.isRunning || t.isEnded {
		return
	}
	t.isRunning = true
	t.running.Go(t.work)
}

// park reports whether the work may end because there was no wake since its last
// check.
func (t *task) park() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case <-t.woken:
		return false
	default:
		t.isRunning = false
		return true
	}
}

// await blocks until the task is woken, the duration has passed or ctx ends.
func (t *task) await(ctx context.Context, long time.Duration) {
	timer := time.NewTimer(long)
	defer timer.Stop()
	select {
	case <-t.woken:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// end waits for the work under way and keeps it from starting again.
func (t *task) end() {
	t.mu.Lock()
	t.isEnded = true
	t.mu.Unlock()
	t.running.Wait()
}
