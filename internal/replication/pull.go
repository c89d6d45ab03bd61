package replication

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"path"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/manifest"
	"github.com/quiresearch/quire/internal/vfs"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func newCRC() hash.Hash32 { return crc32.New(castagnoli) }

// partSuffix marks a file that is not verified yet.
const partSuffix = ".part"

// Pull brings dir of fs to the state of a stored manifest: it fetches files that
// are missing or not whole under a temporary name, verifies and renames them (RP4),
// then replaces the local manifest. The files of have, which may be nil, are open
// here and known to be whole. Verified files stay when a pull fails. Two pulls of
// one directory must not run at once.
func (r *Remote) Pull(ctx context.Context, fs vfs.FS, dir string, m, have *manifest.Manifest) error {
	if err := fs.MakeDir(dir); err != nil {
		return fmt.Errorf("pull generation %s: %w", r.id, err)
	}
	if err := dropParts(fs, dir); err != nil {
		return fmt.Errorf("pull generation %s: %w", r.id, err)
	}
	group, fetching := errgroup.WithContext(ctx)
	group.SetLimit(transfers)
	for _, f := range m.Files {
		if have != nil {
			if held := have.File(f.Name); held != nil && held.Key == f.Key && held.CRC32C == f.CRC32C {
				continue
			}
		}
		group.Go(func() error {
			if err := fetching.Err(); err != nil {
				return err
			}
			if isWhole(fs, dir, f) {
				return nil
			}
			if err := r.fetch(fetching, fs, dir, f); err != nil {
				return fmt.Errorf("file %s: %w", f.Name, err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("pull generation %s: %w", r.id, err)
	}
	if err := fs.SyncDir(dir); err != nil {
		return fmt.Errorf("pull generation %s: %w", r.id, err)
	}
	return manifest.Write(fs, dir, m)
}

// Mend fetches again those of the named files of a manifest that are not whole in
// dir of fs, and returns their names. Without names it checks all files. Files
// fetched before an error stay. It must not run concurrently with a pull of the
// directory.
func (r *Remote) Mend(ctx context.Context, fs vfs.FS, dir string, m *manifest.Manifest, names []string) (mended []string, err error) {
	if err := dropParts(fs, dir); err != nil {
		return nil, fmt.Errorf("mend generation %s: %w", r.id, err)
	}
	for _, f := range m.Files {
		if err := ctx.Err(); err != nil {
			return mended, fmt.Errorf("mend generation %s: %w", r.id, err)
		}
		if len(names) > 0 && !slices.Contains(names, f.Name) || isWhole(fs, dir, f) {
			continue
		}
		if err := r.fetch(ctx, fs, dir, f); err != nil {
			return mended, fmt.Errorf("mend generation %s: file %s: %w", r.id, f.Name, err)
		}
		mended = append(mended, f.Name)
	}
	if err := fs.SyncDir(dir); err != nil {
		return mended, fmt.Errorf("mend generation %s: %w", r.id, err)
	}
	return mended, nil
}

func dropParts(fs vfs.FS, dir string) error {
	names, err := fs.List(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if strings.HasSuffix(name, partSuffix) {
			if err := fs.Remove(path.Join(dir, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// isWhole reports whether a local file is the one that the manifest names.
func isWhole(fs vfs.FS, dir string, f manifest.File) bool {
	name := path.Join(dir, f.Name)
	if size, err := fs.Size(name); err != nil || size != f.Size {
		return false
	}
	mapping, err := fs.Map(name)
	if err != nil {
		return false
	}
	defer mapping.Release()
	isSame := false
	err = vfs.Protect(func() error {
		isSame = crc32.Checksum(mapping.Bytes(), castagnoli) == f.CRC32C
		return nil
	})
	return err == nil && isSame
}

// ErrMismatch marks an object that does not match the manifest.
var ErrMismatch = errors.New("the object is not what the manifest says")

// fetch fetches one file, starting over when the transfer breaks off.
func (r *Remote) fetch(ctx context.Context, fs vfs.FS, dir string, f manifest.File) error {
	if !bucket.ValidKey(f.Key) {
		return fmt.Errorf("key %q: %w", f.Key, ErrMismatch)
	}
	for try := 1; ; try++ {
		object, err := r.bucket.Get(ctx, r.key(f.Key), "")
		if err != nil {
			return err
		}
		err = receive(fs, dir, f, object)
		if !errors.Is(err, bucket.ErrUnknown) || try == bucket.Tries || ctx.Err() != nil {
			return err
		}
	}
}

// receive writes an object under a temporary name, verifies and renames it.
func receive(fs vfs.FS, dir string, f manifest.File, object bucket.Object) error {
	defer object.Body.Close()
	name := path.Join(dir, f.Name)
	file, err := fs.Create(name + partSuffix)
	if err != nil {
		return err
	}
	sum := newCRC()
	out := bufio.NewWriterSize(file, int(min(max(f.Size, 4096), vfs.HugePage)))
	n, err := io.Copy(io.MultiWriter(out, sum), io.LimitReader(object.Body, f.Size+1))
	if err == nil {
		err = out.Flush()
	}
	if err == nil && (n != f.Size || sum.Sum32() != f.CRC32C) {
		err = fmt.Errorf("%d bytes with checksum %08x: %w", n, sum.Sum32(), ErrMismatch)
	}
	if err == nil {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = fs.Rename(name+partSuffix, name)
	}
	if err != nil {
		_ = fs.Remove(name + partSuffix) // the disk may be full; the next pull removes what is left
	}
	return err
}
