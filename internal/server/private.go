package server

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
)

// owned are the entries of a data directory that nodes make. What else lies there
// is not theirs.
var owned = []string{"bucket", "generations", "usage", lockName, nodeIDName}

// makePrivate takes the rights of group and others away from what a data directory
// holds: an earlier version may have given them. A file system without rights, or
// an entry of another owner, is left as it is and logged.
func makePrivate(directory string, log *slog.Logger) {
	failed, last := 0, error(nil)
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
