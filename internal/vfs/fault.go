package vfs

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// ErrFault is wrapped by the error of Protect when mapped bytes cannot be read: the
// disk failed, or the file was truncated while mapped.
var ErrFault = errors.New("mapped file cannot be read")

// ErrPanic is wrapped by the error of Protect when the work panicked.
var ErrPanic = errors.New("panic")

// Protect runs do, which may read mappings, and turns a fault of mapped memory, or
// any other panic, into an error: neither may end a process that serves other
// indexes. It covers only the calling goroutine: do must protect goroutines that it
// starts.
func Protect(do func() error) (err error) {
	before := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(before)
		if p := recover(); p != nil {
			err = Recovered(p)
		}
	}()
	return do()
}

// Recovered returns the error for a recovered panic. It wraps ErrFault or ErrPanic,
// the latter with the stack of the goroutine, and the panic value if that is an
// error.
func Recovered(p any) error {
	fault, ok := p.(interface {
		error
		Addr() uintptr
	})
	if err, isError := p.(error); isError && !ok {
		if errors.Is(err, ErrFault) {
			return err // it was kept from an earlier fault
		}
		return fmt.Errorf("%w: %w\n%s", ErrPanic, err, debug.Stack())
	}
	if !ok {
		return fmt.Errorf("%w: %v\n%s", ErrPanic, p, debug.Stack())
	}
	return fmt.Errorf("%w: %v at %#x", ErrFault, fault, fault.Addr())
}
