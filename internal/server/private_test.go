package server

import (
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
)

// S29: a directory that already existed is made private too, unless others keep
// files in it.
func TestADirectoryMadeBeforeIsPrivate(t *testing.T) {
	for _, c := range []struct {
		name, foreign string
		want          fs.FileMode
	}{{"empty", "", 0o700}, {"shared", "notes.txt", 0o755}} {
		t.Run(c.name, func(t *testing.T) {
			directory := filepath.Join(t.TempDir(), "data")
			inner := filepath.Join(directory, "generations", "g")
			if err := os.MkdirAll(inner, 0o755); err != nil {
				t.Fatal(err)
			}
			if c.foreign != "" {
				if err := os.WriteFile(filepath.Join(directory, c.foreign), nil, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			makePrivate(directory, slog.New(slog.DiscardHandler))
			for name, want := range map[string]fs.FileMode{directory: c.want, inner: 0o700, filepath.Dir(inner): 0o700} {
				if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
					t.Errorf("%s: %v %v, want %v", name, info.Mode(), err, want)
				}
			}
			if c.foreign != "" {
				if info, err := os.Stat(filepath.Join(directory, c.foreign)); err != nil || info.Mode().Perm() != 0o644 {
					t.Errorf("a file of others: %v %v", info.Mode(), err)
				}
			}
		})
	}
}
