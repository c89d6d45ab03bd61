package node

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/quiresearch/quire/internal/generations"
	"github.com/quiresearch/quire/internal/lifetime"
	"github.com/quiresearch/quire/internal/ownership"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/turn"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

// Object says how a node of object mode shares its bucket.
type Object struct {
	Member           *ownership.Member
	RemovalGrace     time.Duration // deleted data can be restored for this long
	SweepInterval    time.Duration // between searches for objects to delete
	VerifyInterval   time.Duration // the longest time between two comparisons of a copy
	SettingsInterval time.Duration // between reads of the search settings
	PullConcurrency  int
	PreloadIdleLimit int           // with more indexes than this, a takeover opens only those that were being written
	FinishInterval   time.Duration // between searches for logs that no node finishes
	Budget           generations.Budget
	BudgetInterval   time.Duration // between checks of the space of copies
}

const (
	// objectGrace is how long objects that no manifest names are kept.
	objectGrace  = time.Hour
	hintInterval = 5 * time.Second
	pullInterval = 250 * time.Millisecond // between pulls of a read that waits
	longestPause = 2 * time.Second        // between checks, by a waiting read, whether the bucket is back
)

// shared is one of several nodes on one bucket: it takes part in deciding which
// node writes which index (join.go, handover.go, writers.go), learns what the
// others did (refresh.go, await.go, hints.go, seen.go), deletes what is no longer
// needed (sweep.go) and restores what the bucket lost (repair.go).
type shared struct {
	node *Node
	Object
	fs vfs.FS

	life    *lifetime.Lifetime // of everything that is running
	running sync.WaitGroup

	refreshing  turn.Lock // held by the one refresh under way; comes before mu
	refreshFrom time.Time // when the next one may begin; guarded by refreshing

	mu          sync.Mutex
	nextRefresh *refresh             // the refresh that present callers wait for; nil: none waits
	named       *refresh             // the last refresh for an unknown name
	namedAt     time.Time            // when it began
	seen        *seen                // the registry last compared with; nil: not read from the disk yet
	isUnnoted   bool                 // seen could not be saved to disk
	unfenced    map[registry.ID]bool // removed generations whose writer is still to be fenced
	isStopped   bool
}

func newShared(n *Node, storage Storage) *shared {
	return &shared{node: n, Object: *storage.Object, fs: storage.FS, life: lifetime.New(), unfenced: make(map[registry.ID]bool)}
}

// belongs returns the deployment that the directory of this node belongs to, or the
// zero id when that is not known.
func (s *shared) belongs() registry.ID {
	id, err := Deployment(s.fs)
	if err != nil {
		s.node.log.Error("cannot read the deployment of the directory", "error", err)
	}
	return id
}

// remote returns how the generations of this node are kept in the bucket.
func (s *shared) remote() *generations.Remote {
	return &generations.Remote{Bucket: s.node.bucket, Grace: objectGrace, Claims: s.Member, HalfLife: s.Budget.HalfLife,
		Taken: s.taken, Exists: s.exists, Age: func() time.Duration { return s.node.registry.Age() }, Newest: s.newestManifest}
}

// newestManifest returns the highest manifest version that nodes were told of.
func (s *shared) newestManifest(generation registry.ID) uint64 {
	version, _ := s.node.registry.Hinted(generation)
	return version
}

// run shares hints, finishes logs, refreshes settings and sweeps until ctx ends. No
// task waits for another.
func (s *shared) run(ctx context.Context) {
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() { s.node.generations.KeepBudget(ctx, s.Budget, s.BudgetInterval) })
	running.Go(func() { every(ctx, hintInterval, s.shareHints) })
	running.Go(func() { every(ctx, hintInterval, s.fenceRemoved) })
	running.Go(func() { every(ctx, orDefault(s.FinishInterval, 2*time.Second), s.finishLogs) })
	running.Go(func() { every(ctx, orDefault(s.SettingsInterval, 10*time.Second), s.refreshSettings) })
	running.Go(func() { every(ctx, orDefault(s.SweepInterval, 10*time.Minute), s.sweep) })
}

// hasFiles reports whether there is a local copy. Only those are worth opening at
// the start.
func (s *shared) hasFiles(generation registry.ID) bool {
	local, err := s.node.generations.Local()
	return err == nil && slices.Contains(local, generation)
}

func (s *shared) unopenedState() string { return generations.NeedsPull }

// commit commits what is pending. It begins nothing while the bucket is away; if
// the bucket goes away during the commit, the outcome stays open.
func (s *shared) commit(ctx context.Context, g *generations.Generation) error {
	waiting, cancel := context.WithTimeout(ctx, commitWait)
	var watching sync.WaitGroup
	defer func() { cancel(); watching.Wait() }()
	if err := prove(waiting, g); err != nil {
		return err
	}
	if g.Pending().Changes > 0 {
		watching.Go(func() {
			every(waiting, proveLimit, func(context.Context) {
				if prove(waiting, g) != nil {
					cancel()
				}
			})
		})
	}
	return commitNow(waiting, g)
}

// promote announces the promotion before making it, so that a node that takes the
// index over meanwhile calls it off, and a node that lost the index acknowledges
// nothing there.
func (s *shared) promote(ctx context.Context, live, entry registry.Entry) error {
	source, err := s.node.generations.Acquire(ctx, live)
	if err != nil {
		return err
	}
	defer source.Release()
	intent := registry.Intent{Job: registry.NewID().String(), Target: entry.Name.Generation}
	if err := s.node.registry.Announce(ctx, live, entry, intent); err != nil {
		return err
	}
	if err := source.Prove(ctx); err != nil {
		return errors.Join(err, s.node.registry.CallOff(ctx, entry, intent.Job))
	}
	err = s.node.registry.PromoteAnnounced(ctx, live, entry, intent)
	if errors.Is(err, problem.StorageUnknown) {
		s.node.generations.Unsettle(entry.Index, func(ctx context.Context) error { return s.node.registry.CallOff(ctx, entry, intent.Job) })
	}
	return err
}
