package replication

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/manifest"
	"github.com/quiresearch/quire/internal/vfs"
)

// publishLimit bounds how long the replacement of a manifest may stay unsettled
// before the generation gives up; the stored manifest decides at the next open.
const publishLimit = 2 * time.Minute

// Publish uploads the files that the manifest names and the bucket lacks, then
// replaces the stored manifest (RP3). It fills in epoch, session, keys, low-water
// marks and retired files.
func (w *Writer) Publish(ctx context.Context, next *manifest.Manifest) error {
	w.publishing.Lock()
	defer w.publishing.Unlock()
	if err := w.Err(); err != nil {
		return err
	}
	w.mu.Lock()
	held := w.held
	w.mu.Unlock()
	if next.Version <= held.Manifest.Version {
		return fmt.Errorf("publish generation %s: version %d is not built on %d, which is stored", w.remote.id, next.Version, held.Manifest.Version)
	}
	next.Epoch, next.Session = w.epoch, w.session
	uploaded, err := w.uploadMissing(ctx, held.Manifest, next)
	if err != nil {
		return err
	}
	if uploaded.IsZero() {
		// The last answer of the store may be old, and the files that this manifest
		// stops naming would seem to have been unnamed since then (I13).
		if err := readAgain(ctx, func() error { return w.Prove(ctx) }); err != nil {
			return fmt.Errorf("publish generation %s: %w", w.remote.id, err)
		}
	}
	w.mu.Lock()
	now := later(w.last, uploaded)
	w.mu.Unlock()
	w.retire(held.Manifest, next, now)
	// A caller that leaves must not leave the outcome open.
	settle, cancel := context.WithTimeout(context.WithoutCancel(ctx), publishLimit)
	defer cancel()
	w.settling.Add(1)
	defer w.settling.Add(-1)
	stored, err := w.remote.putManifest(settle, next, bucket.Matches(held.Tag))
	switch {
	case errors.Is(err, bucket.ErrUnknown):
		return fmt.Errorf("publish generation %s: %w: %w", w.remote.id, manifest.ErrUnsettled, err)
	case errors.Is(err, errReplaced):
		_ = w.fence(errors.New("another writer replaced the manifest")) // the manifest was published nevertheless (I17)
	case errors.Is(err, errLost):
		return w.fence(errors.New("another writer replaced the manifest"))
	case errors.Is(err, bucket.ErrNotFound):
		return fmt.Errorf("publish generation %s: %w", w.remote.id, ErrNoManifest)
	case err != nil:
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held = stored
	for _, f := range next.Files {
		delete(w.unnamed, f.Key)
		delete(w.staged, f.Name)
	}
	for _, r := range next.Retired {
		delete(w.unnamed, r.Key)
	}
	w.last = later(now, stored.Date)
	if err == nil { // otherwise the date is that of the manifest that replaced ours
		w.proven = later(w.proven, stored.Date)
	}
	return nil
}

// transfers is how many files of a generation are sent or fetched at once.
const transfers = 4

// uploadMissing stores the files that the previous manifest does not name and fills
// in the keys of all. It returns the latest time of the store.
func (w *Writer) uploadMissing(ctx context.Context, before, next *manifest.Manifest) (time.Time, error) {
	var (
		mu   sync.Mutex
		last time.Time
	)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(transfers)
	for i := range next.Files {
		f := &next.Files[i]
		if known := before.File(f.Name); known != nil && known.Key != "" {
			if known.Size != f.Size || known.CRC32C != f.CRC32C {
				return last, errors.Join(fmt.Errorf("file %s differs from the one that was published", f.Name), group.Wait())
			}
			f.Key = known.Key
			continue
		}
		if key, ok := w.stagedKey(*f); ok {
			f.Key = key
			continue
		}
		f.Key = w.newKey(f.Name, next.Version)
		group.Go(func() error {
			date, err := w.upload(ctx, *f)
			if err != nil {
				return fmt.Errorf("upload %s: %w", f.Name, err)
			}
			mu.Lock()
			defer mu.Unlock()
			last = later(last, date)
			return nil
		})
	}
	err := group.Wait()
	return last, err
}

// newKey returns the key for a file that is about to be stored, and records it. A
// key that was given up is not used again, because the sweep may be about to delete
// it.
func (w *Writer) newKey(name string, version uint64) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := w.freshKey(name, version)
	w.unnamed[key] = true
	return key
}

// freshKey returns a key for a file that was not given up. The caller must hold mu.
func (w *Writer) freshKey(name string, version uint64) string {
	key := path.Join("seg", w.session, name)
	if w.givenUp[key] {
		key = fmt.Sprintf("%s.%d", key, version)
	}
	return key
}

// staged is a file that was sent ahead of the manifest that will name it. Until it
// is named or discarded, no manifest retires it.
type staged struct {
	manifest.File
	isStored bool
}

// Upload stores a file of the directory that a later manifest will name. Commits
// continue meanwhile.
func (w *Writer) Upload(ctx context.Context, f manifest.File) error {
	if err := w.Err(); err != nil {
		return err
	}
	w.mu.Lock()
	f.Key = w.freshKey(f.Name, w.held.Manifest.Version+1)
	w.staged[f.Name] = staged{File: f}
	w.mu.Unlock()
	date, err := w.upload(ctx, f)
	if err != nil {
		w.Discard(f.Name)
		return fmt.Errorf("upload %s: %w", f.Name, err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.staged[f.Name] = staged{File: f, isStored: true}
	w.last = later(w.last, date)
	return nil
}

// Discard gives up a file that was sent ahead: the next manifest retires its key.
func (w *Writer) Discard(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if s, ok := w.staged[name]; ok {
		delete(w.staged, name)
		w.unnamed[s.Key] = true
	}
}

// stagedKey returns the key of a file that was sent ahead, and whether it was
// stored with the same content.
func (w *Writer) stagedKey(f manifest.File) (string, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s, ok := w.staged[f.Name]
	return s.Key, ok && s.isStored && s.Size == f.Size && s.CRC32C == f.CRC32C
}

func (w *Writer) path(f manifest.File) string { return path.Join(w.dir, f.Name) }

// upload stores a file once. The same name in the same session is the same file, so
// an object that already exists is ours.
func (w *Writer) upload(ctx context.Context, f manifest.File) (time.Time, error) {
	mapping, err := w.fs.Map(w.path(f))
	if err != nil {
		return time.Time{}, err
	}
	defer mapping.Release()
	ctx, fail := context.WithCancelCause(ctx) // a retry could not read the file either
	defer fail(nil)
	body, err := mappedBody(mapping, fail)
	if err != nil {
		return time.Time{}, err
	}
	if body.Size != f.Size || body.CRC32C != f.CRC32C {
		return time.Time{}, fmt.Errorf("%d bytes with checksum %08x, the manifest says %d with %08x", body.Size, body.CRC32C, f.Size, f.CRC32C)
	}
	key := w.remote.key(f.Key)
	written, err := w.remote.settle(ctx, key, body, bucket.Absent(), func(ctx context.Context) (bucket.Written, error) {
		object, err := w.remote.bucket.Get(ctx, key, "")
		if err != nil {
			return bucket.Written{}, err
		}
		defer object.Body.Close()
		sum, size, err := checksum(object.Body)
		if err != nil {
			return bucket.Written{}, err
		}
		if size != f.Size || sum != f.CRC32C {
			return bucket.Written{}, errLost
		}
		return bucket.Written{Tag: object.Tag, Date: object.Date}, nil
	})
	if fault := context.Cause(ctx); err != nil && errors.Is(fault, vfs.ErrFault) {
		err = fault
	}
	return written.Date, err
}

// retire records when files ceased to be named and when the log became part of
// files, and forgets what the sweep has deleted.
func (w *Writer) retire(before, next *manifest.Manifest, now time.Time) {
	named := make(map[string]bool, len(next.Files))
	for _, f := range next.Files {
		named[f.Key] = true
	}
	listed := make(map[string]bool, len(next.Retired))
	for _, r := range next.Retired {
		listed[r.Key] = true
	}
	for _, f := range before.Files {
		if f.Key != "" && !named[f.Key] && !listed[f.Key] {
			next.Retired = append(next.Retired, manifest.Retired{Key: f.Key, Time: now.UnixMilli()})
		}
	}
	w.mu.Lock()
	for _, key := range slices.Sorted(maps.Keys(w.unnamed)) {
		// Left by a push that did not succeed.
		if !named[key] && !listed[key] {
			w.givenUp[key] = true
			next.Retired = append(next.Retired, manifest.Retired{Key: key, Time: now.UnixMilli()})
		}
	}
	kept := next.Retired[:0]
	for _, r := range next.Retired {
		if !w.swept[r.Key] {
			kept = append(kept, r)
		}
	}
	clear(w.swept)
	w.mu.Unlock()
	next.Retired = kept
	if n := len(next.LowWaterMarks); n == 0 || next.LowWaterMarks[n-1].LSN < next.LastLSN {
		next.LowWaterMarks = append(next.LowWaterMarks, manifest.LowWaterMark{LSN: next.LastLSN, Time: now.UnixMilli()})
	}
	// Of the low-water marks that are a grace old only the highest matters; newer
	// ones need not be less than a minute apart.
	old := w.remote.graceBefore(now).UnixMilli()
	var floors []manifest.LowWaterMark
	for _, f := range next.LowWaterMarks {
		for len(floors) > 0 && (f.Time <= old || len(floors) > 1 && f.Time-floors[len(floors)-2].Time < 60_000 && floors[len(floors)-1].Time > old) {
			floors = floors[:len(floors)-1]
		}
		floors = append(floors, f)
	}
	next.LowWaterMarks = floors
}

func checksum(r io.Reader) (uint32, int64, error) {
	h := newCRC()
	n, err := io.Copy(h, r)
	return h.Sum32(), n, err
}
