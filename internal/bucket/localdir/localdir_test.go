package localdir_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/buckettest"
	"github.com/quiresearch/quire/internal/bucket/localdir"
)

func open(t *testing.T, directory string) *localdir.Bucket {
	t.Helper()
	b, err := localdir.Open(directory)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

func TestBucketConforms(t *testing.T) {
	buckettest.Run(t, func(t *testing.T) bucket.Bucket { return open(t, t.TempDir()) })
}

func TestOneHolderPerDirectory(t *testing.T) {
	directory := t.TempDir()
	first := open(t, directory)
	if second, err := localdir.Open(directory); err == nil {
		second.Close()
		t.Fatal("a second holder was let in")
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	open(t, directory)
}

func TestOpenRemovesWhatACrashLeft(t *testing.T) {
	directory := t.TempDir()
	b := open(t, directory)
	if _, err := b.PutIf(t.Context(), "jobs/1", bucket.Bytes([]byte("kept")), bucket.Absent()); err != nil {
		t.Fatal(err)
	}
	b.Close()
	leftover := filepath.Join(directory, "jobs", "~HALFWRITTEN")
	if err := os.WriteFile(leftover, []byte("ha"), 0o600); err != nil {
		t.Fatal(err)
	}
	b = open(t, directory)
	if _, err := os.Stat(leftover); !os.IsNotExist(err) {
		t.Fatalf("the temporary file is still there: %v", err)
	}
	content, _, err := bucket.ReadAll(t.Context(), b, "jobs/1", "", 100)
	if err != nil || string(content) != "kept" {
		t.Fatalf("read %q, %v", content, err)
	}
}

// F5: if a directory could not be synced, it is unknown whether the change lasts,
// and a later sync that succeeds does not reveal it. Until the bucket is opened
// again, nothing is acknowledged, and what reads back does not count as kept.
func TestNothingIsAnsweredAfterAFailedSync(t *testing.T) {
	for name, change := range map[string]func(*localdir.Bucket) error{
		"replaced": func(b *localdir.Bucket) error {
			_, err := b.PutIf(t.Context(), "jobs/1", bucket.Bytes([]byte("new")), bucket.Always)
			return err
		},
		"in a new directory": func(b *localdir.Bucket) error {
			_, err := b.PutIf(t.Context(), "other/1", bucket.Bytes([]byte("new")), bucket.Absent())
			return err
		},
		"deleted": func(b *localdir.Bucket) error {
			_, err := b.Delete(t.Context(), "jobs/1", bucket.Always)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			directory := t.TempDir()
			b := open(t, directory)
			if _, err := b.PutIf(t.Context(), "jobs/1", bucket.Bytes([]byte("old")), bucket.Absent()); err != nil {
				t.Fatal(err)
			}
			b.FailSync(syscall.EIO)
			if err := change(b); !errors.Is(err, bucket.ErrUnknown) {
				t.Errorf("the change: %v", err)
			}
			b.MendSync()
			if err := change(b); err == nil {
				t.Error("a change was acknowledged")
			}
			if _, _, err := bucket.ReadAll(t.Context(), b, "jobs/1", "", 100); !errors.Is(err, syscall.EIO) {
				t.Errorf("read: %v", err)
			}
			if _, err := b.List(t.Context(), "", ""); !errors.Is(err, syscall.EIO) {
				t.Errorf("list: %v", err)
			}
			b.Close()
			b = open(t, directory)
			if err := change(b); err != nil {
				t.Errorf("opened anew: %v", err)
			}
		})
	}
}

// I2: a directory that an earlier process made but did not sync becomes durable before
// an object in it is acknowledged.
func TestADirectoryThatWasMadeBeforeIsSynced(t *testing.T) {
	directory := t.TempDir()
	b := open(t, directory)
	b.FailSync(syscall.EIO)
	if _, err := b.PutIf(t.Context(), "jobs/1", bucket.Bytes([]byte("one")), bucket.Absent()); !errors.Is(err, bucket.ErrUnknown) {
		t.Fatal(err)
	}
	b.Close()
	b = open(t, directory)
	synced := 0
	b.CountSync(&synced)
	for _, want := range []int{2, 3} { // the parent of jobs and jobs itself, then only jobs
		if _, err := b.PutIf(t.Context(), "jobs/1", bucket.Bytes([]byte("one")), bucket.Always); err != nil {
			t.Fatal(err)
		}
		if synced != want {
			t.Errorf("%d directories were synced, want %d", synced, want)
		}
	}
}
