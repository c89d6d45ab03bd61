package clustertest

import (
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"time"

	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/vfs/faultfs"
)

// F36: in some runs a process is stopped in an orderly way while it merges segments
// or pulls files.

// moment is what a machine is doing when it is stopped.
type moment int

const (
	merging moment = iota
	pulling
)

// isNow reports whether a call to the disk belongs to a moment.
func (m moment) isNow(c faultfs.Call) bool {
	if m == pulling {
		return c.Op == "create" && strings.HasSuffix(c.Name, ".part")
	}
	return c.Op == "create" && isCalledBy("internal/segment.Merge")
}

// isCalledBy reports whether a function is on the stack of this goroutine.
func isCalledBy(function string) bool {
	var calls [64]uintptr
	frames := runtime.CallersFrames(calls[:runtime.Callers(2, calls[:])])
	for {
		frame, more := frames.Next()
		if strings.HasSuffix(frame.Function, function) {
			return true
		}
		if !more {
			return false
		}
	}
}

// stop stops machines at such moments until the end, and starts them again. What a
// process leaves behind must be whole, and it must end soon.
func (s *simulation) stop(random *rand.Rand) {
	for !s.isOver() {
		s.rest(between(random, time.Second, 10*time.Second))
		m := s.machines[random.IntN(len(s.machines))]
		at, wait := moment(random.IntN(2)), between(random, time.Nanosecond, 30*time.Millisecond)
		p := m.process()
		if p == nil {
			continue
		}
		reached := make(chan struct{}, 1)
		m.mu.Lock()
		disk := m.disk
		m.mu.Unlock()
		disk.SetFault(func(c faultfs.Call) error {
			if at.isNow(c) && len(reached) == 0 {
				reached <- struct{}{}
			}
			return nil
		})
		select {
		case <-reached:
		case <-time.After(between(random, 5*time.Second, 20*time.Second)):
			continue
		}
		if at == pulling {
			time.Sleep(wait) // the bytes of other files are on their way
		}
		if m.process() != p {
			continue // it was killed meanwhile
		}
		s.trace.Note(p.link.name, "stop", int(at))
		s.count(fmt.Sprintf("stopped at %d", at))
		began := time.Now()
		m.terminate()
		s.checkStopped(m, disk, time.Since(began), p.link.Pauses() > 0)
		time.Sleep(between(random, time.Second, 15*time.Second))
		if m.process() == nil && !s.store.IsLying() {
			m.start(Faults{})
		}
	}
}

// longestStop is how long a process may take to end, even without a bucket.
const longestStop = 3 * time.Minute

func (s *simulation) checkStopped(m *machine, disk *faultfs.FS, took time.Duration, isPaused bool) {
	if took > longestStop && !isPaused {
		s.t.Errorf("seed %d: F36: %s took %v to stop", s.seed, m.name, took)
	}
	if names, err := disk.List("generations"); err != nil || len(names) == 0 {
		return
	}
	if err := engine.CheckAll(disk, "generations", io.Discard); err != nil {
		s.t.Errorf("seed %d: F36: what %s left behind: %v", s.seed, m.name, err)
	}
}
