//go:build unix

package server

import "syscall"

// descriptors returns how many files and connections the process may have open, or
// 0 when that is unknown.
func descriptors() uint64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return uint64(limit.Cur)
}
