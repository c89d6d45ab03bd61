//go:build linux

package vfs

import (
	"math"
	"os"

	"golang.org/x/sys/unix"
)

const maxMapping = math.MaxInt - 1

// mapFile maps the first size bytes of f for reading.
func mapFile(f *os.File, size int) ([]byte, func([]byte) error, error) {
	data, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, err
	}
	return data, unix.Munmap, nil
}

// forget drops mapped pages from the memory of the process. If that fails, they
// stay.
func forget(data []byte) {
	if len(data) > 0 {
		unix.Madvise(data, unix.MADV_DONTNEED)
	}
}

// scattered and soon advise the system how mapped pages will be read. If it ignores
// the advice, nothing changes.
func scattered(data []byte) { unix.Madvise(data, unix.MADV_RANDOM) }

func soon(data []byte) { unix.Madvise(data, unix.MADV_WILLNEED) }

func lockFile(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == unix.EWOULDBLOCK {
		return ErrLocked
	}
	return err
}

// reserve allocates blocks without changing the length, so that fdatasync of later
// appends writes less and a full disk is noticed early.
func reserve(f *os.File, size int64) error {
	err := retryInterrupted(func() error { return unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_KEEP_SIZE, 0, size) })
	if err == unix.EOPNOTSUPP || err == unix.ENOSYS {
		return nil
	}
	return err
}

func syncData(f *os.File) error {
	return retryInterrupted(func() error { return unix.Fdatasync(int(f.Fd())) })
}

// retryInterrupted repeats a system call while signals interrupt it, as package os does:
// the runtime preempts goroutines with signals, and some file systems then return EINTR.
func retryInterrupted(call func() error) error {
	for {
		if err := call(); err != unix.EINTR {
			return err
		}
	}
}

func freeSpace(root string) (free, total uint64, err error) {
	var st unix.Statfs_t
	if err := unix.Statfs(root, &st); err != nil {
		return 0, 0, err
	}
	return st.Bavail * uint64(st.Bsize), st.Blocks * uint64(st.Bsize), nil
}
