package node

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync/atomic"
	"syscall"

	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/vfs"
)

// disk is what is known of the directory of a node.
type disk struct {
	files   vfs.FS
	minFree int64

	isReadOnly atomic.Bool // nothing can be stored in it
	isFull     atomic.Bool // it has less free space than its reserve
}

// diskProbe is the file that shows whether the directory takes files.
const diskProbe = "probe"

// sampleDisk finds out whether the directory takes files and has space, and logs
// every change.
func (n *Node) sampleDisk(context.Context) {
	d := &n.disk
	unwritable := probeDisk(d.files)
	if !errors.Is(unwritable, fs.ErrPermission) && !errors.Is(unwritable, syscall.EROFS) {
		unwritable = nil // no space or no descriptor left: this passes
	}
	n.logChange(&d.isReadOnly, unwritable, "the directory takes no files: writes are refused", "the directory takes files again")
	n.logChange(&d.isFull, engine.CheckSpace(d.files, d.minFree), "the disk has no room: writes are refused", "the disk has room again")
}

// logChange notes whether there is a fault and logs its beginning and its end.
func (n *Node) logChange(isFaulty *atomic.Bool, fault error, began, ended string) {
	switch wasFaulty := isFaulty.Swap(fault != nil); {
	case !wasFaulty && fault != nil:
		n.log.Error(began, "error", fault)
	case wasFaulty && fault == nil:
		n.log.Info(ended)
	}
}

func probeDisk(files vfs.FS) error {
	if err := files.Remove(diskProbe); err != nil && !errors.Is(err, vfs.ErrNotExist) {
		return fmt.Errorf("remove a file: %w", err)
	}
	file, err := files.Create(diskProbe)
	if err != nil {
		return fmt.Errorf("create a file: %w", err)
	}
	return errors.Join(file.Close(), files.Remove(diskProbe))
}

// canStore reports whether this node can store what is written.
func (n *Node) canStore() bool { return !n.disk.isReadOnly.Load() && !n.disk.isFull.Load() }

// IsWritable reports whether the directory of the node took files when last
// sampled.
func (n *Node) IsWritable() bool { return !n.disk.isReadOnly.Load() }

// HasSpace reports whether the disk has more free space than the reserve.
func (n *Node) HasSpace() bool { return !n.disk.isFull.Load() }
