package engine

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/vfs"
)

// TestAnIdleGenerationHoldsNoGoroutine leaves generations open: a bubble that ends
// with a goroutine in it, waiting for work or for a timer, fails the test.
func TestAnIdleGenerationHoldsNoGoroutine(t *testing.T) {
	compressOutside(t)
	for _, test := range []struct {
		name    string
		options Options
		idle    func(t *testing.T, g *Generation)
	}{
		{"opened", Options{}, func(*testing.T, *Generation) {}},
		{"read-only", Options{ReadOnly: true}, func(*testing.T, *Generation) {}},
		{"without merges", manual, func(t *testing.T, g *Generation) {
			mustAdd(t, g, `{"id":"1","title":"one"}`)
		}},
		{"written and settled", Options{}, func(t *testing.T, g *Generation) {
			for i := range 30 { // more segments than stay
				mustAdd(t, g, fmt.Sprintf(`{"id":"%d","title":"one"}`, i))
				mustCommit(t, g)
			}
			time.Sleep(time.Hour)
			if !g.IsSettled() {
				t.Error("not settled after an hour")
			}
		}},
		{"committed after a while", Options{}, func(t *testing.T, g *Generation) {
			mustAdd(t, g, `{"id":"1","title":"one"}`)
			time.Sleep(time.Hour)
			if g.Sequence() == 0 {
				t.Error("nothing was committed")
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fs := vfs.Memory()
				create(t, fs, books)
				g, err := Open(t.Context(), Storage{FS: fs, Directory: "g"}, test.options)
				if err != nil {
					t.Fatal(err)
				}
				test.idle(t, g)
				if !test.options.ReadOnly {
					synctest.Wait()
					mustAdd(t, g, `{"id":"again","title":"awake"}`) // it wakes up unchanged
					mustCommit(t, g)
					if view := g.Snapshot(); view == nil || view.Documents == 0 {
						t.Error("the document is not there")
					} else {
						view.Release()
					}
				}
				time.Sleep(time.Hour)
			})
		})
	}
}

// compressOutside creates the encoder and the decoder of the process, which all
// generations share, outside of any bubble.
func compressOutside(t *testing.T) {
	fs := vfs.Memory()
	create(t, fs, books)
	g := open(t, fs, manual)
	for _, id := range []string{"1", "2"} {
		mustAdd(t, g, fmt.Sprintf(`{"id":%q,"title":"one"}`, id), fmt.Sprintf(`{"id":"%s0","title":"two"}`, id))
		mustCommit(t, g)
	}
	if err := g.MergeAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	mustDocuments(t, g)
}

// TestATaskLosesNoWake wakes a task from many goroutines: after each wake the work
// checks at least once.
func TestATaskLosesNoWake(t *testing.T) {
	compressOutside(t)
	synctest.Test(t, func(t *testing.T) {
		given := make(chan int, 1000)
		taken := 0
		worker := newTask()
		worker.wake() // before there is work
		worker.begin(func() {
			for {
				select {
				case n := <-given:
					taken += n
				default:
					if worker.park() {
						return
					}
				}
			}
		})
		for range 1000 {
			go func() {
				given <- 1
				worker.wake()
			}()
		}
		synctest.Wait()
		if worker.end(); taken != 1000 {
			t.Errorf("%d of 1000 were taken", taken)
		}
		given <- 1
		worker.wake()
		synctest.Wait()
		if taken != 1000 {
			t.Error("the task went on after its end")
		}
	})
}

// TestAnEndedTaskAwaitsItsWork ends a task that waits for a timer.
func TestAnEndedTaskAwaitsItsWork(t *testing.T) {
	compressOutside(t)
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		worker, isOver := newTask(), false
		worker.begin(func() {
			worker.await(ctx, time.Hour) // it was woken
			worker.await(ctx, time.Hour)
			isOver = true
		})
		worker.wake()
		synctest.Wait()
		if isOver {
			t.Error("it did not wait")
		}
		stop()
		if worker.end(); !isOver {
			t.Error("the end did not wait for it")
		}
	})
}
