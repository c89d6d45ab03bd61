package collect

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/quiresearch/quire/problem"
)

// Guard runs a piece of a search on a goroutine of the pool. A page of a mapped
// file that the disk cannot deliver, or a bug, must cost this search alone: a
// panic there would end the process.
func Guard(work func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		fault := recover()
		if fault == nil {
			return
		}
		if memory, ok := fault.(interface {
			runtime.Error
			Addr() uintptr
		}); ok {
			err = problem.IndexClosed.New().Because(fmt.Errorf("read mapped file: %w", memory))
			return
		}
		err = fmt.Errorf("panic: %v\n%s", fault, debug.Stack())
	}()
	return work()
}
