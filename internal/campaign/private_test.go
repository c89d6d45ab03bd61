//go:build unix

package campaign

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// S29: files of the data directory are readable only by their owner, whatever the
// umask and whatever existed before.
func TestDataIsPrivate(t *testing.T) {
	umask := syscall.Umask(0)
	defer syscall.Umask(umask)
	directory := filepath.Join(t.TempDir(), "data")
	if err := os.MkdirAll(filepath.Join(directory, "generations"), 0o777); err != nil {
		t.Fatal(err)
	}
	serve := func() {
		p := start(t, directory, quick...)
		c := newCaller(p)
		c.must(t, "PUT", "/admin/indexes/x", definition)
		c.must(t, "PUT", "/indexes/x/documents/1", `{"version":1}`)
		c.must(t, "POST", "/admin/indexes/x/actions/commit", "")
		c.must(t, "POST", "/admin/keys", `{"grants":[{"permissions":["search"],"indexes":["x"]}]}`)
		if err := p.terminate(time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	each := func(visit func(name string, info fs.FileInfo)) (seen int) {
		err := filepath.WalkDir(directory, func(name string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := entry.Info()
			visit(name, info)
			seen++
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return seen
	}
	private := func() int {
		return each(func(name string, info fs.FileInfo) {
			if info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s has %v", name, info.Mode())
			}
		})
	}
	serve()
	if seen := private(); seen < 10 {
		t.Fatalf("only %d files", seen)
	}
	// As an earlier version left them.
	each(func(name string, info fs.FileInfo) { _ = os.Chmod(name, info.Mode().Perm()|0o055) })
	serve()
	private()
}
