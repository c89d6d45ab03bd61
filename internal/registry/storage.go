package registry

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/versioned"
	"github.com/quiresearch/quire/problem"
)

// Identity says whose data the objects of a generation are. It is written once,
// before the registry names the generation, and lets a repair rebuild the registry
// from storage alone.
type Identity struct {
	Index        string    `json:"index"`
	IndexID      ID        `json:"indexId"`
	Generation   string    `json:"generation"`
	GenerationID ID        `json:"generationId"`
	CreatedAt    time.Time `json:"createdAt"`
}

// Mark says that a client removed a generation. It repeats whose data that was, in
// case the identity is lost; marks of earlier versions leave this empty.
type Mark struct {
	RemovedAt  time.Time `json:"removedAt"`
	Whole      bool      `json:"whole,omitempty"` // with its whole index
	Index      string    `json:"index,omitempty"`
	IndexID    ID        `json:"indexId,omitzero"`
	Generation string    `json:"generation,omitempty"`
}

const storagePrefix = "g/"

// Prefix returns the prefix of every object of a generation.
func Prefix(generation ID) string { return storagePrefix + generation.String() + "/" }

func identityKey(generation ID) string { return Prefix(generation) + "identity" }
func markKey(generation ID) string     { return Prefix(generation) + "removed" }

// Identify writes the identity of a generation. It returns
// index:generation:storage_held when another one is stored under its id.
func Identify(ctx context.Context, b bucket.Bucket, identity Identity) error {
	store := versioned.New[Identity](b, identityKey(identity.GenerationID), resource)
	_, err := store.Replace(ctx, versioned.Object[Identity]{}, identity)
	if errors.Is(err, versioned.ErrLost) {
		return problem.IndexGenerationStorageHeld.New("generation", identity.Generation)
	}
	if err != nil {
		return fmt.Errorf("identify generation %s: %w", identity.GenerationID, err)
	}
	return nil
}

// MarkRemoved writes the removal mark of a generation. An existing mark stays,
// unless it is of an earlier removal that was undone: the grace counts from the
// time at which the mark was stored.
func MarkRemoved(ctx context.Context, b bucket.Bucket, removed Removed) error {
	store := versioned.New[Mark](b, markKey(removed.GenerationID), resource)
	mark := Mark{RemovedAt: removed.RemovedAt, Whole: removed.Whole,
		Index: removed.Index, IndexID: removed.IndexID, Generation: removed.Generation}
	_, err := store.Replace(ctx, versioned.Object[Mark]{}, mark)
	if errors.Is(err, versioned.ErrLost) {
		_, err = store.Change(ctx, func(now versioned.Object[Mark]) (Mark, error) {
			if now.Exists() && now.Value.RemovedAt.Before(mark.RemovedAt) {
				return mark, nil
			}
			return Mark{}, versioned.ErrUnchanged // a mark that is gone again was undone, or everything is erased
		})
	}
	if err != nil {
		return fmt.Errorf("mark generation %s: %w", removed.GenerationID, err)
	}
	return nil
}

// Erase deletes the identity and the mark of a generation whose data is gone.
func Erase(ctx context.Context, b bucket.Bucket, generation ID) error {
	for _, key := range []string{identityKey(generation), markKey(generation)} {
		if _, err := b.Delete(ctx, key, bucket.Always); err != nil {
			return fmt.Errorf("delete %s: %w", key, err)
		}
	}
	return nil
}

// storedGeneration is what storage holds of a generation.
type storedGeneration struct {
	Identity
	synced  bool
	lacking int // objects that an audit found missing
	mark    *Mark
	erased  bool // its objects are being deleted
}

// Synced reports whether a generation's storage holds a commit.
type Synced func(ctx context.Context, generation ID) (bool, error)

// survey reads every generation of the storage. The second result lists what no
// valid name can carry.
func (r *Registry) survey(ctx context.Context, synced Synced) ([]storedGeneration, []string, error) {
	listing, err := r.bucket.List(ctx, storagePrefix, "/")
	if err != nil {
		return nil, nil, storageFailed(err)
	}
	var (
		found    []storedGeneration
		unusable []string
	)
	for _, prefix := range listing.Prefixes {
		text := strings.TrimSuffix(strings.TrimPrefix(prefix, storagePrefix), "/")
		id, err := ParseID(text)
		if err != nil {
			unusable = append(unusable, text)
			continue
		}
		g, usable, err := r.surveyOne(ctx, id, synced)
		switch {
		case err != nil:
			return nil, nil, err
		case usable == "":
			found = append(found, g)
		default:
			unusable = append(unusable, usable)
		}
	}
	return found, unusable, nil
}

// surveyOne reads one generation. If it is unusable, the second result names it.
func (r *Registry) surveyOne(ctx context.Context, id ID, synced Synced) (storedGeneration, string, error) {
	identity, err := versioned.New[Identity](r.bucket, identityKey(id), resource).Read(ctx)
	if errors.Is(err, versioned.ErrCorrupt) || err == nil && !identity.Exists() {
		return storedGeneration{}, id.String(), nil
	}
	if err != nil {
		return storedGeneration{}, "", err
	}
	g := storedGeneration{Identity: identity.Value}
	switch {
	case g.GenerationID != id || g.IndexID.IsZero():
		return g, id.String(), nil
	case !IsIndexName(g.Index):
		return g, g.Index, nil
	case !isGenerationName(g.Generation):
		return g, g.Index + "/" + g.Generation, nil
	}
	mark, err := versioned.New[Mark](r.bucket, markKey(id), resource).Read(ctx)
	switch {
	case errors.Is(err, versioned.ErrCorrupt):
		g.mark = &Mark{} // an unreadable mark protects its prefix
	case err != nil:
		return g, "", err
	case mark.Exists():
		g.mark = &mark.Value
	}
	if g.synced, err = synced(ctx, id); err != nil {
		return g, "", storageFailed(err)
	}
	return g, "", nil
}

// withRemoved marks the generations that the registry itself lists as removed, even
// if their mark could not be written.
func withRemoved(found []storedGeneration, removed []Removed) []storedGeneration {
	for i := range found {
		for _, gone := range removed {
			if gone.GenerationID != found[i].GenerationID {
				continue
			}
			found[i].erased = gone.Erased
			if found[i].mark == nil {
				found[i].mark = &Mark{RemovedAt: gone.RemovedAt, Whole: gone.Whole}
			}
		}
	}
	return found
}

func storageFailed(err error) error {
	var known *problem.Problem
	if errors.As(err, &known) {
		return err
	}
	return problem.StorageIoError.New("resource", resource).Because(err)
}
