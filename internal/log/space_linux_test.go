package log

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/quiresearch/quire/internal/vfs"
)

// allocated returns the disk space of the files of a log.
func allocated(t *testing.T, dir string) int64 {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "log", "*"))
	if err != nil {
		t.Fatal(err)
	}
	var total int64
	for _, name := range names {
		found, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		total += found.Sys().(*syscall.Stat_t).Blocks * 512
	}
	return total
}

// A log takes little more disk space than its content, so a thousand idle indexes
// do not fill the disk.
func TestAQuietLogTakesWhatItHolds(t *testing.T) {
	dir := t.TempDir()
	l := mustOpen(t, vfs.OS(dir), 0, 0)
	lsn := uint64(0)
	add := func(count int) {
		for range count {
			lsn++
			if err := l.Append(lsn, payload(lsn)); err != nil {
				t.Fatal(err)
			}
		}
	}
	add(3)
	if got := allocated(t, dir); got > 128<<10 {
		t.Errorf("three records take %d bytes", got)
	}
	if err := l.Release(lsn); err != nil {
		t.Fatal(err)
	}
	if got := allocated(t, dir); got > 16<<10 {
		t.Errorf("a log that a commit holds takes %d bytes", got)
	}
	add(3)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if got := allocated(t, dir); got > 16<<10 {
		t.Errorf("a closed log takes %d bytes", got)
	}
}

// Space is freed once a commit holds the records, even if they are less than a
// file.
func TestALogThatACommitHoldsGoes(t *testing.T) {
	dir := t.TempDir()
	l := mustOpen(t, vfs.OS(dir), 0, 0)
	if err := l.Append(1, make([]byte, 2<<20)); err != nil {
		t.Fatal(err)
	}
	if err := l.Release(1); err != nil {
		t.Fatal(err)
	}
	if got := allocated(t, dir); got > 16<<10 {
		t.Errorf("%d bytes are left", got)
	}
	if err := l.Append(2, payload(2)); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	mustOpen(t, vfs.OS(dir), 1, 2)
}
