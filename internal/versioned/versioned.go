// Package versioned keeps a JSON object of the bucket that several nodes replace
// conditionally: the registry, the keys, search settings, job records.
//
// A Store reads the object and replaces it provided that it is still the one read.
// Change does both, and starts over when another writer came between:
//
//	held, err := store.Change(ctx, func(now versioned.Object[Keys]) (Keys, error) {
//		return now.Value.with(key), nil
//	})
//
// Invariants:
//
//	VE1  Every write carries a fresh random write id and the 32 ids before it, so a
//	     writer whose answer was lost can find out whether it wrote.
//	VE2  The version grows by one with each write and never falls.
//	VE3  A write is reported as made, as lost, as failed with nothing written, or as
//	     unknown; never as failed when it was made.
//	VE4  An object that is missing or fails its checksum is never read as an empty one.
//
// FORMAT.md describes the bytes. A Store may be used by any number of
// goroutines.
package versioned

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"slices"
	"syscall"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/problem"
)

const (
	// Attempts is how many times Change applies itself before it gives up.
	Attempts = 3
	// settleAttempts is how many times one write is sent to learn its outcome.
	settleAttempts = 5
	settleDelay    = 20 * time.Millisecond
	settleLimit    = 30 * time.Second
	largestObject  = 256 << 20
)

var (
	// ErrLost means that another writer replaced the object first.
	ErrLost = errors.New("object was replaced by another writer")
	// ErrUnchanged ends a Change that has nothing to write.
	ErrUnchanged = errors.New("nothing to change")
	// ErrCorrupt means that the object exists but cannot be read.
	ErrCorrupt = errors.New("object is corrupt")
)

// Object is a state of the stored object. The zero Object means that none is
// stored.
type Object[T any] struct {
	Value   T
	Version uint64

	tag      bucket.Tag
	writeID  string
	ancestry []string
}

// Exists reports whether an object is stored.
func (o Object[T]) Exists() bool { return o.tag != "" }

// Store is one object of a bucket.
type Store[T any] struct {
	bucket   bucket.Bucket
	key      string
	resource string
	turn     chan struct{} // held by the one running Change of this process
	onRead   func(Object[T])
}

// New returns the store of the object under key. Problems call it by resource.
func New[T any](b bucket.Bucket, key, resource string) *Store[T] {
	return &Store[T]{bucket: b, key: key, resource: resource, turn: make(chan struct{}, 1)}
}

// OnRead makes the store pass every object that it reads from now on to note,
// before the call that read it continues, whatever its outcome. It must be called
// before any other method.
func (s *Store[T]) OnRead(note func(Object[T])) { s.onRead = note }

// Read returns the stored object, or the zero Object when none is stored. For an
// object that exists but cannot be understood it returns ErrCorrupt inside
// storage:io_error.
func (s *Store[T]) Read(ctx context.Context) (Object[T], error) {
	content, object, err := bucket.ReadAll(ctx, s.bucket, s.key, "", largestObject)
	switch {
	case errors.Is(err, bucket.ErrNotFound):
		return Object[T]{}, nil
	case err != nil:
		return Object[T]{}, s.failed(err)
	}
	return s.open(content, object.Tag)
}

// ReadUnless returns the stored object and true if it differs from held, otherwise
// held and false.
func (s *Store[T]) ReadUnless(ctx context.Context, held Object[T]) (Object[T], bool, error) {
	content, object, err := bucket.ReadAll(ctx, s.bucket, s.key, held.tag, largestObject)
	switch {
	case errors.Is(err, bucket.ErrNotModified):
		return held, false, nil
	case errors.Is(err, bucket.ErrNotFound):
		return Object[T]{}, held.Exists(), nil
	case err != nil:
		return held, false, s.failed(err)
	}
	found, err := s.open(content, object.Tag)
	if err != nil {
		return held, false, err
	}
	return found, true, nil
}

func (s *Store[T]) open(content []byte, tag bucket.Tag) (Object[T], error) {
	found, err := decode[T](content)
	if err != nil {
		// The tag lets a repair replace exactly this object.
		return Object[T]{tag: tag, writeID: found.writeID}, s.failed(fmt.Errorf("%s: %w: %w", s.key, ErrCorrupt, err))
	}
	found.tag = tag
	if s.onRead != nil {
		s.onRead(found)
	}
	return found, nil
}

// Change applies a change to the stored object and writes the result. If another
// writer came first, it starts over with what that stored. It returns
// storage:conflict after losing three times, with pauses between, and the object
// found when apply returns ErrUnchanged. Another error of apply is returned as it
// is, and nothing is written. Changes through one Store wait for each other, so
// only other processes can come first.
func (s *Store[T]) Change(ctx context.Context, apply func(now Object[T]) (T, error)) (Object[T], error) {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return Object[T]{}, s.failed(ctx.Err())
	}
	for attempt := range Attempts {
		now, err := s.Read(ctx)
		if err != nil {
			return now, err
		}
		next, err := apply(now)
		if errors.Is(err, ErrUnchanged) {
			return now, nil
		}
		if err != nil {
			return now, err
		}
		successor := now.successor(next)
		written, err := s.replace(ctx, now, successor)
		if !errors.Is(err, ErrLost) {
			return written, err
		}
		// Spread out writers that lost to the same one before they meet again.
		if attempt+1 < Attempts && !pause(ctx, attempt, successor.writeID) {
			break
		}
	}
	return Object[T]{}, s.conflict()
}

// Replace writes next in place of held, or as the first object when held is the
// zero Object. It returns ErrLost when another object is stored. It continues until
// the outcome is settled even if ctx ends.
func (s *Store[T]) Replace(ctx context.Context, held Object[T], next T) (Object[T], error) {
	return s.replace(ctx, held, held.successor(next))
}

// Reserve stores an object that no reader understands if none is stored, and
// returns it for a Replace. The store may apply a write long after it was sent, in
// place of an object that was lost since. So content that must not come back then
// is written in two steps: the first brings nothing, and the second replaces only
// the first. Reserve returns ErrLost when an object is stored, possibly by an
// earlier attempt of its own.
func (s *Store[T]) Reserve(ctx context.Context) (Object[T], error) {
	reserved := Object[T]{writeID: newWriteID()}
	content, err := encode(reserved)
	if err != nil {
		return Object[T]{}, fmt.Errorf("encode %s: %w", s.key, err)
	}
	ctx, cancel := context.WithTimeout(ctx, settleLimit)
	defer cancel()
	unknown := false
	for attempt := range settleAttempts {
		if attempt > 0 && !pause(ctx, attempt, reserved.writeID) {
			break
		}
		var answer bucket.Written
		answer, err = s.bucket.PutIf(ctx, s.key, bucket.Bytes(content), bucket.Absent())
		switch {
		case err == nil:
			reserved.tag = answer.Tag
			return reserved, nil
		case errors.Is(err, bucket.ErrCondition):
			return Object[T]{}, ErrLost
		case errors.Is(err, bucket.ErrUndecided):
		case isUnknown(err):
			unknown = true
		case unknown: // whatever is wrong now, an earlier attempt may have been applied
		default:
			return Object[T]{}, s.failed(err)
		}
	}
	if unknown {
		return Object[T]{}, problem.StorageUnknown.New("resource", s.resource).Because(err)
	}
	return Object[T]{}, s.conflict().Because(err)
}

func (s *Store[T]) replace(ctx context.Context, held, written Object[T]) (Object[T], error) {
	content, err := encode(written)
	if err != nil {
		return Object[T]{}, fmt.Errorf("encode %s: %w", s.key, err)
	}
	if err := ctx.Err(); err != nil {
		return Object[T]{}, s.failed(err)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleLimit)
	defer cancel()
	return s.settle(ctx, held, written, content)
}

// settle puts the same bytes under the same condition until it knows whether they
// were written.
func (s *Store[T]) settle(ctx context.Context, held, written Object[T], content []byte) (Object[T], error) {
	condition := bucket.Absent()
	if held.Exists() {
		condition = bucket.Matches(held.tag)
	}
	unknown := false
	var last error
	for attempt := range settleAttempts {
		if attempt > 0 && !pause(ctx, attempt, written.writeID) {
			break
		}
		answer, err := s.bucket.PutIf(ctx, s.key, bucket.Bytes(content), condition)
		last = err
		switch {
		case err == nil:
			written.tag = answer.Tag
			return written, nil
		case errors.Is(err, bucket.ErrCondition):
			found, settled, err := s.readBack(ctx, held, written, unknown)
			if settled {
				return found, err
			}
			unknown, last = true, err
		case errors.Is(err, bucket.ErrUndecided):
		case isUnknown(err):
			unknown = true
		case unknown: // whatever is wrong now, an earlier attempt may have been applied
		case errors.Is(err, bucket.ErrNotFound):
			return Object[T]{}, s.failed(fmt.Errorf("%s is gone: %w", s.key, err))
		default:
			return Object[T]{}, s.failed(err)
		}
	}
	if unknown {
		return Object[T]{}, problem.StorageUnknown.New("resource", s.resource).Because(last)
	}
	return Object[T]{}, s.conflict().Because(last)
}

// readBack reports whether a write whose condition failed was made by an earlier
// attempt of its own. It returns false when that cannot be known: the object cannot
// be read, is gone, or its ancestry does not lead back to what the write was to
// replace.
func (s *Store[T]) readBack(ctx context.Context, held, written Object[T], tried bool) (Object[T], bool, error) {
	now, err := s.Read(ctx)
	if err != nil {
		return Object[T]{}, errors.Is(err, ErrCorrupt) && !tried, err
	}
	if now.writeID == written.writeID {
		written.tag = now.tag
		return written, true, nil
	}
	if slices.Contains(now.ancestry, written.writeID) {
		// Written, and replaced since: the next Replace on it is lost.
		written.tag = bucket.Tag("superseded " + written.writeID)
		return written, true, nil
	}
	if tried && !now.cameInsteadOf(written, held) {
		return Object[T]{}, false, errors.New("the object does not show whether the write came before it")
	}
	return Object[T]{}, true, ErrLost
}

// cameInsteadOf reports whether o, which does not name written, shows that another
// write replaced held. Versions alone do not show it: an object that was lost and
// written afresh may continue the count of the lost one.
func (o Object[T]) cameInsteadOf(written, held Object[T]) bool {
	if held.Exists() {
		return slices.Contains(o.ancestry, held.writeID)
	}
	isWhole := len(o.ancestry) < ancestors // it goes back to the first write
	return o.Exists() && isWhole && o.Version-uint64(len(o.ancestry)) <= written.Version
}

func isUnknown(err error) bool {
	return errors.Is(err, bucket.ErrUnknown) || errors.Is(err, context.Canceled) ||
		errors.Is(err, context.DeadlineExceeded)
}

// pause waits before another attempt, with jitter, and reports whether there is
// time for one.
func pause(ctx context.Context, attempt int, writeID string) bool {
	wait := settleDelay << attempt
	// The write id is random and differs from that of every other writer.
	jitter := crc32.ChecksumIEEE([]byte(writeID)) ^ uint32(attempt)*0x9e3779b9
	timer := time.NewTimer(wait/2 + wait*time.Duration(jitter%1024)/1024)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// failed returns storage:unavailable when the storage denies this node access,
// which waiting does not change, and storage:io_error otherwise.
func (s *Store[T]) failed(cause error) *problem.Problem {
	code := problem.StorageIoError
	if errors.Is(cause, fs.ErrPermission) || errors.Is(cause, syscall.EROFS) {
		code = problem.StorageUnavailable
	}
	return code.New("resource", s.resource).Because(cause)
}

func (s *Store[T]) conflict() *problem.Problem {
	return problem.StorageConflict.New("resource", s.resource)
}

// Delete removes an object, or finds that it does not exist. It retries for a while
// until the bucket answers; if the outcome stays unknown it returns storage:unknown
// (I17).
func Delete(ctx context.Context, b bucket.Bucket, key, resource string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleLimit)
	defer cancel()
	isOpen := false
	err := bucket.Again(ctx, func() error {
		_, err := b.Delete(ctx, key, bucket.Always)
		isOpen = isOpen || isUnknown(err)
		return err
	})
	switch {
	case err == nil, errors.Is(err, bucket.ErrNotFound):
		return nil
	case isOpen:
		return problem.StorageUnknown.New("resource", resource).Because(err)
	}
	return problem.StorageIoError.New("resource", resource).Because(err)
}
