package server

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
)

// owned are the entries of a data directory that nodes make. Other entries are not
// theirs.
var owned = []string{"bucket", "generations", "usage", lockName, nodeIDName}

// IsDataDirectory reports whether a directory holds an entry that nodes make.
func IsDataDirectory(directory string) bool {
	entries, err := os.ReadDir(directory)
	return err == nil && slices.ContainsFunc(entries, isEntryOfNode)
}

func isEntryOfNode(e fs.DirEntry) bool { return slices.Contains(owned, e.Name()) }

// makePrivate removes the rights of group and others from the contents of a data
// directory: an earlier version may have granted them. A file system without
// rights, or an entry of another owner, is left as it is and logged. The directory
// itself is made private if it holds only such entries; if it belongs to another
// user, its contents are still made private.
func makePrivate(directory string, log *slog.Logger) {
	failed, last := 0, error(nil)
	if isOwned(directory) {
		_ = os.Chmod(directory, 0o700)
	}
	for _, name := range owned {
		_ = filepath.WalkDir(filepath.Join(directory, name), func(name string, entry fs.DirEntry, err error) error {
			if err == nil {
				err = restrict(name, entry)
			}
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				failed, last = failed+1, err
			}
			return nil
		})
	}
	if failed > 0 {
		log.Warn("other users of this machine may be able to read files in the data directory", "directory", directory, "files", failed, "error", last)
	}
}

// isOwned reports whether a directory holds only entries that nodes make.
func isOwned(directory string) bool {
	entries, err := os.ReadDir(directory)
	isForeign := func(e fs.DirEntry) bool { return !isEntryOfNode(e) }
	return err == nil && !slices.ContainsFunc(entries, isForeign)
}

func restrict(name string, entry fs.DirEntry) error {
	if !entry.IsDir() && !entry.Type().IsRegular() {
		return nil
	}
	info, err := entry.Info()
	if err != nil || info.Mode().Perm()&0o077 == 0 {
		return err
	}
	return os.Chmod(name, info.Mode().Perm()&0o700)
}
