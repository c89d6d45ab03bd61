package engine

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// guard runs background work. A page of a mapped file that the disk cannot
// deliver, or a bug, would end the process; here they become errors, and the
// searches of every index go on. Goroutines that work starts need a guard of
// their own.
func guard(work func() error) (err error) {
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
			err = fmt.Errorf("read mapped file: %w", memory)
			return
		}
		err = fmt.Errorf("panic: %v\n%s", fault, debug.Stack())
	}()
	return work()
}
