// Package localdir is a bucket in a directory of one node: the store of local
// mode.
//
// An object is a file at its key, readable by its owner only. It is replaced by
// writing a temporary file in the same directory, fsync, rename and fsync of the
// directory, so a reader or a crash finds the whole old or the whole new object.
// One process owns the directory (Lock, held as long as the bucket is open);
// conditions are decided under a lock inside it. The tag is a hash of the content.
// Keys never leave the directory: they are checked by bucket.ValidKey and opened
// through os.Root.
//
// The outcome of a rename whose fsync failed is unknown, and another fsync would
// not reveal it (F5). The bucket then fails every call until it is opened again and
// finds what the disk kept.
//
// Temporary files begin with "~", which no key contains; Open removes those that a
// crash left.
package localdir

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"

	"github.com/quiresearch/quire/internal/bucket"
)

const (
	temporaryPrefix = "~"
	lockName        = "~lock"
)

// Bucket keeps objects in files.
type Bucket struct {
	root *os.Root
	lock *flock.Flock

	mu      sync.Mutex      // decides conditions and orders writes
	durable map[string]bool // directories whose names were synced since Open; guarded by mu

	sync   func(*os.File) error  // of a directory
	broken atomic.Pointer[error] // the first failure of sync
}

var _ bucket.Bucket = (*Bucket)(nil)

// Open takes the directory over, creating it if it is missing. It fails while
// another process holds the directory.
func Open(directory string) (*Bucket, error) {
	if err := os.MkdirAll(directory, 0o700); err != nil {
		return nil, fmt.Errorf("open bucket directory: %w", err)
	}
	root, err := os.OpenRoot(directory)
	if err != nil {
		return nil, fmt.Errorf("open bucket directory: %w", err)
	}
	lock := flock.New(path.Join(directory, lockName), flock.SetPermissions(0o600))
	held, err := lock.TryLock()
	if err == nil && !held {
		err = errors.New("another process holds it")
	}
	if err != nil {
		root.Close()
		return nil, fmt.Errorf("lock %s: %w", directory, err)
	}
	b := &Bucket{root: root, lock: lock, durable: make(map[string]bool), sync: (*os.File).Sync}
	if err := errors.Join(syncDirectory(path.Dir(path.Clean(directory))), b.removeTemporary()); err != nil {
		b.Close()
		return nil, fmt.Errorf("open bucket directory: %w", err)
	}
	return b, nil
}

// syncDirectory makes the names in a directory durable. It ignores a directory that it
// has no permission to open: this process has not created anything in it.
func syncDirectory(name string) error {
	handle, err := os.Open(name)
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(handle.Sync(), handle.Close())
}

// Close releases the directory.
func (b *Bucket) Close() error {
	return errors.Join(b.lock.Unlock(), b.root.Close())
}

// Get reads an object.
func (b *Bucket) Get(ctx context.Context, key string, unless bucket.Tag) (bucket.Object, error) {
	if err := ctx.Err(); err != nil {
		return bucket.Object{}, err
	}
	content, err := b.read(key)
	date := time.Now()
	if err != nil {
		return bucket.Object{Date: date}, fmt.Errorf("get %s: %w", key, err)
	}
	answer := bucket.Object{Tag: tagOf(content), Size: int64(len(content)), Date: date}
	if unless != "" && unless == answer.Tag {
		return answer, bucket.ErrNotModified
	}
	answer.Body = io.NopCloser(bytes.NewReader(content))
	return answer, nil
}

func (b *Bucket) read(key string) ([]byte, error) {
	if !bucket.ValidKey(key) {
		return nil, bucket.ErrNotFound
	}
	content, err := b.root.ReadFile(key)
	if broken := b.check(); broken != nil {
		return nil, broken
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, bucket.ErrNotFound
	}
	return content, err
}

// check fails once a directory could not be synced.
func (b *Bucket) check() error {
	if broken := b.broken.Load(); broken != nil {
		return fmt.Errorf("the directory was not synced before: %w", *broken)
	}
	return nil
}

func tagOf(content []byte) bucket.Tag {
	sum := sha256.Sum256(content)
	return bucket.Tag(hex.EncodeToString(sum[:16]))
}

// PutIf stores an object if the condition holds.
func (b *Bucket) PutIf(ctx context.Context, key string, body bucket.Body, condition bucket.Condition) (bucket.Written, error) {
	content, err := bucket.ReadBody(ctx, key, body)
	if err != nil {
		return bucket.Written{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.check(); err != nil {
		return bucket.Written{}, fmt.Errorf("put %s: %w", key, err)
	}
	if err := b.decide(key, condition); err != nil {
		return bucket.Written{Date: time.Now()}, fmt.Errorf("put %s: %w", key, err)
	}
	if err := b.replace(key, content); err != nil {
		return bucket.Written{}, fmt.Errorf("put %s: %w", key, err)
	}
	return bucket.Written{Tag: tagOf(content), Date: time.Now()}, nil
}

func (b *Bucket) decide(key string, condition bucket.Condition) error {
	if condition == bucket.Always {
		return nil
	}
	content, err := b.read(key)
	if err != nil && !errors.Is(err, bucket.ErrNotFound) {
		return err
	}
	return condition.Check(err == nil, tagOf(content))
}

// replace writes the file.
func (b *Bucket) replace(key string, content []byte) error {
	directory := path.Dir(key)
	if err := b.makeDirectory(directory); err != nil {
		return err
	}
	temporary := path.Join(directory, temporaryPrefix+rand.Text())
	if err := b.writeFile(temporary, content); err != nil {
		b.root.Remove(temporary)
		return err
	}
	err := b.change(directory, func() error { return b.root.Rename(temporary, key) })
	if err != nil && !errors.Is(err, bucket.ErrUnknown) {
		b.root.Remove(temporary)
	}
	return err
}

// change calls do to change the entries of a directory and makes the change
// durable. If the sync fails, it is unknown whether the change lasts.
func (b *Bucket) change(directory string, do func() error) error {
	handle, err := b.root.Open(directory)
	if err != nil {
		return err
	}
	defer handle.Close()
	if err := do(); err != nil {
		return err
	}
	if err := b.sync(handle); err != nil {
		b.broken.CompareAndSwap(nil, &err)
		return fmt.Errorf("%w: %w", bucket.ErrUnknown, err)
	}
	return nil
}

func (b *Bucket) writeFile(name string, content []byte) error {
	file, err := b.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	// The umask limits the mode of OpenFile, but not of Chmod.
	if err := file.Chmod(0o600); err != nil {
		file.Close()
		return err
	}
	if _, err := file.Write(content); err != nil {
		file.Close()
		return err
	}
	if err := file.Sync(); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}

// makeDirectory creates the directory and those above it, each durably before
// anything is put into it. It also syncs existing directories, because the process that
// made them may have ended before syncing them. The caller holds mu.
func (b *Bucket) makeDirectory(directory string) error {
	if directory == "." || b.durable[directory] {
		return nil
	}
	parent := path.Dir(directory)
	if err := b.makeDirectory(parent); err != nil {
		return err
	}
	err := b.change(parent, func() error {
		if _, err := b.root.Stat(directory); err == nil {
			return nil
		}
		return b.root.Mkdir(directory, 0o700)
	})
	b.durable[directory] = err == nil
	return err
}

// List returns every object below the prefix.
func (b *Bucket) List(ctx context.Context, prefix, delimiter string) (bucket.Listing, error) {
	lister, date := bucket.NewLister(prefix, delimiter), time.Now()
	err := b.walk(ctx, prefix, func(key string) error {
		if !lister.Takes(key) {
			return nil
		}
		stat, err := b.root.Stat(key)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		} else if err != nil {
			return err
		}
		lister.Add(bucket.Entry{Key: key, Size: stat.Size(), Modified: stat.ModTime()})
		return nil
	})
	if err == nil {
		err = b.check()
	}
	if err != nil {
		return bucket.Listing{}, fmt.Errorf("list %s: %w", prefix, err)
	}
	return lister.Finish(date), nil
}

// walk visits the key of every object whose directory may match the prefix.
func (b *Bucket) walk(ctx context.Context, prefix string, visit func(key string) error) error {
	start := "."
	if at := strings.LastIndexByte(prefix, '/'); at >= 0 {
		start = prefix[:at]
		if !bucket.ValidKey(start) {
			return nil
		}
	}
	err := fs.WalkDir(b.root.FS(), start, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil && errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case entry.IsDir() || strings.HasPrefix(entry.Name(), temporaryPrefix):
			return nil
		}
		return visit(name)
	})
	return err
}

// Delete removes an object if the condition holds.
func (b *Bucket) Delete(ctx context.Context, key string, condition bucket.Condition) (bucket.Written, error) {
	if err := ctx.Err(); err != nil {
		return bucket.Written{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	answer := bucket.Written{Date: time.Now()}
	if err := b.check(); err != nil {
		return answer, fmt.Errorf("delete %s: %w", key, err)
	}
	if err := b.decide(key, condition); err != nil {
		return answer, fmt.Errorf("delete %s: %w", key, err)
	}
	if !bucket.ValidKey(key) {
		return answer, nil
	}
	err := b.change(path.Dir(key), func() error { return b.root.Remove(key) })
	if errors.Is(err, fs.ErrNotExist) {
		return answer, nil
	}
	if err != nil {
		return answer, fmt.Errorf("delete %s: %w", key, err)
	}
	return answer, nil
}

func (b *Bucket) removeTemporary() error {
	return fs.WalkDir(b.root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !entry.IsDir() && strings.HasPrefix(entry.Name(), temporaryPrefix) && entry.Name() != lockName {
			return b.root.Remove(name)
		}
		return nil
	})
}
