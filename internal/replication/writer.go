package replication

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/log"
	"github.com/quiresearch/quire/internal/manifest"
	"github.com/quiresearch/quire/internal/turn"
	"github.com/quiresearch/quire/internal/vfs"
)

// Writer is the right to write a generation. It implements the Log and the
// Publisher of the engine.
type Writer struct {
	remote  *Remote
	fs      vfs.FS
	dir     string
	session string
	epoch   uint64

	publishing turn.Lock // held while the manifest is replaced or stored again; comes before mu

	mu      sync.Mutex
	held    Held      // our stored manifest
	since   time.Time // the store's time since which every stored manifest was ours and none was lost
	proven  time.Time // the store's time at which the epoch was last seen to be ours
	last    time.Time // the store's time of the last answer
	fenced  error     // why nothing is written any more; nil: not fenced
	nextLSN uint64    // one above the last record, after Replay
	sealed  uint64    // log number of our fence record
	doubt   func() bool

	proving    turn.Lock // held by the one read that proves the epoch for all waiting callers; comes before mu
	provenFrom time.Time // when the last call that proved the epoch began, on this node's clock

	settling atomic.Int32 // records and manifests on their way, which cannot be cancelled

	swept   map[string]bool   // retired keys that are deleted, for the next manifest to forget
	unnamed map[string]bool   // keys of files that were sent and that no manifest names
	givenUp map[string]bool   // those of unnamed that were retired
	staged  map[string]staged // by name: files sent ahead of the manifest that will name them
}

var (
	_ engine.Log       = (*Writer)(nil)
	_ engine.Publisher = (*Writer)(nil)
	_ engine.Uploader  = (*Writer)(nil)
)

// Take fences the previous writer of the generation: it raises the epoch of the
// manifest and seals the log. Pull and the engine find the files of the generation
// in dir of fs. The session is 32 hexadecimal digits that the caller draws for this
// Writer alone: no two writers ever use the same key for a file, so a key that one
// may still delete is never stored by another.
func (r *Remote) Take(ctx context.Context, fs vfs.FS, dir, session string) (*Writer, error) {
	return r.TakeIf(ctx, fs, dir, session, func(*manifest.Manifest) error { return nil })
}

// TakeIf is Take if accept returns nil for the stored manifest. Otherwise it
// returns the error of accept and changes nothing.
func (r *Remote) TakeIf(ctx context.Context, fs vfs.FS, dir, session string, accept func(*manifest.Manifest) error) (*Writer, error) {
	for first := uint64(0); ; {
		held, err := r.ReadSoon(ctx, "")
		if err != nil {
			return nil, err
		}
		if first != 0 && held.Manifest.Epoch >= first {
			return nil, fmt.Errorf("fence generation %s: %w: epoch %d is taken", r.id, engine.ErrFenced, held.Manifest.Epoch)
		}
		if err := accept(held.Manifest); err != nil {
			return nil, err
		}
		next := held.Manifest.Next()
		next.Epoch++
		next.Session = session
		now, err := r.putManifest(ctx, next, bucket.Matches(held.Tag))
		if errors.Is(err, errLost) {
			first = next.Epoch
			continue // a commit of the old writer, or another candidate: read again
		}
		if err != nil {
			return nil, fmt.Errorf("fence generation %s: %w", r.id, err)
		}
		w := r.newWriter(fs, dir, session)
		w.epoch, w.held, w.since, w.proven, w.last = next.Epoch, now, now.Date, now.Date, now.Date
		if err := w.seal(ctx); err != nil {
			return nil, err
		}
		return w, nil
	}
}

func (r *Remote) newWriter(fs vfs.FS, dir, session string) *Writer {
	return &Writer{remote: r, fs: fs, dir: dir, session: session,
		swept: make(map[string]bool), unnamed: make(map[string]bool), givenUp: make(map[string]bool),
		staged: make(map[string]staged)}
}

// Manifest returns our stored manifest.
func (w *Writer) Manifest() *manifest.Manifest {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.held.Manifest
}

// Tag returns the tag of our stored manifest.
func (w *Writer) Tag() bucket.Tag {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.held.Tag
}

// IsSettling reports whether a record or a manifest is on its way whose outcome no
// caller knows yet. Closing the generation waits for it.
func (w *Writer) IsSettling() bool { return w.settling.Load() > 0 }

// Err returns why the writer was fenced, or nil.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.fenced
}

func (w *Writer) fence(err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fenced == nil {
		w.fenced = fmt.Errorf("%w: %w", engine.ErrFenced, err)
	}
	return w.fenced
}

// seal puts a fence record on the first free log number after the manifest, so that
// the next append of a stale writer is refused.
func (w *Writer) seal(ctx context.Context) error {
	lsn, err := w.firstFree(ctx)
	for ; err == nil; lsn++ {
		batch := log.Batch{
			Generation: logID(w.remote.id), LSN: lsn, Epoch: w.epoch, Session: logID(w.session), WriteID: logID(manifest.NewID()),
			Promised: w.held.Manifest.Sequence, Operations: []log.Operation{{Kind: log.Fence}},
		}
		_, err = w.put(ctx, batch.WriteID, lsn, batch.Encode())
		if err == nil {
			w.sealed = lsn
			return nil
		}
		if errors.Is(err, errLost) {
			err = w.yieldTo(ctx, lsn)
		}
	}
	return fmt.Errorf("seal the log of generation %s: %w", w.remote.id, err)
}

// yieldTo reads a record that already exists. A record of a lower epoch counts; one
// of a higher epoch means that another writer came after this one.
func (w *Writer) yieldTo(ctx context.Context, lsn uint64) error {
	there, err := w.remote.readBatch(ctx, lsn)
	if err != nil {
		return err
	}
	if there.Epoch > w.epoch {
		return w.fence(fmt.Errorf("log record %d has epoch %d, ours is %d", lsn, there.Epoch, w.epoch))
	}
	return nil
}

// firstFree returns the first number without a record. There are no holes (RP1), so
// an exponential and then a binary search finds it. The record before it is the
// newest and has the highest epoch.
func (w *Writer) firstFree(ctx context.Context) (uint64, error) {
	last := w.held.Manifest.LastLSN // it is in the files; its record may be gone
	taken := func(lsn uint64) (isTaken bool, err error) {
		err = readAgain(ctx, func() error {
			object, err := w.remote.bucket.Get(ctx, w.remote.logKey(lsn), "")
			if err != nil {
				return err
			}
			isTaken = true
			return object.Body.Close()
		})
		if errors.Is(err, bucket.ErrNotFound) {
			return false, nil
		}
		return isTaken, err
	}
	low, step := last, uint64(1)
	high := low + step
	for {
		there, err := taken(high)
		if err != nil {
			return 0, err
		}
		if !there {
			break
		}
		low, step = high, step*2
		high = low + step
	}
	for high-low > 1 {
		middle := low + (high-low)/2
		there, err := taken(middle)
		if err != nil {
			return 0, err
		}
		if there {
			low = middle
		} else {
			high = middle
		}
	}
	if low > last {
		if err := w.yieldTo(ctx, low); err != nil {
			return 0, err
		}
	}
	return high, nil
}

// DoubtWhen makes every append read the manifest again before it is acknowledged,
// while doubt returns true. It must be called before the first append.
func (w *Writer) DoubtWhen(doubt func() bool) { w.doubt = doubt }

func logID(text string) (id log.ID) {
	raw, err := hex.DecodeString(text)
	if err == nil {
		copy(id[:], raw)
	}
	return id
}

func (r *Remote) logKey(lsn uint64) string { return r.key("wal", fmt.Sprintf("%020d", lsn)) }

// put stores a log record and settles the outcome.
func (w *Writer) put(ctx context.Context, writeID log.ID, lsn uint64, payload []byte) (bucket.Written, error) {
	return w.remote.settle(ctx, w.remote.logKey(lsn), bucket.Bytes(payload), bucket.Absent(), func(ctx context.Context) (bucket.Written, error) {
		content, object, err := bucket.ReadAll(ctx, w.remote.bucket, w.remote.logKey(lsn), "", maxRecord)
		if err != nil {
			return bucket.Written{}, err
		}
		there, err := log.DecodeBatch(content)
		if err != nil {
			return bucket.Written{}, err
		}
		if there.WriteID != writeID {
			return bucket.Written{}, errLost
		}
		return bucket.Written{Tag: object.Tag, Date: object.Date}, nil
	})
}

// maxRecord bounds a log record: the engine groups up to 8 MiB, and one large
// document may exceed that.
const maxRecord = 256 << 20

func (r *Remote) readBatch(ctx context.Context, lsn uint64) (*log.Batch, error) {
	content, err := r.readRecord(ctx, lsn)
	if err != nil {
		return nil, err
	}
	return log.DecodeBatch(content)
}

func (r *Remote) readRecord(ctx context.Context, lsn uint64) (content []byte, err error) {
	err = readAgain(ctx, func() error {
		content, _, err = bucket.ReadAll(ctx, r.bucket, r.logKey(lsn), "", maxRecord)
		return err
	})
	return content, err
}

// readTries is how often a log record is requested. A takeover reads all of them,
// and one that fails halfway has added a record: without retries a store that fails
// now and then would let no takeover through.
const readTries = 6

// readAgain calls read until the store answers, at most readTries times.
func readAgain(ctx context.Context, read func() error) error {
	for try := 1; ; try++ {
		err := read()
		if !errors.Is(err, bucket.ErrUnknown) || try == readTries {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(10 * time.Millisecond << try):
		}
	}
}

// replayAhead is how many records are fetched at once.
const replayAhead = 16

// Replay passes every record above after to visit, in order, up to our own fence.
func (w *Writer) Replay(after uint64, visit func(lsn uint64, payload []byte) error) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	type fetched struct {
		content []byte
		err     error
	}
	fetch := func(lsn uint64) <-chan fetched {
		result := make(chan fetched, 1)
		go func() {
			content, err := w.remote.readRecord(ctx, lsn)
			result <- fetched{content, err}
		}()
		return result
	}
	var ahead []<-chan fetched
	asked := after
	for lsn := after + 1; lsn <= w.sealed; lsn++ {
		for asked < w.sealed && len(ahead) < replayAhead {
			asked++
			ahead = append(ahead, fetch(asked))
		}
		record := <-ahead[0]
		ahead = ahead[1:]
		if errors.Is(record.err, bucket.ErrNotFound) {
			return fmt.Errorf("generation %s: %w: record %d is missing", w.remote.id, ErrHole, lsn)
		}
		if record.err != nil {
			return fmt.Errorf("read log record %d: %w", lsn, record.err)
		}
		if err := visit(lsn, record.content); err != nil {
			return err
		}
	}
	w.mu.Lock()
	w.nextLSN = w.sealed + 1
	w.mu.Unlock()
	return nil
}

// appendLimit bounds how long an append may stay unsettled before the generation
// gives up; the stored record decides at the next open.
const appendLimit = time.Minute

// Append stores a record. It returns nil when the record is stored and the epoch
// was ours (RP2).
func (w *Writer) Append(lsn uint64, payload []byte) error {
	w.mu.Lock()
	fenced, expected := w.fenced, w.nextLSN
	w.mu.Unlock()
	if fenced != nil {
		return fmt.Errorf("append record %d: %w: %w", lsn, log.ErrNotWritten, fenced)
	}
	if lsn != expected {
		return fmt.Errorf("append record %d, %d is next: %w", lsn, expected, log.ErrNotWritten)
	}
	batch, err := log.DecodeBatch(payload)
	if err != nil {
		return fmt.Errorf("append record %d: %w: %w", lsn, log.ErrNotWritten, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), appendLimit)
	defer cancel()
	w.settling.Add(1)
	defer w.settling.Add(-1)
	began := time.Now()
	written, err := w.put(ctx, batch.WriteID, lsn, payload)
	switch {
	case errors.Is(err, errLost):
		// Only a new writer puts another record there.
		return fmt.Errorf("append record %d: %w: %w", lsn, log.ErrNotWritten, w.fence(errors.New("another writer sealed the log")))
	case errors.Is(err, bucket.ErrUndecided), errors.Is(err, errNotStored):
		return fmt.Errorf("append record %d: %w: %w", lsn, log.ErrNotWritten, err)
	case err != nil:
		return fmt.Errorf("append record %d: %w", lsn, err)
	}
	w.mu.Lock()
	w.nextLSN = lsn + 1
	w.last = later(w.last, written.Date)
	stale := written.Date.Sub(w.proven) >= w.remote.grace/2
	w.mu.Unlock()
	if !stale && (w.doubt == nil || !w.doubt()) {
		w.noteProof(began)
		return nil
	}
	if err := w.Prove(ctx); err != nil {
		return fmt.Errorf("append record %d: %w", lsn, err)
	}
	return nil
}

// Prove reads the manifest again and fails when the epoch is no longer ours.
func (w *Writer) Prove(ctx context.Context) error {
	began := time.Now()
	w.mu.Lock()
	tag := w.held.Tag
	w.mu.Unlock()
	now, err := w.remote.Read(ctx, tag)
	if err != nil && !errors.Is(err, bucket.ErrNotModified) {
		return err
	}
	if err == nil && !w.isOurs(now.Manifest) {
		return w.fence(fmt.Errorf("the manifest has epoch %d, ours is %d", now.Manifest.Epoch, w.epoch))
	}
	w.noteProof(began)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.proven = later(w.proven, now.Date)
	w.last = later(w.last, now.Date)
	return nil
}

// isOurs reports whether this writer stored a manifest. The epoch alone does not
// decide: another writer takes the same epoch again on an earlier manifest that a
// node restored.
func (w *Writer) isOurs(m *manifest.Manifest) bool {
	return m.Epoch == w.epoch && m.Session == w.session
}

// noteProof records that a call which began at began proved the epoch.
func (w *Writer) noteProof(began time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.provenFrom = later(w.provenFrom, began)
}

// ProveSince makes sure that the epoch was ours at some moment after since, a time
// of this node's clock: what was decided from our state until then was true of the
// newest state (I23). A record stored meanwhile is proof enough, and concurrent
// callers share one read of the manifest.
func (w *Writer) ProveSince(ctx context.Context, since time.Time) error {
	if w.isProvenSince(since) {
		return nil
	}
	if err := w.proving.LockUntil(ctx); err != nil {
		return err
	}
	defer w.proving.Unlock()
	if w.isProvenSince(since) {
		return nil
	}
	return w.Prove(ctx)
}

func (w *Writer) isProvenSince(since time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.fenced == nil && w.provenFrom.After(since)
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// Release does nothing. Records that are in a commit stay until the sweep finds
// their low-water mark a grace old.
func (w *Writer) Release(uint64) error { return nil }

// Close ends the use of the log.
func (w *Writer) Close() error { return nil }
