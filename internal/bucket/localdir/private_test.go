//go:build unix

package localdir_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/quiresearch/quire/internal/bucket"
)

func TestObjectsAreReadableByTheirOwnerOnly(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	directory := t.TempDir()
	b := open(t, directory)
	if _, err := b.PutIf(t.Context(), "auth/keys", bucket.Bytes([]byte("secret")), bucket.Absent()); err != nil {
		t.Fatal(err)
	}
	stat, err := os.Stat(filepath.Join(directory, "auth", "keys"))
	if err != nil || stat.Mode().Perm() != 0o600 {
		t.Fatalf("mode %v, %v", stat.Mode(), err)
	}
}
