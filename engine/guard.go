package engine

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// guard runs work that reads mapped files. A page that the disk cannot deliver
// would end the process; here it becomes an error. Goroutines that work starts
// need a guard of their own.
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
		panic(fault)
	}()
	return work()
}
