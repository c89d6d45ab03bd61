// Package settingstore keeps the search settings of every index, one conditionally
// replaced object per index id, and this node's copies of them.
//
// Settings belong to an index, not to a generation, and to its id, not its name: an
// index created again under a removed name finds none. Removing settings, even if
// there are none, leaves an object without settings: the revision, which freshness
// tokens carry, keeps growing, and a write that was sent earlier and is applied
// later does not bring them back.
//
// Invariants:
//
//	ST1  The revision of an index grows with every change, removals included.
//	ST2  A copy never goes back to an earlier revision.
//
// A Store may be used by any number of goroutines. Current does not wait for
// storage once the settings of an index were read.
package settingstore

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/turn"
	"github.com/quiresearch/quire/internal/versioned"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/settings"
)

const resource = "settings"

// stored is the object of one index.
type stored struct {
	Settings jsontext.Value `json:"settings,omitzero"` // absent after a removal
	Features []string       `json:"features,omitempty"`

	Unknown jsontext.Value `json:",embed"`
}

// Held is a state of the settings of an index.
type Held struct {
	Settings *settings.Settings // nil when there are none
	Revision uint64             // 0 when there never were any
}

// Version returns the version of the settings, empty when there are none.
func (h Held) Version() string {
	if h.Settings == nil {
		return ""
	}
	return h.Settings.Version()
}

// stripes is the number of locks that order this node's changes to an index.
const stripes = 64

// Store keeps settings in a bucket.
type Store struct {
	bucket   bucket.Bucket
	changing [stripes]turn.Lock // by index; come before mu

	mu     sync.RWMutex
	copies map[registry.ID]copied
}

type copied struct {
	object versioned.Object[stored]
	held   Held
	readAt time.Time // when it was last seen to be current
}

// New returns the settings in a bucket.
func New(b bucket.Bucket) *Store {
	return &Store{bucket: b, copies: make(map[registry.ID]copied)}
}

func (s *Store) object(index registry.ID) *versioned.Store[stored] {
	return versioned.New[stored](s.bucket, key(index), resource)
}

func key(index registry.ID) string { return "settings/" + index.String() }

// Current returns this node's copy, which it reads from storage first if there is
// none.
func (s *Store) Current(ctx context.Context, index registry.ID) (Held, error) {
	s.mu.RLock()
	have, ok := s.copies[index]
	s.mu.RUnlock()
	if ok {
		return have.held, nil
	}
	return s.Read(ctx, index)
}

// Read reads the settings from storage and renews the copy.
func (s *Store) Read(ctx context.Context, index registry.ID) (Held, error) {
	s.mu.RLock()
	have, ok := s.copies[index]
	s.mu.RUnlock()
	found, changed, err := s.object(index).ReadUnless(ctx, have.object)
	if err != nil {
		return have.held, err
	}
	if ok && !changed {
		s.mu.Lock()
		defer s.mu.Unlock()
		if now, ok := s.copies[index]; ok && now.object.Version == have.object.Version {
			now.readAt = time.Now()
			s.copies[index] = now
		}
		return have.held, nil
	}
	return s.install(index, found)
}

// Hint is what is known of the newest settings of an index without reading them.
type Hint struct {
	Listed   bool   // the index exists
	Revision uint64 // 0: no hint named one
}

// Refresh renews the copies of this node that may be behind: those for which a hint
// names another revision, and those that were not read for verify. It drops copies
// of indexes that are not listed. A copy that cannot be read again stays.
func (s *Store) Refresh(ctx context.Context, hint func(registry.ID) Hint, verify time.Duration) {
	s.mu.RLock()
	indexes := slices.SortedFunc(maps.Keys(s.copies), registry.ID.Compare)
	s.mu.RUnlock()
	for _, index := range indexes {
		if ctx.Err() != nil {
			return
		}
		told := hint(index)
		s.mu.Lock()
		have := s.copies[index]
		if !told.Listed {
			delete(s.copies, index)
		}
		s.mu.Unlock()
		if told.Listed && (told.Revision != have.held.Revision || time.Since(have.readAt) >= verify) {
			_, _ = s.Read(ctx, index)
		}
	}
}

// Revisions returns the revision of every copy that has one.
func (s *Store) Revisions() map[registry.ID]uint64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	all := make(map[registry.ID]uint64, len(s.copies))
	for index, have := range s.copies {
		if have.held.Revision > 0 {
			all[index] = have.held.Revision
		}
	}
	return all
}

// install takes over what storage holds unless the copy is newer (ST2).
func (s *Store) install(index registry.ID, found versioned.Object[stored]) (Held, error) {
	held, err := held(found)
	if err != nil {
		return Held{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if have, ok := s.copies[index]; ok && have.object.Version > found.Version {
		return have.held, nil
	}
	s.copies[index] = copied{found, held, time.Now()}
	return held, nil
}

func held(o versioned.Object[stored]) (Held, error) {
	h := Held{Revision: o.Version}
	if len(o.Value.Settings) == 0 {
		return h, nil
	}
	loaded, err := settings.Load(o.Value.Settings, o.Value.Features)
	if err != nil {
		return Held{}, problem.StorageIoError.New("resource", resource).Because(fmt.Errorf("stored settings: %v", err))
	}
	h.Settings = loaded
	return h, nil
}

// Change replaces the settings of an index by the result of apply, which gets the
// stored ones; nil removes them. If apply fails, nothing changes and its error is
// returned. The second result is false when there were no settings before.
func (s *Store) Change(ctx context.Context, index registry.ID, apply func(now Held) (*settings.Settings, error)) (Held, bool, error) {
	changing := &s.changing[index[0]%stripes]
	if err := changing.LockUntil(ctx); err != nil {
		return Held{}, false, problem.StorageIoError.New("resource", resource).Because(err)
	}
	defer changing.Unlock()
	existed := false
	written, err := s.object(index).Change(ctx, func(now versioned.Object[stored]) (stored, error) {
		before, err := held(now)
		if err != nil {
			return stored{}, err
		}
		existed = before.Settings != nil
		next, err := apply(before)
		if err != nil {
			return stored{}, err
		}
		if next == nil {
			// Write it even if there are none, so that a write that the store
			// applies later meets it.
			return stored{Unknown: now.Value.Unknown}, nil
		}
		return stored{Settings: next.JSON(), Features: next.Features(), Unknown: now.Value.Unknown}, nil
	})
	if err != nil {
		return Held{}, existed, err
	}
	after, err := s.install(index, written)
	return after, existed, err
}

// Delete removes the object of an index that is gone, and the copy.
func (s *Store) Delete(ctx context.Context, index registry.ID) error {
	s.mu.Lock()
	delete(s.copies, index)
	s.mu.Unlock()
	if _, err := s.bucket.Delete(ctx, key(index), bucket.Always); err != nil {
		return fmt.Errorf("remove the settings of %s: %w", index, err)
	}
	return nil
}
