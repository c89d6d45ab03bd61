package vectors

import (
	"runtime/debug"
	"syscall"
	"testing"
	"unsafe"
)

// A page of scales that cannot be read fails the search that needs it, and no later one.
func TestWidestStepIsLookedForAgainAfterAFault(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	page, err := syscall.Mmap(-1, 0, syscall.Getpagesize(), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Munmap(page); err != nil {
			t.Error(err)
		}
	})
	r := new(Reader)
	r.codes.scale = unsafe.Slice((*float32)(unsafe.Pointer(&page[0])), len(page)/4)
	r.codes.scale[7] = 0.5
	if err := syscall.Mprotect(page, syscall.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("read a page without permission")
			}
		}()
		r.widestStep()
	}()
	if err := syscall.Mprotect(page, syscall.PROT_READ); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if step := r.widestStep(); step != 0.5 {
			t.Errorf("widest step %v", step)
		}
	}
}
