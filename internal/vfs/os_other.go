//go:build !linux

package vfs

import (
	"io"
	"math"
	"os"
)

const maxMapping = math.MaxInt - 1

// mapFile reads the file into memory on systems for which mapping is not
// implemented.
func mapFile(f *os.File, size int) ([]byte, func([]byte) error, error) {
	data := make([]byte, size)
	if _, err := io.ReadFull(io.NewSectionReader(f, 0, int64(size)), data); err != nil {
		return nil, nil, err
	}
	return data, nil, nil
}

func forget([]byte) {}

func scattered([]byte) {}

func soon([]byte) {}

func lockFile(*os.File) error { return nil }

func reserve(*os.File, int64) error { return nil }

func syncData(f *os.File) error { return f.Sync() }

func freeSpace(string) (free, total uint64, err error) { return 0, 0, nil }
