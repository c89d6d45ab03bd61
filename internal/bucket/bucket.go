// Package bucket is the small interface to the shared objects of a deployment, in
// an S3-compatible store, a directory, or memory.
//
// A key is a path of names joined by "/"; each name holds only letters,
// digits, ".", "_" and "-" (ValidKey). An object is replaced whole. Conditions
// compare tags, which are opaque and change with every write of other bytes.
//
// Every answer to a conditional write is one of:
//
//	nil            written; the tag of the new object is in Written
//	ErrCondition   the condition did not hold, or an earlier attempt with the same
//	               bytes landed: read back to find out which
//	ErrUndecided   the store could not decide and wrote nothing: read again
//	ErrNotFound    the object to replace is gone: a fault
//	ErrUnknown     no answer: repeat the same bytes under the same condition,
//	               then read back; until settled nothing else may be done
//
// Times in answers are the store's, never the node's. All methods may be called
// concurrently.
package bucket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
	"time"
)

var (
	// ErrNotFound is returned for a key that holds no object.
	ErrNotFound = errors.New("object not found")
	// ErrCondition is returned by a conditional write whose condition does not
	// hold.
	ErrCondition = errors.New("condition not met")
	// ErrUndecided is returned by a conditional write that met another one: nothing
	// was written.
	ErrUndecided = errors.New("store could not decide")
	// ErrUnknown is returned by a call whose outcome is unknown.
	ErrUnknown = errors.New("outcome not known")
	// ErrNotModified is returned by a conditional Get of an unchanged object.
	ErrNotModified = errors.New("object not modified")
)

// Tag identifies the stored bytes of one object. It is opaque and compared for
// equality only; the empty Tag stands for no object.
type Tag string

// Condition decides whether a PutIf or a Delete takes place. The zero
// Condition always holds.
type Condition struct {
	Absent  bool // only if the key holds no object
	Matches Tag  // only if the object has this tag; empty: any
}

// Always holds whatever is stored.
var Always = Condition{}

// Absent holds while the key has no object (If-None-Match: *).
func Absent() Condition { return Condition{Absent: true} }

// Matches holds while the object has the tag (If-Match).
func Matches(tag Tag) Condition { return Condition{Matches: tag} }

// Check returns nil if the condition holds for an object that has the tag or does
// not exist, otherwise the error for the conditional write.
func (c Condition) Check(exists bool, tag Tag) error {
	switch {
	case c.Absent && exists:
		return ErrCondition
	case c.Matches != "" && !exists:
		return ErrNotFound
	case c.Matches != "" && tag != c.Matches:
		return ErrCondition
	}
	return nil
}

// Body is what a PutIf stores. Open may be called several times and yields the same
// Size bytes each time.
type Body struct {
	Size   int64
	CRC32C uint32
	Open   func() (io.ReadCloser, error)
}

// Bytes returns a body of the given bytes, which must not change afterwards.
func Bytes(content []byte) Body {
	return Body{
		Size:   int64(len(content)),
		CRC32C: crc32.Checksum(content, castagnoli),
		Open:   func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil },
	}
}

// Read returns the bytes of a body.
func (b Body) Read() ([]byte, error) {
	reader, err := b.Open()
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(reader)
	return content, errors.Join(err, reader.Close())
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Object is an object being read. The reader closes Body. An error of Body that
// wraps ErrUnknown means that the bytes stopped coming; they may be requested
// again.
type Object struct {
	Body io.ReadCloser
	Size int64
	Tag  Tag
	Date time.Time // the store's time of the answer
}

// Written is the answer to a successful write.
type Written struct {
	Tag  Tag // empty after a Delete
	Date time.Time
}

// Entry is one object of a listing.
type Entry struct {
	Key      string
	Size     int64
	Tag      Tag // empty if the store's listing has none
	Modified time.Time
}

// Listing is the whole answer to a List, sorted by key.
type Listing struct {
	Entries  []Entry
	Prefixes []string // common prefixes up to and with the delimiter
	Date     time.Time
}

// Bucket is a store of objects.
type Bucket interface {
	// Get reads an object. With a tag in unless it returns ErrNotModified while the
	// object still has that tag; the returned Object then holds only Tag and Date.
	Get(ctx context.Context, key string, unless Tag) (Object, error)
	// PutIf stores an object if the condition holds.
	PutIf(ctx context.Context, key string, body Body, condition Condition) (Written, error)
	// List returns every object below the prefix. With a delimiter, keys that
	// contain it after the prefix are folded into Prefixes.
	List(ctx context.Context, prefix, delimiter string) (Listing, error)
	// Delete removes an object if the condition holds. Removing a missing object
	// succeeds unless Matches is set.
	Delete(ctx context.Context, key string, condition Condition) (Written, error)
}

// Tries is how many times an object whose bytes stop coming is requested. The store
// itself retries earlier failures where that is safe.
const Tries = 3

// ReadAll reads a whole object of at most limit bytes.
func ReadAll(ctx context.Context, b Bucket, key string, unless Tag, limit int64) ([]byte, Object, error) {
	for try := 1; ; try++ {
		object, err := b.Get(ctx, key, unless)
		if err != nil {
			return nil, object, err
		}
		content, err := io.ReadAll(io.LimitReader(object.Body, limit+1))
		object.Body.Close()
		switch {
		case err != nil && errors.Is(err, ErrUnknown) && try < Tries && ctx.Err() == nil:
		case err != nil:
			return nil, object, fmt.Errorf("read %s: %w", key, err)
		case int64(len(content)) > limit:
			return nil, object, fmt.Errorf("read %s: more than %d bytes", key, limit)
		default:
			return content, object, nil
		}
	}
}

// Again calls do until the bucket answers, with pauses that double, and returns the
// last failure when ctx ends before that.
func Again(ctx context.Context, do func() error) error {
	for pause := 50 * time.Millisecond; ; pause *= 2 {
		err := do()
		if !errors.Is(err, ErrUnknown) && !errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return err
		}
	}
}

// ValidKey reports whether key is a path of plain names: no empty name, no "." or
// "..", no character that a file system or a URL treats specially.
func ValidKey(key string) bool {
	if key == "" || len(key) > 900 {
		return false
	}
	for _, name := range strings.Split(key, "/") {
		if name == "" || name == "." || name == ".." {
			return false
		}
		for i := 0; i < len(name); i++ {
			c := name[i]
			plain := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
				c == '.' || c == '_' || c == '-'
			if !plain {
				return false
			}
		}
	}
	return true
}
