//go:build unix

package auth

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/quiresearch/quire/internal/bucket/localdir"
)

func TestKeyFileIsPrivateWhateverTheUmask(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	directory := t.TempDir()
	b, err := localdir.Open(directory)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	mustCreate(t, open(t, b, Options{RootKey: "r"}), searchKey())
	info, err := os.Stat(filepath.Join(directory, "keys"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}
