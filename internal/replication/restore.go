package replication

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/manifest"
	"github.com/quiresearch/quire/internal/vfs"
)

// Lack is what the bucket lacks of a generation.
type Lack struct {
	Manifest bool     // it is missing, unreadable, or a local copy is built on it
	Files    []string // names of files whose objects are missing or have another size
}

// IsNothing reports whether the bucket holds a whole state.
func (l Lack) IsNothing() bool { return !l.Manifest && len(l.Files) == 0 }

// Check compares the objects of the generation with its manifest: they must exist
// and have the stated sizes. It reads no file. local is the manifest of a local
// copy, read earlier, or nil. If it is built on the stored manifest, the bucket
// lost the manifests in between.
func (r *Remote) Check(ctx context.Context, local *manifest.Manifest) (Lack, error) {
	var last bucket.Tag
	for {
		held, err := r.Read(ctx, "")
		if isLostManifest(err) || err == nil && local != nil && local.IsBuiltOn(held.Manifest) {
			return Lack{Manifest: true}, nil
		}
		if err != nil {
			return Lack{}, err
		}
		objects, err := r.listFiles(ctx)
		if err != nil {
			return Lack{}, err
		}
		lack := Lack{Files: objects.lacking(held.Manifest)}
		// The sweep may have removed files of a state that was replaced meanwhile.
		if len(lack.Files) == 0 || held.Tag == last {
			return lack, nil
		}
		last = held.Tag
	}
}

func isLostManifest(err error) bool {
	return errors.Is(err, ErrNoManifest) || errors.Is(err, manifest.ErrCorrupt)
}

// objects are the stored files of a generation by key.
type objects map[string]bucket.Entry

func (r *Remote) listFiles(ctx context.Context) (objects, error) {
	listing, err := r.bucket.List(ctx, r.key("seg")+"/", "")
	if err != nil {
		return nil, err
	}
	all := make(objects, len(listing.Entries))
	for _, entry := range listing.Entries {
		all[strings.TrimPrefix(entry.Key, r.key()+"/")] = entry
	}
	return all, nil
}

func (o objects) lacking(m *manifest.Manifest) []string {
	var names []string
	for _, f := range m.Files {
		if entry, ok := o[f.Key]; !ok || entry.Size != f.Size {
			names = append(names, f.Name)
		}
	}
	return names
}

// ErrDiverged marks a local state that is neither built on the stored one nor leads
// to it: each holds changes that the other lacks.
var ErrDiverged = errors.New("the bucket holds another history of the generation")

// Restore stores what the bucket lacks of the generation and dir of fs holds whole:
// files of the stored state, or the state of dir if the manifest is lost or dir is
// built on the stored one. A state of a version below newest, the highest known to
// have been stored, replaces a lost manifest only if the log continues from it.
// Restore returns what the bucket still lacks.
func (r *Remote) Restore(ctx context.Context, fs vfs.FS, dir string, newest uint64) (Lack, error) {
	local, err := manifest.Read(fs, dir)
	if err != nil {
		return Lack{}, err
	}
	if local.Generation != r.id {
		return Lack{}, fmt.Errorf("restore generation %s: the local copy is of %s: %w", r.id, local.Generation, manifest.ErrCorrupt)
	}
	stored, err := r.Read(ctx, "")
	if err != nil && !isLostManifest(err) {
		return Lack{}, err
	}
	// A writer replaces the manifest that it continues from. So a stored manifest
	// that the local copy is built on took the place of a lost one, and nothing was
	// written since.
	isLost := err != nil || local.IsBuiltOn(stored.Manifest)
	if !isLost && stored.Manifest.Precedes(local) {
		return Lack{}, fmt.Errorf("restore generation %s: %w", r.id, ErrDiverged)
	}
	target := stored.Manifest
	if isLost {
		if target, err = r.fitLog(ctx, local, stored.Manifest, newest); err != nil {
			return Lack{}, fmt.Errorf("restore generation %s: %w", r.id, err)
		}
	}
	lacking, err := r.giveBack(ctx, fs, dir, target)
	if err != nil {
		return Lack{}, fmt.Errorf("restore generation %s: %w", r.id, err)
	}
	if isLost && lacking == 0 { // a manifest names only what is stored (I11)
		condition := bucket.Absent()
		if stored.Tag != "" {
			condition = bucket.Matches(stored.Tag)
		}
		if _, err := r.putAgain(ctx, target, condition); err != nil && !errors.Is(err, errLost) {
			return Lack{}, fmt.Errorf("restore generation %s: %w", r.id, err)
		}
	}
	return r.Check(ctx, local)
}

// putAgain stores a manifest in place of a lost or an earlier one. It does not know
// what was stored meanwhile: an earlier manifest that a node restored may until now
// have named files that this one retired long ago. It therefore first puts an
// object below restored, which makes sweeps wait for a grace (I13).
func (r *Remote) putAgain(ctx context.Context, m *manifest.Manifest, condition bucket.Condition) (Held, error) {
	ctx, cancel := context.WithTimeout(ctx, publishLimit)
	defer cancel()
	key := r.key(restored) + "/" + manifest.NewID()
	err := bucket.Again(ctx, func() error {
		_, err := r.bucket.PutIf(ctx, key, bucket.Bytes([]byte(m.WriteID+"\n")), bucket.Always)
		return err
	})
	if err != nil {
		return Held{}, err
	}
	return r.putManifest(ctx, m, condition)
}

// fitLog returns the manifest to store in place of a lost one, or of an earlier one
// that took its place: m itself or a successor. The successor has the epoch of the
// last log record if that is higher, so that the next writer has a higher one, and
// a version above the newest that was stored. Neither is below that of the earlier
// manifest, which may be nil. fitLog fails when the log has a hole after the
// manifest, and when the manifest is older than newest and the log after it was
// swept: writing on from there would lose what was acknowledged since, and sweep
// its files.
func (r *Remote) fitLog(ctx context.Context, m, earlier *manifest.Manifest, newest uint64) (*manifest.Manifest, error) {
	found, err := r.listLog(ctx)
	if err != nil {
		return nil, err
	}
	highest := uint64(0)
	for lsn := range found {
		highest = max(highest, lsn)
	}
	for lsn := m.LastLSN + 1; lsn <= highest; lsn++ {
		if !found[lsn] {
			return nil, fmt.Errorf("the local copy ends with record %d, the log goes on to %d: %w: record %d is missing", m.LastLSN, highest, ErrHole, lsn)
		}
	}
	isOlder := m.Version < newest
	if isOlder && highest < max(m.LastLSN, 1) { // records are deleted in order
		return nil, fmt.Errorf("the local copy has version %d, version %d was stored: %w: record %d and those behind it are gone", m.Version, newest, ErrHole, m.LastLSN)
	}
	epoch := m.Epoch
	if highest > 0 {
		last, err := r.readBatch(ctx, highest)
		if err != nil {
			return nil, err
		}
		epoch = max(epoch, last.Epoch)
	}
	least := uint64(0)
	if isOlder {
		least = newest + 1
	}
	if earlier != nil {
		epoch, least = max(epoch, earlier.Epoch), max(least, earlier.Version+1)
	}
	if epoch == m.Epoch && least <= m.Version {
		return m, nil
	}
	return m.GiveBack(epoch, least), nil
}

// listLog returns the numbers of the stored log records.
func (r *Remote) listLog(ctx context.Context) (map[uint64]bool, error) {
	listing, err := r.bucket.List(ctx, r.key("wal")+"/", "")
	if err != nil {
		return nil, err
	}
	found := make(map[uint64]bool, len(listing.Entries))
	for _, entry := range listing.Entries {
		if lsn, err := strconv.ParseUint(entry.Key[strings.LastIndexByte(entry.Key, '/')+1:], 10, 64); err == nil {
			found[lsn] = true
		}
	}
	return found, nil
}

// giveBack stores the files of a manifest that the bucket lacks and dir holds
// whole. It returns how many are still lacking because dir does not hold them.
func (r *Remote) giveBack(ctx context.Context, fs vfs.FS, dir string, m *manifest.Manifest) (lacking int, err error) {
	stored, err := r.listFiles(ctx)
	if err != nil {
		return 0, err
	}
	w := r.newWriter(fs, dir, "")
	for _, name := range stored.lacking(m) {
		f := m.File(name)
		if !bucket.ValidKey(f.Key) || !isWhole(fs, dir, *f) {
			lacking++
			continue
		}
		if err := w.store(ctx, *f, stored[f.Key]); err != nil {
			return 0, fmt.Errorf("upload %s: %w", name, err)
		}
	}
	return lacking, nil
}

// store puts a file under its key, replacing a wrong object if there is one.
func (w *Writer) store(ctx context.Context, f manifest.File, wrong bucket.Entry) error {
	if wrong.Key == "" {
		_, err := w.upload(ctx, f)
		return err
	}
	object, err := w.remote.bucket.Get(ctx, wrong.Key, "")
	if err != nil {
		return err
	}
	object.Body.Close()
	if object.Size == f.Size {
		return nil // another node stored it in the meantime
	}
	mapping, err := w.fs.Map(w.path(f))
	if err != nil {
		return err
	}
	defer mapping.Release()
	body, err := mappedBody(mapping, func(error) {})
	if err != nil {
		return err
	}
	_, err = w.remote.bucket.PutIf(ctx, wrong.Key, body, bucket.Matches(object.Tag))
	return err
}

// Healed reports what Heal did.
type Healed struct {
	Files    []string // names of files that were stored again
	Manifest bool     // it was stored again
	Lacking  []string // names of files that neither the bucket nor the directory holds whole
	Hole     bool     // a log record that is in no commit is missing
}

// Heal compares the stored objects with our manifest and stores again what the
// bucket lost. The node that claims the index calls it while the registry lists the
// generation. It must not run concurrently with another Heal.
func (w *Writer) Heal(ctx context.Context) (Healed, error) {
	w.publishing.Lock()
	defer w.publishing.Unlock()
	var done Healed
	if err := w.Err(); err != nil {
		return done, err
	}
	w.mu.Lock()
	held, next := w.held, w.nextLSN
	w.mu.Unlock()
	now, err := w.remote.Read(ctx, held.Tag)
	switch {
	case errors.Is(err, bucket.ErrNotModified):
	case isLostManifest(err):
		done.Manifest = true
	case err != nil:
		return done, err
	case !w.isOurs(now.Manifest):
		return done, w.fence(fmt.Errorf("the manifest has epoch %d, ours is %d", now.Manifest.Epoch, w.epoch))
	case now.Manifest.WriteID != held.Manifest.WriteID:
		return done, errors.New("the manifest is not the one that was stored last")
	}
	stored, err := w.remote.listFiles(ctx)
	if err != nil {
		return done, err
	}
	for _, name := range stored.lacking(held.Manifest) {
		f := held.Manifest.File(name)
		if !isWhole(w.fs, w.dir, *f) {
			done.Lacking = append(done.Lacking, name)
			continue
		}
		if err := w.store(ctx, *f, stored[f.Key]); err != nil {
			return done, fmt.Errorf("upload %s: %w", name, err)
		}
		done.Files = append(done.Files, name)
	}
	if done.Manifest && len(done.Lacking) == 0 {
		if err := w.storeManifest(ctx, held, now.Tag); err != nil {
			return done, err
		}
	}
	done.Hole, err = w.remote.hasHole(ctx, held.Manifest.LastLSN, next)
	return done, err
}

// storeManifest stores our manifest again, replacing a damaged one if there is one.
// No node can have replaced it, because a takeover needs it.
func (w *Writer) storeManifest(ctx context.Context, held Held, damaged bucket.Tag) error {
	condition := bucket.Absent()
	if damaged != "" {
		condition = bucket.Matches(damaged)
	}
	stored, err := w.remote.putAgain(ctx, held.Manifest, condition)
	if errors.Is(err, errLost) {
		return w.fence(errors.New("another writer stored the manifest"))
	}
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held, w.since = stored, stored.Date
	w.proven, w.last = later(w.proven, stored.Date), later(w.last, stored.Date)
	return nil
}

// HoldsLog reports whether the log holds every record from the manifest up to last.
func (r *Remote) HoldsLog(ctx context.Context, m *manifest.Manifest, last uint64) bool {
	isMissing, err := r.hasHole(ctx, m.LastLSN, last+1)
	return err == nil && !isMissing
}

// hasHole reports whether a record is missing between the last one in the files and
// next.
func (r *Remote) hasHole(ctx context.Context, inFiles, next uint64) (bool, error) {
	found, err := r.listLog(ctx)
	if err != nil {
		return false, err
	}
	for lsn := inFiles + 1; lsn < next; lsn++ {
		if !found[lsn] {
			return true, nil
		}
	}
	return false, nil
}
