package replication

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
)

// Swept reports what a sweep removed.
type Swept struct {
	Files   int
	Records int
}

// graceBefore returns the time before which everything noted is certainly a grace
// old: a manifest is dated when it is made, and stored up to publishLimit later.
func (r *Remote) graceBefore(now time.Time) time.Time { return now.Add(-r.grace - publishLimit) }

// restored is the folder of the objects that are put before a manifest replaces a
// lost or an earlier one. Only their dates count: that manifest is stored up to
// publishLimit later. Each has a random name, so that the deletion of one, which
// the store may apply late, never hits another. An earlier build put one object of
// this name, which counts the same and stays.
const restored = "restored"

// Sweep removes objects that no manifest of the last grace names: files whose
// retirement is a grace old, files of other sessions that the manifest does not
// know and that are a grace old, log records below a low-water mark that is a grace
// old, and notes of manifests that were restored a grace ago. All times are the
// store's. It stops without removing anything when the manifest is no longer ours.
// Keys of unknown shape are left alone.
//
// A file that the manifest does not know was never named, unless the manifest was
// lost and a node restored an earlier one: then the lost one named it, and readers
// may still use it. Every writer begins after that, so such files stay until the
// writer itself is a grace old (I13). The times in a restored manifest do not say
// either what another one named meanwhile, so no file is removed until the
// restoration is a grace ago.
func (w *Writer) Sweep(ctx context.Context) (Swept, error) {
	var swept Swept
	listing, err := w.remote.bucket.List(ctx, w.remote.key()+"/", "")
	if err != nil {
		return swept, err
	}
	now := listing.Date
	// Read the manifest after the list: the list lacks what was uploaded since, and
	// the manifest shows everything that is named.
	held, err := w.remote.Read(ctx, "")
	if err != nil {
		return swept, err
	}
	if held.Manifest.Epoch != w.epoch || held.Tag != w.Tag() {
		return swept, errors.New("the manifest changed during the sweep")
	}
	if now.IsZero() {
		return swept, errors.New("the answers of the store carry no date")
	}
	old := w.remote.graceBefore(now)
	named, retired := map[string]bool{}, map[string]time.Time{}
	for _, f := range held.Manifest.Files {
		named[f.Key] = true
	}
	for _, r := range held.Manifest.Retired {
		retired[r.Key] = time.UnixMilli(r.Time)
	}
	floor := uint64(0)
	for _, f := range held.Manifest.LowWaterMarks {
		if time.UnixMilli(f.Time).Before(old) {
			floor = max(floor, f.LSN)
		}
	}
	listed := make(map[string]bool, len(listing.Entries))
	isRestored := false // less than a grace ago
	for _, entry := range listing.Entries {
		key := strings.TrimPrefix(entry.Key, w.remote.key()+"/")
		listed[key] = true
		kind, _, _ := strings.Cut(key, "/")
		isRestored = isRestored || kind == restored && !entry.Modified.Before(old)
	}
	w.mu.Lock()
	isSettled := w.since.Before(old)
	for key, at := range retired {
		// An earlier writer swept it and ended before a manifest forgot it.
		if !listed[key] && !named[key] && at.Before(old) {
			w.swept[key] = true
		}
	}
	w.mu.Unlock()
	for _, entry := range listing.Entries {
		key := strings.TrimPrefix(entry.Key, w.remote.key()+"/")
		switch kind, rest, _ := strings.Cut(key, "/"); kind {
		case "seg":
			session := path.Dir(rest)
			at, isRetired := retired[key]
			orphan := isSettled && !isRetired && session != w.session && entry.Modified.Before(old)
			if isRestored || named[key] || !(isRetired && at.Before(old)) && !orphan {
				continue
			}
			if err := w.remove(ctx, entry.Key); err != nil {
				return swept, err
			}
			swept.Files++
			w.mu.Lock()
			w.swept[key] = true
			w.mu.Unlock()
		case "wal":
			lsn, err := strconv.ParseUint(rest, 10, 64)
			if err != nil || lsn > floor || len(rest) != 20 {
				continue
			}
			if err := w.remove(ctx, entry.Key); err != nil {
				return swept, err
			}
			swept.Records++
		case restored:
			if rest == "" || !entry.Modified.Before(old) {
				continue
			}
			if err := w.remove(ctx, entry.Key); err != nil {
				return swept, err
			}
		}
	}
	return swept, nil
}

func (w *Writer) remove(ctx context.Context, key string) error {
	if err := w.Err(); err != nil {
		return err
	}
	_, err := w.remote.bucket.Delete(ctx, key, bucket.Always)
	if err != nil && !errors.Is(err, bucket.ErrNotFound) {
		return fmt.Errorf("sweep %s: %w", key, err)
	}
	return nil
}
