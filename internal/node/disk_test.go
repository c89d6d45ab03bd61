package node

import (
	"io/fs"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/vfs"
)

// limitedDisk is a disk that may be full or read only.
type limitedDisk struct {
	vfs.FS
	isFull, isReadOnly atomic.Bool
}

func (d *limitedDisk) Free() (free, total uint64, err error) {
	if d.isFull.Load() {
		return 1, 1 << 40, nil
	}
	return 1 << 39, 1 << 40, nil
}

func (d *limitedDisk) Create(name string) (vfs.File, error) {
	if d.isReadOnly.Load() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return d.FS.Create(name)
}

// An index whose writer cannot store writes goes to a node that can, with
// everything that was acknowledged.
func TestAnIndexLeavesANodeThatCannotStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, disk := memory.New(nil), &limitedDisk{FS: vfs.Memory()}
		limited := sharedNode(t, b, disk, "a")
		limited.mustPut("books", books)
		limited.mustWrite("books", book(1, "one"))
		disk.isReadOnly.Store(true)
		other := sharedNode(t, b, vfs.Memory(), "b")
		time.Sleep(time.Minute)
		if limited.IsWritable() || !limited.HasSpace() {
			t.Error("a directory that takes no files is not seen")
		}
		token := other.mustWrite("books", book(2, "two"))
		if got := other.documents("books", token); len(got) != 2 {
			t.Errorf("%v", got)
		}
		disk.isReadOnly.Store(false)
		time.Sleep(10 * time.Second)
		if !limited.canStore() {
			t.Error("a directory that takes files again is not seen")
		}
	})
}

func TestADiskWithoutRoomIsSeen(t *testing.T) {
	disk := &limitedDisk{FS: vfs.Memory()}
	var log strings.Builder
	n := &Node{log: slog.New(slog.NewTextHandler(&log, nil))}
	n.disk.files = disk
	n.sampleDisk(t.Context())
	if !n.canStore() || log.Len() > 0 {
		t.Errorf("a disk with room counts as full: %s", log.String())
	}
	disk.isFull.Store(true)
	n.sampleDisk(t.Context())
	if n.canStore() || n.HasSpace() || !n.IsWritable() {
		t.Error("a disk without room is not seen")
	}
	disk.isFull.Store(false)
	n.sampleDisk(t.Context())
	n.sampleDisk(t.Context())
	if lines := strings.Split(strings.TrimSpace(log.String()), "\n"); len(lines) != 2 ||
		!strings.Contains(lines[0], `level=ERROR msg="the disk has no room: writes are refused" error=`) ||
		!strings.Contains(lines[1], `level=INFO msg="the disk has room again"`) {
		t.Errorf("logged %q", lines)
	}
}
