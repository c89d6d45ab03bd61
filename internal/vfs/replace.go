package vfs

import (
	"errors"
	"path"
)

// ReplaceFile writes a small file in one step: a reader, also after a crash, finds
// the old content or the new one, whole. The new one is durable when it returns.
// Only one goroutine may replace a file at a time.
func ReplaceFile(fs FS, name string, content []byte) error {
	if err := replace(fs, name, content, File.Sync); err != nil {
		return err
	}
	return fs.SyncDir(path.Dir(name))
}

// ReplaceUnsynced is ReplaceFile without waiting for the disk: a crash may lose the
// file, or leave it empty.
func ReplaceUnsynced(fs FS, name string, content []byte) error {
	return replace(fs, name, content, func(File) error { return nil })
}

func replace(fs FS, name string, content []byte, sync func(File) error) error {
	temporary := name + ".new"
	if err := fs.Remove(temporary); err != nil && !errors.Is(err, ErrNotExist) {
		return err
	}
	file, err := fs.Create(temporary)
	if err != nil {
		return err
	}
	if _, err = file.Write(content); err == nil {
		err = sync(file)
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	return fs.Rename(temporary, name)
}
