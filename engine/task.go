package engine

import (
	"context"
	"sync"
	"time"
)

// task is background work of a generation that a goroutine does only while there
// is some: a generation that is not written holds no goroutine and no timer,
// however many of them are open. The zero value does nothing until begin.
//
// The work is a loop that ends when park returns true. It may wait for woken and
// for a timer meanwhile:
//
//	g.committing.begin(g.commitLoop)
//	g.committing.wake()        // starts the loop, or has it look again
//	if g.committing.park() {   // in the loop: nothing is left to do
//		return
//	}
//
// A wake is not lost: one that comes while the loop is about to park has it look
// again, and one that comes later starts it anew. A task may be used by any number
// of goroutines; no two run the work at once.
type task struct {
	woken chan struct{} // buffered by one

	mu        sync.Mutex // taken last
	work      func()     // nil before begin
	isRunning bool
	isEnded   bool
	running   sync.WaitGroup
}

func newTask() task { return task{woken: make(chan struct{}, 1)} }

// begin sets what the task does, and does it if it was woken before.
func (t *task) begin(work func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.work = work
	if len(t.woken) > 0 {
		t.start()
	}
}

// wake has the work done, unless the task ended.
func (t *task) wake() {
	t.mu.Lock()
	defer t.mu.Unlock()
	notify(t.woken)
	t.start()
}

// start runs the work unless it runs already. The caller must hold mu.
func (t *task) start() {
	if t.work == nil || t.isRunning || t.isEnded {
		return
	}
	t.isRunning = true
	t.running.Go(t.work)
}

// park reports whether the work may end: it was not woken since it last looked.
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

// await waits until the task is woken, or for so long.
func (t *task) await(ctx context.Context, long time.Duration) {
	timer := time.NewTimer(long)
	defer timer.Stop()
	select {
	case <-t.woken:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// end waits for the work under way and lets no more begin.
func (t *task) end() {
	t.mu.Lock()
	t.isEnded = true
	t.mu.Unlock()
	t.running.Wait()
}
