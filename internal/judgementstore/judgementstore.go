// Package judgementstore keeps the judgement sets of every index, one
// conditionally replaced object per set.
//
// Sets belong to the id of an index, not to its name: an index created again under
// a removed name has none. Nothing is kept in memory: sets are read when they are
// shown, changed or evaluated, which is rare. A Store may be used by any number of
// goroutines.
package judgementstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/judgement"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/versioned"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
)

const resource = "judgements"

// MaxSets is how many sets an index may have.
const MaxSets = 100

// stored is the object of one set.
type stored struct {
	Judgements jsontext.Value `json:"judgements"`

	Unknown jsontext.Value `json:",embed"`
}

// Store keeps judgement sets in a bucket.
type Store struct {
	bucket bucket.Bucket
	limits query.Limits
}

// New returns the sets in a bucket. The limits are those for reading searches.
func New(b bucket.Bucket, limits query.Limits) *Store { return &Store{b, limits} }

func prefix(index registry.ID) string { return "judgements/" + index.String() + "/" }

func (s *Store) object(index registry.ID, set string) *versioned.Store[stored] {
	return versioned.New[stored](s.bucket, prefix(index)+set, resource)
}

func (s *Store) decode(o versioned.Object[stored]) (*judgement.Set, error) {
	if !o.Exists() {
		return nil, nil
	}
	set, err := judgement.Decode(o.Value.Judgements, s.limits)
	if err != nil {
		return nil, problem.StorageIoError.New("resource", resource).Because(fmt.Errorf("stored judgements: %v", err))
	}
	return set, nil
}

// Read returns a set, or nil when there is none.
func (s *Store) Read(ctx context.Context, index registry.ID, set string) (*judgement.Set, error) {
	found, err := s.object(index, set).Read(ctx)
	if err != nil {
		return nil, err
	}
	return s.decode(found)
}

// Held is what is stored under the name of a set.
type Held struct {
	Set *judgement.Set // nil when there is none or it cannot be read
	Err error          // why a stored set cannot be read
}

// Change replaces a set by the result of apply, which gets the stored one. If apply
// fails, nothing changes and its error is returned. The second result is false when
// there was no set before.
func (s *Store) Change(ctx context.Context, index registry.ID, set string, apply func(now Held) (*judgement.Set, error)) (*judgement.Set, bool, error) {
	var next *judgement.Set
	existed := false
	_, err := s.object(index, set).Change(ctx, func(now versioned.Object[stored]) (stored, error) {
		before, failed := s.decode(now)
		if existed = now.Exists(); !existed {
			if err := s.checkCount(ctx, index); err != nil {
				return stored{}, err
			}
		}
		var err error
		if next, err = apply(Held{before, failed}); err != nil {
			return stored{}, err
		}
		return stored{Judgements: next.JSON(), Unknown: now.Value.Unknown}, nil
	})
	return next, existed, err
}

func (s *Store) checkCount(ctx context.Context, index registry.ID) error {
	names, err := s.List(ctx, index)
	if err == nil && len(names) >= MaxSets {
		err = problem.JudgementsTooMany.New("max", MaxSets, "what", "judgement sets of an index")
	}
	return err
}

// List returns the names of the sets of an index, ordered.
func (s *Store) List(ctx context.Context, index registry.ID) ([]string, error) {
	listing, err := s.bucket.List(ctx, prefix(index), "")
	if err != nil {
		return nil, problem.StorageIoError.New("resource", resource).Because(err)
	}
	names := make([]string, 0, len(listing.Entries))
	for _, entry := range listing.Entries {
		names = append(names, strings.TrimPrefix(entry.Key, prefix(index)))
	}
	slices.Sort(names)
	return names, nil
}

// Delete removes a set.
func (s *Store) Delete(ctx context.Context, index registry.ID, set string) error {
	return versioned.Delete(ctx, s.bucket, prefix(index)+set, resource)
}

// DeleteAll removes the sets of an index that is gone.
func (s *Store) DeleteAll(ctx context.Context, index registry.ID) error {
	names, err := s.List(ctx, index)
	for _, name := range names {
		err = errors.Join(err, s.Delete(ctx, index, name))
	}
	return err
}
