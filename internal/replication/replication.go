// Package replication keeps one generation in a bucket: its manifest, its
// immutable files and its log, and makes local copies of them.
//
//	g/<gid>/manifest            replaced conditionally by the epoch holder
//	g/<gid>/seg/<session>/<n>   written once
//	g/<gid>/wal/<20-digit LSN>  written once
//	g/<gid>/restored/<id>       put before a lost manifest is restored; stays for a grace
//
// The objects alone decide which node writes, never a clock: Take raises the epoch
// in the manifest and puts a fence record on the log number that a stale writer
// needs next, so that it can neither publish nor acknowledge. A Writer is the
// engine's Log and Publisher of a generation in object mode; Pull brings a node's
// copy up to a manifest.
//
// For example, node b takes over from node a, which is still running:
//
//	a  opens                     manifest: epoch 1   wal/1  fence
//	a  adds two documents                            wal/2  wal/3
//	b  opens                     manifest: epoch 2   wal/4  fence
//	a  adds a document: wal/4 exists, so a is fenced and acknowledges nothing
//	b  adds a document                               wal/5
//
// If a stores its record before b puts its fence, b finds wal/4 taken, puts the
// fence on wal/5 and replays the record: what was acknowledged stays.
//
// Invariants (guarantee numbers in brackets):
//
//	RP1  Log numbers have no holes; one append is under way at a time. [I8 I9]
//	RP2  An append is acknowledged only while the store's time proves that the
//	     epoch was ours less than half a grace ago. [I8]
//	RP3  A manifest is put after every file it names is stored whole. [I11]
//	RP4  A file is renamed into place after its size and checksum were verified.
//	     [I12]
//	RP5  The sweep deletes only what no manifest of the last grace names. [I13]
//
// A Remote may be used by any number of goroutines. A Writer is used as the engine
// promises, with one call at a time for the log.
package replication

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/manifest"
)

var (
	// ErrNoManifest marks a generation whose manifest is gone: a fault, never
	// an empty generation.
	ErrNoManifest = errors.New("the generation has no manifest in the bucket")
	// ErrHole marks a log with a number missing.
	ErrHole = errors.New("the log has a hole")
	// errLost is the outcome of a conditional write that another writer won.
	errLost = errors.New("another object is stored")
	// errReplaced is errLost for a manifest that was stored and then replaced by one
	// built on it.
	errReplaced = fmt.Errorf("%w in place of ours", errLost)
	// errNotStored marks a write that the store refused before anything happened.
	errNotStored = errors.New("not stored")
)

// maxManifest bounds the size of a manifest in bytes.
const maxManifest = 64 << 20

// Remote is the objects of one generation.
type Remote struct {
	bucket bucket.Bucket
	id     string // of the generation
	grace  time.Duration
}

// New returns the objects of the generation with the id. The grace is how long
// objects that no manifest names any more are kept.
func New(b bucket.Bucket, id string, grace time.Duration) *Remote {
	return &Remote{bucket: b, id: id, grace: grace}
}

func (r *Remote) key(parts ...string) string {
	return path.Join(append([]string{"g", r.id}, parts...)...)
}

func (r *Remote) manifestKey() string { return r.key("manifest") }

// Held is a manifest as it is stored.
type Held struct {
	Manifest *manifest.Manifest
	Tag      bucket.Tag
	Date     time.Time // the store's time at which it was current
}

// Read returns the stored manifest. With a tag it returns bucket.ErrNotModified
// while the manifest with that tag is still stored.
func (r *Remote) Read(ctx context.Context, unless bucket.Tag) (Held, error) {
	content, object, err := bucket.ReadAll(ctx, r.bucket, r.manifestKey(), unless, maxManifest)
	switch {
	case errors.Is(err, bucket.ErrNotModified):
		return Held{Tag: unless, Date: object.Date}, err
	case errors.Is(err, bucket.ErrNotFound):
		return Held{}, fmt.Errorf("generation %s: %w", r.id, ErrNoManifest)
	case err != nil:
		return Held{}, err
	}
	m, err := manifest.Decode(content)
	if err != nil { // the tag lets a repair replace exactly this object
		return Held{Tag: object.Tag, Date: object.Date}, fmt.Errorf("generation %s: %w", r.id, err)
	}
	if m.Generation != r.id {
		return Held{Tag: object.Tag, Date: object.Date}, fmt.Errorf("generation %s: the manifest is of %s: %w", r.id, m.Generation, manifest.ErrCorrupt)
	}
	return Held{Manifest: m, Tag: object.Tag, Date: object.Date}, nil
}

// readLimit bounds ReadSoon.
const readLimit = 10 * time.Second

// ReadWithin is Read that waits for the store at most for limit.
func (r *Remote) ReadWithin(ctx context.Context, unless bucket.Tag, limit time.Duration) (Held, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return r.Read(ctx, unless)
}

// ReadSoon is Read that does not wait for a store that hangs. It is for callers
// that may give up because they have begun nothing yet.
func (r *Remote) ReadSoon(ctx context.Context, unless bucket.Tag) (Held, error) {
	return r.ReadWithin(ctx, unless, readLimit)
}

// Create stores the first manifest of a generation that has none yet.
func (r *Remote) Create(ctx context.Context, first *manifest.Manifest) error {
	_, err := r.putManifest(ctx, first, bucket.Absent())
	if err != nil {
		return fmt.Errorf("create generation %s: %w", r.id, err)
	}
	return nil
}

// putManifest stores a manifest under a condition and settles the outcome. It
// returns errLost when another manifest is stored, and errReplaced, which wraps errLost,
// when that manifest is built on m.
func (r *Remote) putManifest(ctx context.Context, m *manifest.Manifest, condition bucket.Condition) (Held, error) {
	content, err := m.Encode()
	if err != nil {
		return Held{}, err
	}
	written, err := r.settle(ctx, r.manifestKey(), bucket.Bytes(content), condition, func(ctx context.Context) (bucket.Written, error) {
		now, err := r.Read(ctx, "")
		switch {
		case errors.Is(err, ErrNoManifest):
			return bucket.Written{}, bucket.ErrNotFound
		case err != nil:
			return bucket.Written{}, err
		case now.Manifest.WriteID == m.WriteID:
			return bucket.Written{Tag: now.Tag, Date: now.Date}, nil
		case slices.Contains(now.Manifest.Ancestry, m.WriteID):
			return bucket.Written{Date: now.Date}, errReplaced
		}
		return bucket.Written{}, errLost
	})
	return Held{Manifest: m, Tag: written.Tag, Date: written.Date}, err
}

// settle puts the same bytes under the same condition until the outcome is known.
// After a refused or unanswered put, readBack reports whether the stored object is
// ours (nil), another one (errLost) or missing (bucket.ErrNotFound). Only the end
// of ctx leaves the outcome open, as bucket.ErrUnknown.
func (r *Remote) settle(ctx context.Context, key string, body bucket.Body, condition bucket.Condition,
	readBack func(context.Context) (bucket.Written, error)) (bucket.Written, error) {
	open := false // an earlier attempt may have been applied, or may yet be
	pause := 20 * time.Millisecond
	for attempt := uint32(1); ; attempt++ {
		written, err := r.bucket.PutIf(ctx, key, body, condition)
		switch {
		case err == nil:
			return written, nil
		case errors.Is(err, bucket.ErrCondition):
			if written, back := readBack(ctx); back == nil || errors.Is(back, errLost) {
				return written, back
			}
		case errors.Is(err, bucket.ErrUndecided):
		case errors.Is(err, bucket.ErrUnknown):
			open = true
		case open: // whatever is wrong now, an earlier attempt may have been applied
		case errors.Is(err, bucket.ErrNotFound):
			return bucket.Written{}, fmt.Errorf("%s: %w", key, err)
		default:
			return bucket.Written{}, fmt.Errorf("%s: %w: %w", key, errNotStored, err)
		}
		select {
		case <-ctx.Done():
			if !open && errors.Is(err, bucket.ErrUndecided) {
				return bucket.Written{}, fmt.Errorf("%s: %w", key, bucket.ErrUndecided)
			}
			return bucket.Written{}, fmt.Errorf("%s: %w: %w", key, bucket.ErrUnknown, ctx.Err())
		case <-time.After(pause + jitter(pause, body, attempt)):
		}
		pause = min(2*pause, time.Second)
	}
}

// jitter spreads the retries of competing writers. It is derived from the bytes
// written, which for a conditional write hold a fresh random id.
func jitter(most time.Duration, body bucket.Body, attempt uint32) time.Duration {
	return most * time.Duration((body.CRC32C^attempt*0x9e3779b9)%1024) / 1024
}
