package registry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/format"
	"github.com/quiresearch/quire/internal/turn"
	"github.com/quiresearch/quire/internal/versioned"
	"github.com/quiresearch/quire/problem"
)

const (
	objectKey     = "registry"
	deploymentKey = "deployment"
	resource      = "registry"
)

// Registry is this node's copy of the registry and the way to change it.
type Registry struct {
	bucket bucket.Bucket
	store  *versioned.Store[state]
	log    *slog.Logger

	deployment ID

	changing turn.Lock // held by the one change of this node under way; comes before mu

	mu     sync.RWMutex
	held   versioned.Object[state]
	readAt time.Time // the last read that succeeded; zero: never
}

// deployment marks a bucket that once held a registry.
type deployment struct {
	ID        ID        `json:"id"`
	Format    uint32    `json:"format,omitzero"` // of everything in the bucket
	CreatedAt time.Time `json:"createdAt"`
}

// Open reads the registry, or begins an empty one in a bucket that never had
// any. A registry that is gone or cannot be understood leaves the copy unread:
// nothing is found in it and nothing is changed until a repair.
func Open(ctx context.Context, b bucket.Bucket, log *slog.Logger) (*Registry, error) {
	r := &Registry{bucket: b, store: versioned.New[state](b, objectKey, resource), log: log}
	found, err := r.store.Read(ctx)
	if errors.Is(err, versioned.ErrCorrupt) {
		log.Error("the registry cannot be understood; nothing is served until it is repaired", "error", err)
		return r, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the registry: %w", err)
	}
	marks := versioned.New[deployment](b, deploymentKey, "deployment")
	mark, err := marks.Read(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the deployment: %w", err)
	}
	r.deployment = mark.Value.ID
	if !found.Exists() {
		if mark.Exists() {
			log.Error("the registry is gone; nothing is served until it is repaired", "deployment", mark.Value.ID)
			return r, nil
		}
		if found, err = r.begin(ctx); err != nil {
			return nil, fmt.Errorf("begin the registry: %w", err)
		}
	}
	if !mark.Exists() {
		written, err := marks.Replace(ctx, mark, deployment{ID: NewID(), Format: format.Bucket.Version, CreatedAt: time.Now().UTC()})
		if errors.Is(err, versioned.ErrLost) {
			written, err = marks.Read(ctx)
		}
		if err != nil {
			return nil, fmt.Errorf("mark the deployment: %w", err)
		}
		mark = written
	}
	if mark.Value.Format > format.Bucket.Version {
		return nil, fmt.Errorf("the deployment has format version %d, this build reads up to %d", mark.Value.Format, format.Bucket.Version)
	}
	r.deployment = mark.Value.ID
	r.install(found)
	return r, nil
}

func (r *Registry) begin(ctx context.Context) (versioned.Object[state], error) {
	return r.store.Change(ctx, func(now versioned.Object[state]) (state, error) {
		if now.Exists() {
			return state{}, versioned.ErrUnchanged
		}
		return state{Indexes: map[string]*Index{}}, nil
	})
}

// Refresh reads the registry if it changed. A registry that disappeared or
// cannot be understood leaves the copy in force (R4).
func (r *Registry) Refresh(ctx context.Context) error {
	r.mu.RLock()
	held := r.held
	r.mu.RUnlock()
	found, changed, err := r.store.ReadUnless(ctx, held)
	if err == nil && changed && !found.Exists() {
		err = problem.StorageIoError.New("resource", resource).Because(errors.New("the registry is gone"))
	}
	if err == nil && found.Version < held.Version {
		err = problem.StorageIoError.New("resource", resource).Because(errors.New("the registry is older than the one last read"))
	}
	if err != nil {
		r.log.Error("the registry cannot be read; the copy stays in force", "error", err)
		return err
	}
	r.install(found)
	return nil
}

// install takes over a state unless a newer one is held (R2).
func (r *Registry) install(found versioned.Object[state]) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.readAt = time.Now()
	if found.Version <= r.held.Version {
		return
	}
	found.Value.settle()
	r.held = found
}

// Deployment returns the id of the deployment, zero while it is not known.
func (r *Registry) Deployment() ID { return r.deployment }

// IsRead reports whether a registry was ever read.
func (r *Registry) IsRead() bool { return r.Version() > 0 }

// Age returns how long ago the registry was last read.
func (r *Registry) Age() time.Duration {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return time.Since(r.readAt)
}

func (r *Registry) state() state {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.held.Value
}

// Entry is what a name resolves to.
type Entry struct {
	Name       Name // with the generation
	Index      ID
	Generation ID
	Live       bool
}

// Resolve finds the generation a name answers from: index:not_found when there
// is none, index:no_live_generation for a bare name nothing is live under.
func (r *Registry) Resolve(name Name) (Entry, error) { return r.state().resolve(name) }

func (s state) resolve(name Name) (Entry, error) {
	index, err := s.find(name)
	if err != nil {
		return Entry{}, err
	}
	generation := name.Generation
	if generation == "" {
		generation = index.Live
		if generation == "" {
			return Entry{}, problem.IndexNoLiveGeneration.New("name", name.Index)
		}
	}
	g, ok := index.Generations[generation]
	if !ok {
		return Entry{}, problem.IndexNotFound.New("name", name.String())
	}
	return Entry{Name: name.At(generation), Index: index.ID, Generation: g.ID, Live: generation == index.Live}, nil
}

func (s state) find(name Name) (*Index, error) {
	index, ok := s.Indexes[name.Index]
	switch {
	case !ok:
		return nil, problem.IndexNotFound.New("name", name.String())
	case len(index.RequiredFeatures) > 0:
		return nil, problem.IndexUnsupported.New("features", index.RequiredFeatures)
	}
	return index, nil
}

// Find returns what is known of the index of a name, whatever generation the
// name carries. The result must not be changed.
func (r *Registry) Find(name Name) (*Index, error) { return r.state().find(name) }

// Listed is an index with its name.
type Listed struct {
	Name string
	*Index
}

// List returns every index, ordered by name. The indexes must not be changed.
func (r *Registry) List() []Listed {
	s := r.state()
	all := make([]Listed, 0, len(s.Indexes))
	for _, name := range slices.Sorted(maps.Keys(s.Indexes)) {
		all = append(all, Listed{name, s.Indexes[name]})
	}
	return all
}

// Removed returns what was removed and may still have data.
func (r *Registry) Removed() []Removed { return slices.Clone(r.state().Removed) }

// Version returns the version of the copy.
func (r *Registry) Version() uint64 {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.held.Version
}
