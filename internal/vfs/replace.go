package vfs

import (
	"errors"
	"path"
)

// ReplaceFile replaces a small file atomically: a reader, also after a crash, finds
// either the old or the new content, complete. The new content is durable when
// ReplaceFile returns. Only one goroutine may replace a file at a time.
func ReplaceFile(fs FS, name string, content []byte) error {
	if err := replace(fs, name, content, File.Sync); err != nil {
		return err
	}
	return fs.SyncDir(path.Dir(name))
}

// ReplaceUnsynced is ReplaceFile without syncing: a crash may lose the file, or
// leave it empty.
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
