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
	marks  *versioned.Store[deployment]
	log    *slog.Logger

	expected ID // the deployment this node belongs to; zero: any

	changing turn.Lock // held by the one change of this node under way; comes before mu

	mu         sync.RWMutex
	deployment ID // zero: not known yet
	held       versioned.Object[state]
	readAt     time.Time               // the last successful read; zero: never
	failure    string                  // the last failed read, as it was logged
	observed   versioned.Object[state] // the newest registry read, if it is not held
	remembered versioned.Object[state] // what an earlier run of this node knew; without a tag
}

// deployment marks a bucket that once held a registry.
type deployment struct {
	ID        ID        `json:"id"`
	Format    uint32    `json:"format,omitzero"` // of everything in the bucket
	CreatedAt time.Time `json:"createdAt"`
}

var errFormat = errors.New("the deployment has a format version that this build does not read")

// Open reads the registry, or begins an empty one in a bucket that never had one.
// If the registry is gone, unreadable or of another deployment, the copy stays
// unread: every lookup and every change returns storage:io_error until a Refresh or
// a repair has read it.
func Open(ctx context.Context, b bucket.Bucket, log *slog.Logger) (*Registry, error) {
	return OpenOf(ctx, b, ID{}, log)
}

// OpenOf is Open by a node that belongs to a deployment: it refuses a bucket that
// is empty or holds another deployment with a DeploymentError and leaves it alone.
// The zero id stands for a node that belongs to none yet.
func OpenOf(ctx context.Context, b bucket.Bucket, expected ID, log *slog.Logger) (*Registry, error) {
	r := &Registry{bucket: b, store: versioned.New[state](b, objectKey, resource),
		marks: versioned.New[deployment](b, deploymentKey, resource), log: log, expected: expected}
	r.store.OnRead(r.observe)
	err := r.learn(ctx)
	var other *DeploymentError
	switch {
	case errors.Is(err, errFormat), errors.As(err, &other):
		return nil, err
	case err != nil && ctx.Err() != nil:
		return nil, fmt.Errorf("read the registry: %w", err)
	case err != nil:
		r.logFailure("the registry cannot be read; nothing is served until it can be or is repaired", err)
	}
	return r, nil
}

// learn reads the registry for the first time, and the mark of its deployment.
func (r *Registry) learn(ctx context.Context) error {
	// The registry is begun before the mark is written: read in this order, a
	// missing mark means that there was no registry either.
	found, unread := r.store.Read(ctx)
	mark, err := r.readMark(ctx)
	switch {
	case err != nil:
		return err
	case unread != nil:
		return unread
	case !found.Exists() && mark.Exists():
		return unreadable(errGone)
	case !found.Exists() && !r.expected.IsZero():
		return unreadable(&DeploymentError{Expected: r.expected})
	case !found.Exists():
		if found, err = r.begin(ctx); err != nil {
			return fmt.Errorf("begin the registry: %w", err)
		}
	}
	if err := r.checkDeployment(found.Value.Deployment); err != nil {
		return err
	}
	if !mark.Exists() && !found.Value.Deployment.IsZero() {
		if mark, err = r.writeMark(ctx, found.Value.Deployment); err != nil {
			return err
		}
	}
	if found.Value.Deployment != mark.Value.ID || mark.Value.ID.IsZero() {
		return unreadable(errForeign)
	}
	r.install(found)
	return nil
}

var (
	errGone      = errors.New("the registry is gone")
	errForeign   = errors.New("the registry is of another deployment")
	errBegunAnew = errors.New("the bucket is that of another deployment by now")
	errOlder     = errors.New("the registry is older than the one last read")
	errUnread    = errors.New("the registry was not read yet")
)

func unreadable(cause error) error {
	return problem.StorageIoError.New("resource", resource).Because(cause)
}

// readMark reads the mark of the deployment and remembers its id.
func (r *Registry) readMark(ctx context.Context) (versioned.Object[deployment], error) {
	mark, err := r.marks.Read(ctx)
	if err != nil {
		return mark, err
	}
	if mark.Value.Format > format.Bucket.Version {
		return mark, fmt.Errorf("%w: %d, not up to %d", errFormat, mark.Value.Format, format.Bucket.Version)
	}
	if err := r.checkDeployment(mark.Value.ID); err != nil {
		return mark, err
	}
	r.know(mark.Value.ID)
	return mark, nil
}

// DeploymentError reports that a bucket is not that of the deployment a node
// belongs to.
type DeploymentError struct {
	Expected ID
	Found    ID // zero: the bucket holds none
}

func (e *DeploymentError) Error() string {
	if e.Found.IsZero() {
		return fmt.Sprintf("the bucket holds no deployment, this node belongs to %s", e.Expected)
	}
	return fmt.Sprintf("the bucket holds deployment %s, this node belongs to %s", e.Found, e.Expected)
}

func (r *Registry) checkDeployment(found ID) error {
	if r.expected.IsZero() || found.IsZero() || found == r.expected {
		return nil
	}
	return unreadable(&DeploymentError{Expected: r.expected, Found: found})
}

// CheckDeployment fails with a DeploymentError when a bucket is not that of the
// expected deployment. It changes nothing.
func CheckDeployment(ctx context.Context, b bucket.Bucket, expected ID) error {
	mark, err := versioned.New[deployment](b, deploymentKey, resource).Read(ctx)
	if err != nil {
		return err
	}
	id := mark.Value.ID
	if id.IsZero() {
		held, err := versioned.New[state](b, objectKey, resource).Read(ctx)
		if err != nil {
			return err
		}
		id = held.Value.Deployment
	}
	if id == expected {
		return nil
	}
	return &DeploymentError{Expected: expected, Found: id}
}

// ClaimEmpty marks a bucket that holds no deployment as that of id. A bucket that
// is already marked stays as it is.
func ClaimEmpty(ctx context.Context, b bucket.Bucket, id ID) error {
	r := &Registry{marks: versioned.New[deployment](b, deploymentKey, resource)}
	_, err := r.mark(ctx, id)
	return err
}

// writeMark marks the bucket as that of a deployment, unless another node already
// did.
func (r *Registry) writeMark(ctx context.Context, id ID) (versioned.Object[deployment], error) {
	mark, err := r.mark(ctx, id)
	if err == nil {
		err = r.checkDeployment(mark.Value.ID)
	}
	if err != nil {
		return mark, fmt.Errorf("mark the deployment: %w", err)
	}
	r.know(mark.Value.ID)
	return mark, nil
}

func (r *Registry) mark(ctx context.Context, id ID) (versioned.Object[deployment], error) {
	return r.marks.Change(ctx, func(now versioned.Object[deployment]) (deployment, error) {
		if now.Exists() {
			return deployment{}, versioned.ErrUnchanged
		}
		return deployment{ID: id, Format: format.Bucket.Version, CreatedAt: time.Now().UTC()}, nil
	})
}

func (r *Registry) know(id ID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !id.IsZero() {
		r.deployment = id
	}
}

func (r *Registry) begin(ctx context.Context) (versioned.Object[state], error) {
	return r.store.Change(ctx, func(now versioned.Object[state]) (state, error) {
		if now.Exists() {
			return state{}, versioned.ErrUnchanged
		}
		return state{Deployment: NewID(), Indexes: map[string]*Index{}}, nil
	})
}

// Refresh reads the registry if it changed. When it disappeared, cannot be
// understood or was replaced, the copy stays in force (RG4).
func (r *Registry) Refresh(ctx context.Context) error {
	if !r.IsRead() {
		err := r.learn(ctx)
		if err != nil {
			r.logFailure("the registry still cannot be read; nothing is served", err)
		}
		return err
	}
	r.mu.RLock()
	held := r.held
	r.mu.RUnlock()
	found, changed, err := r.store.ReadUnless(ctx, held)
	switch {
	case err != nil || !changed:
	case !found.Exists():
		err = unreadable(errGone)
	case found.Value.Deployment != r.Deployment():
		err = unreadable(errForeign)
	case found.Version < held.Version:
		err = unreadable(errOlder)
	}
	if err != nil {
		r.logFailure("the registry cannot be read; the copy stays in force", err)
		if errors.Is(err, errGone) || errors.Is(err, versioned.ErrCorrupt) {
			r.guard(ctx)
		}
		return err
	}
	r.install(found)
	return nil
}

// guard marks a bucket that lost its registry as that of this deployment, so that
// no node that starts on it or repairs it begins another one (I22).
func (r *Registry) guard(ctx context.Context) {
	if _, err := r.mark(ctx, r.Deployment()); err != nil {
		r.log.Warn("cannot mark a bucket that has no registry", "error", err)
	}
}

// logFailure logs a failed read, once while it keeps failing the same way.
func (r *Registry) logFailure(what string, err error) {
	r.mu.Lock()
	told := r.failure == err.Error()
	r.failure = err.Error()
	r.mu.Unlock()
	if !told {
		r.log.Error(what, "error", err)
	}
}

// install takes over a state unless a newer one is held (RG2).
func (r *Registry) install(found versioned.Object[state]) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.readAt, r.failure = time.Now(), ""
	if found.Version <= r.held.Version {
		return
	}
	found.Value.settle()
	r.held = found
	if r.observed.Version <= found.Version {
		r.observed = versioned.Object[state]{}
	}
}

// observe keeps a registry that was read for a repair until it or a newer one is in
// force: the deployment of the bucket may not be known yet, or the repair may fail.
func (r *Registry) observe(found versioned.Object[state]) {
	of := found.Value.Deployment
	if of.IsZero() || r.checkDeployment(of) != nil {
		return
	}
	found.Value.settle() // nothing changes it from here on
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.deployment.IsZero() && of != r.deployment {
		return
	}
	isSame := of == r.observed.Value.Deployment
	if found.Version > r.held.Version && (!isSame || found.Version > r.observed.Version) {
		r.observed = found
	}
}

// Deployment returns the id of the deployment, or the zero id while it is unknown.
func (r *Registry) Deployment() ID {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.deployment
}

// IsRead reports whether a registry was ever read.
func (r *Registry) IsRead() bool { return r.Version() > 0 }

// Age returns the time since the registry was last read.
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

// Check returns storage:io_error while no registry was read, because it is then
// unknown what exists.
func (r *Registry) Check() error {
	if r.IsRead() {
		return nil
	}
	return unreadable(errUnread)
}

// Entry is what a name resolves to.
type Entry struct {
	Name       Name // with the generation
	Index      ID
	Generation ID
	Live       bool
}

// Resolve finds the generation that a name answers from. It returns index:not_found
// when there is none, index:no_live_generation for a bare name without a live
// generation, and storage:io_error while no registry was read.
func (r *Registry) Resolve(name Name) (Entry, error) {
	if err := r.Check(); err != nil {
		return Entry{}, err
	}
	return r.state().resolve(name)
}

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

// Find returns what is known of the index of a name, whatever generation the name
// carries. The result must not be changed.
func (r *Registry) Find(name Name) (*Index, error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	return r.state().find(name)
}

// Listed is an index with its name.
type Listed struct {
	Name string
	*Index
}

// List returns every index, ordered by name, or none while no registry was read,
// which Check reports. The indexes must not be changed.
func (r *Registry) List() []Listed { return r.state().list() }

// ListStored returns every index in the bytes of a stored registry, ordered by
// name.
func ListStored(content []byte) ([]Listed, error) {
	s, err := versioned.Decode[state](content)
	if err != nil {
		return nil, err
	}
	s.settle()
	return s.list(), nil
}

func (s state) list() []Listed {
	all := make([]Listed, 0, len(s.Indexes))
	for _, name := range slices.Sorted(maps.Keys(s.Indexes)) {
		all = append(all, Listed{name, s.Indexes[name]})
	}
	return all
}

// Removed returns the generations that were removed and may still have data.
func (r *Registry) Removed() []Removed { return slices.Clone(r.state().Removed) }

// Known returns the ids of the indexes and generations that are listed, or were
// removed and may still have data.
func (r *Registry) Known() map[ID]bool {
	s := r.state()
	known := make(map[ID]bool)
	for _, index := range s.Indexes {
		known[index.ID] = true
		for _, g := range index.Generations {
			known[g.ID] = true
		}
	}
	for _, removed := range s.Removed {
		known[removed.IndexID], known[removed.GenerationID] = true, true
	}
	return known
}

// Gone returns the generations that a client removed according to the registry,
// including those whose data is gone, up to a bound.
func (r *Registry) Gone() map[ID]bool {
	s := r.state()
	gone := make(map[ID]bool, len(s.Removed)+len(s.Forgotten))
	for _, removed := range s.Removed {
		gone[removed.GenerationID] = true
	}
	for _, id := range s.Forgotten {
		gone[id] = true
	}
	return gone
}

// Remember gives a registry what an earlier run of this node last read: a version
// of the registry of a deployment. Only a repair uses it, to keep entries that it
// would otherwise not list, and to leave out what a client removed when the mark
// could not be written.
func (r *Registry) Remember(of ID, version uint64, indexes map[string]*Index, removed []Removed) {
	s := state{Deployment: of, Indexes: indexes, Removed: removed}
	s = s.clone()
	s.settle()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.remembered = versioned.Object[state]{Value: s, Version: version}
}

// lastKnown returns the newest registry of this node's deployment that it read, in
// this run or an earlier one, or the zero Object when it read none. It must not be
// changed.
func (r *Registry) lastKnown() versioned.Object[state] {
	r.mu.RLock()
	defer r.mu.RUnlock()
	newest := r.held
	for _, one := range []versioned.Object[state]{r.observed, r.remembered} {
		if one.Version > newest.Version && one.Value.Deployment == r.own() {
			newest = one
		}
	}
	return newest
}

// own returns the deployment of this node: that of the bucket, or of the directory
// if the bucket was not read, or else of the registry that was read. It is zero
// when none is known. The caller must hold mu.
func (r *Registry) own() ID {
	for _, id := range []ID{r.deployment, r.expected} {
		if !id.IsZero() {
			return id
		}
	}
	return r.observed.Value.Deployment
}

// Version returns the version of the copy.
func (r *Registry) Version() uint64 {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.held.Version
}
