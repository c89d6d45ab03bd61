package main

import (
	"sync"
	"time"
)

// watch tracks the memory of a process until the returned function is called,
// which returns the peaks in bytes: private memory, which only the process can
// release, and pages of mapped files, which the kernel can reclaim.
func watch(pid int) (stop func() (private, mapped int64)) {
	var private, mapped int64
	look := func() {
		private = max(private, statusOf(pid, "RssAnon:"))
		mapped = max(mapped, statusOf(pid, "RssFile:"))
	}
	over := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			look()
			select {
			case <-over:
				return
			case <-tick.C:
			}
		}
	})
	return func() (int64, int64) {
		close(over)
		wg.Wait()
		look()
		return private, mapped
	}
}
