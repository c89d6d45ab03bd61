package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/generations"
	"github.com/quiresearch/quire/internal/ownership"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/settingstore"
	"github.com/quiresearch/quire/internal/turn"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

// Object says how a node of object mode shares its bucket.
type Object struct {
	Member           *ownership.Member
	RemovalGrace     time.Duration // deleted data can be restored for so long
	SweepInterval    time.Duration // between searches for objects to delete
	VerifyInterval   time.Duration // copies are compared at the latest after it
	SettingsInterval time.Duration // between reads of the search settings
	PullConcurrency  int
	PreloadIdleLimit int           // above so many indexes only those that were being written are opened on takeover
	FinishInterval   time.Duration // between looks for logs that nobody finishes
	Budget           generations.Budget
	BudgetInterval   time.Duration // between looks at the space of copies
}

const (
	// objectGrace is how long objects stay that no manifest names.
	objectGrace  = time.Hour
	hintInterval = 5 * time.Second
	pullInterval = 250 * time.Millisecond // between pulls of a read that waits
	longestPause = 2 * time.Second        // between looks of a read whether the bucket is back
)

// object is what only a node of object mode has.
type object struct {
	Object
	fs vfs.FS

	begin   func()          // takes over what is held, once the registry was read
	life    context.Context // of everything that is running
	stop    context.CancelFunc
	running sync.WaitGroup

	looking  turn.Lock // held by the one look under way; comes before mu
	lookEnds time.Time // when the next look may begin; of who holds looking

	mu        sync.Mutex
	nextLook  *look                  // what those wait for who ask now; nil: nobody asked yet
	hinted    map[registry.ID]uint64 // manifest versions told last
	lookedAt  time.Time              // the last look for an unknown name
	seen      *seen                  // the registry last compared with; nil: not read from the disk yet
	unfenced  map[registry.ID]bool   // removed generations whose writer is still to be fenced
	isStopped bool
}

// joinDeployment starts the part of this node in the leadership.
func (n *Node) joinDeployment(ctx context.Context, storage Storage) {
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	o := &object{Object: *storage.Object, fs: storage.FS, life: running, stop: stop, hinted: make(map[registry.ID]uint64),
		unfenced: make(map[registry.ID]bool)}
	n.object = o
	o.Member.OnChange(func(gained, lost []registry.ID) {
		for _, index := range lost {
			n.jobs.Lost(index)
		}
		o.mu.Lock()
		defer o.mu.Unlock()
		if !o.isStopped {
			o.running.Go(func() { n.ownershipChanged(running, gained, lost) })
		}
	})
	o.Member.OnHandover(n.handOver)
	o.Member.ReadyWhen(n.IsReady)
	o.Member.RoomWhen(n.canStore)
	o.running.Go(func() { o.Member.Run(running) })
	o.begin = func() {
		if held := o.Member.Held(); len(held) > 0 {
			o.running.Go(func() { n.ownershipChanged(running, held, nil) })
		}
	}
}

// beginShared takes over what this node writes already and drops the local
// copies that are no longer listed.
func (n *Node) beginShared() {
	if n.object == nil {
		return
	}
	n.object.begin()
	n.dropUnlisted()
}

// leaveDeployment gives up everything this node writes. Generations are closed
// by now. With a log that is not finished the session lapses instead, so that
// another node takes the claims over and finishes it: what nobody holds waits for
// a write.
func (n *Node) leaveDeployment(ctx context.Context) error {
	if n.object == nil {
		return nil
	}
	n.tellHints(ctx)
	n.object.mu.Lock()
	n.object.isStopped = true
	n.object.mu.Unlock()
	n.object.stop()
	n.object.running.Wait()
	if n.generations.IsUnfinished() {
		n.log.Warn("a log is not finished; what this node writes is left to lapse")
		return nil
	}
	return n.object.Member.Leave(ctx)
}

const (
	awayCheck = 5 * time.Second // between looks whether the bucket answers, and for one answer
	awayLimit = 2               // looks that fail before last commits are given up
)

// hurryWithout calls last commits off when the bucket does not answer: what was
// acknowledged is in its log. The channel is closed when the watch is over, which the
// end of ctx ends.
func (n *Node) hurryWithout(ctx context.Context, hurry context.CancelFunc) <-chan struct{} {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		failures := 0
		for n.object != nil && failures < awayLimit {
			timer := time.NewTimer(awayCheck)
			select {
			case <-ctx.Done():
				timer.Stop()
				return
			case <-timer.C:
			}
			looking, cancel := context.WithTimeout(ctx, awayCheck)
			err := n.registry.Refresh(looking)
			cancel()
			if failures++; err == nil || !isAway(err) {
				failures = 0
			}
		}
		if n.object != nil && ctx.Err() == nil {
			n.log.Warn("the bucket does not answer; indexes are closed without a last commit")
			hurry()
		}
	}()
	return ended
}

// isAway reports whether something failed because the bucket did not answer.
func isAway(err error) bool {
	return errors.Is(err, bucket.ErrUnknown) || errors.Is(err, context.DeadlineExceeded)
}

// Drain makes the node refuse new writes with index:readonly; those under way
// finish. It does nothing in local mode.
func (n *Node) Drain() {
	if n.object != nil {
		n.object.Member.Drain()
	}
}

// handOverWait bounds the commits of an index that goes to another node.
const handOverWait = 30 * time.Second

// handOver drains an index that goes to another node: writes are refused by
// now, those under way end, and one commit is tried so that the other node has
// little to replay.
func (n *Node) handOver(ctx context.Context, index registry.ID) {
	waiting, cancel := context.WithTimeout(ctx, handOverWait)
	defer cancel()
	// A write holds the lock of the index until the generation took it.
	moves := n.generations.Moves(index)
	moves.Lock()
	//lint:ignore SA2001 to have waited for the lock is all that is wanted
	moves.Unlock()
	for _, g := range n.generations.Open() {
		if g.Entry.Index == index && !g.IsCopy() {
			if _, err := g.Generation.Commit(waiting, engine.Explicit); err != nil {
				n.log.Warn("an index is handed over without a last commit", "index", g.Entry.Name.Index, "error", err)
			}
		}
		g.Release()
	}
}

// taken makes this node know what its predecessor left of the index whose
// generation it begins to write: it reads the registry again and calls off a
// promotion that the other node announced and may still try.
func (n *Node) taken(ctx context.Context, entry registry.Entry) error {
	if err := n.registry.Refresh(ctx); err != nil {
		return err
	}
	index, err := n.registry.Find(entry.Name)
	if err != nil || index.ID != entry.Index || index.Intent == nil {
		return nil // an index that is gone is found out by who asks for it
	}
	return n.registry.CallOff(ctx, entry, index.Intent.Job)
}

// claim makes this node the one that writes an index.
func (n *Node) claim(ctx context.Context, index registry.ID) error {
	if n.object == nil {
		return nil
	}
	return n.object.Member.Claim(ctx, index)
}

// owned returns how many of all indexes this node writes.
func (n *Node) owned(all int) int {
	if n.object == nil {
		return all
	}
	return len(n.object.Member.Held())
}

// WriterAddress returns where writes of an index go: scheme://host:port of
// another node, or an empty text when this one serves them. A candidate claims
// an index that nobody writes.
func (n *Node) WriterAddress(ctx context.Context, text string, creates bool) (string, error) {
	if n.object == nil {
		return "", nil
	}
	m := n.object.Member
	if m.IsDraining() {
		return "", problem.IndexReadonly.New()
	}
	name, err := registry.ParseName(text)
	if err != nil {
		return "", nil // the endpoint says what is wrong with it
	}
	if err := n.ready(ctx); err != nil {
		return "", err
	}
	bare := registry.Name{Index: name.Index}
	if _, err = n.registry.Resolve(name); creates && errors.Is(err, problem.IndexNotFound) {
		// Another node may have created it: then it is that one's to replace.
		if err := n.look(ctx); err != nil {
			n.log.Warn("the registry cannot be read before a creation", "error", err)
		}
		_, err = n.registry.Resolve(bare)
	} else {
		_, err = n.resolve(ctx, bare)
	}
	if errors.Is(err, problem.IndexNotFound) {
		if !creates || name.HasGeneration() || m.IsCandidate() {
			return "", nil
		}
		return n.reachable(m.Writer(ctx, registry.ID{}, name.Index))
	}
	index, err := n.registry.Find(name)
	if err != nil {
		return "", nil
	}
	if m.Holds(index.ID) {
		return "", nil
	}
	if m.IsCandidate() {
		err := m.Claim(ctx, index.ID)
		if err == nil {
			return "", n.jobs.TakeOver(ctx, index.ID)
		}
		if !errors.Is(err, problem.IndexerUnavailable) {
			return "", err
		}
	}
	return n.reachable(m.Writer(ctx, index.ID, name.Index))
}

func (n *Node) reachable(address string, err error) (string, error) {
	if err == nil && address == "" {
		err = problem.IndexerUnavailable.New()
	}
	return address, err
}

// Indexers returns which node writes which index.
func (n *Node) Indexers(ctx context.Context) (ownership.Table, error) {
	if n.object == nil {
		return ownership.Local{}.Table(ctx)
	}
	if err := n.ready(ctx); err != nil {
		return ownership.Table{}, err // claims are told by the names of indexes
	}
	return n.object.Member.Table(ctx, n.registry.Lists)
}

// describeWriter tells which node writes an index.
func (n *Node) describeWriter(ctx context.Context, index registry.ID, status *Status) {
	if n.object == nil {
		return
	}
	status.ReadOnly = !n.object.Member.Holds(index)
	if holder, ok, err := n.object.Member.Holder(ctx, index); err == nil && ok {
		status.Indexer = &holder
	}
}

// resolve finds the generation a name answers from. In object mode a name that
// is not known is looked up in the bucket once, at most once per refresh
// interval.
func (n *Node) resolve(ctx context.Context, name registry.Name) (registry.Entry, error) {
	if err := n.ready(ctx); err != nil {
		return registry.Entry{}, err
	}
	entry, err := n.registry.Resolve(name)
	if n.object == nil || !errors.Is(err, problem.IndexNotFound) {
		return entry, err
	}
	n.object.mu.Lock()
	due := time.Since(n.object.lookedAt) >= n.options.RefreshInterval
	if due {
		n.object.lookedAt = time.Now()
	}
	n.object.mu.Unlock()
	if !due || n.registry.Refresh(ctx) != nil {
		return entry, err
	}
	return n.registry.Resolve(name)
}

// acquire returns the open generation that a name answers from. The caller
// releases it.
func (n *Node) acquire(ctx context.Context, name registry.Name) (*generations.Generation, error) {
	entry, err := n.resolve(ctx, name)
	if err != nil {
		return nil, err
	}
	return n.generations.Acquire(ctx, entry)
}

// awaitShared brings a copy to a commit: by pulls while another node writes the
// index, which is asked to commit, or by opening it to write when nobody does. It
// returns the generation to go on with.
func (n *Node) awaitShared(ctx context.Context, g *generations.Generation, sequence uint64, ask Ask) (*generations.Generation, error) {
	if !g.IsCopy() || sequence <= g.Sequence() {
		return g, nil
	}
	waiting, cancel := context.WithTimeout(ctx, max(n.options.FreshnessWait, time.Second))
	defer cancel()
	// Reads that share a pull do not ask again at the same instant.
	interval := pullInterval + time.Duration(time.Now().UnixNano())%(pullInterval/8)
	for isAsked := ask == nil; ; {
		err := n.generations.Pull(waiting, g)
		if sequence <= g.Sequence() {
			return g, nil
		}
		m := n.object.Member
		holder, held, unknown := m.Holder(waiting, g.Entry.Index)
		isOurs := unknown == nil && m.IsCandidate() && (!held || m.Holds(g.Entry.Index))
		if isOurs {
			if writer, err := n.generations.AcquireFor(waiting, g.Entry, generations.ForRequest); err == nil {
				g.Release()
				return writer, nil
			}
		}
		if !isAsked && unknown == nil && held && holder.Address != "" && !isOurs {
			isAsked = true
			if failed := ask(waiting, holder.Address, token(g.Entry, sequence, 0)); failed == nil {
				continue // its commit is stored
			} else {
				n.log.Debug("the node that writes an index was not brought to a state", "index", g.Entry.Name.Index, "error", failed)
			}
		}
		if n.options.FreshnessWait <= 0 {
			return g, n.unavailable(err)
		}
		timer := time.NewTimer(interval)
		select {
		case <-waiting.Done():
			timer.Stop()
			return g, n.unavailable(errors.Join(err, waiting.Err()))
		case <-timer.C:
		}
	}
}

// runObject tells hints, finishes logs, refreshes settings and sweeps until ctx ends. None of
// them waits for another.
func (n *Node) runObject(ctx context.Context) {
	if n.object == nil {
		return
	}
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() { n.generations.KeepBudget(ctx, n.object.Budget, n.object.BudgetInterval) })
	running.Go(func() { every(ctx, hintInterval, n.tellHints) })
	running.Go(func() { every(ctx, hintInterval, n.fenceRemoved) })
	running.Go(func() { every(ctx, orDefault(n.object.FinishInterval, 2*time.Second), n.finishLogs) })
	running.Go(func() { every(ctx, orDefault(n.object.SettingsInterval, 10*time.Second), n.refreshSettings) })
	running.Go(func() { every(ctx, orDefault(n.object.SweepInterval, 10*time.Minute), n.sweep) })
}

// every does something at an interval until ctx ends.
func every(ctx context.Context, interval time.Duration, do func(context.Context)) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			do(ctx)
		}
	}
}

func orDefault(d, otherwise time.Duration) time.Duration {
	if d <= 0 {
		return otherwise
	}
	return d
}

// refreshSettings reads the registry, whose hints say which settings are to be
// read again. When it cannot be read all of them are asked for at the latest
// after the verify interval.
func (n *Node) refreshSettings(ctx context.Context) {
	_ = n.registry.Refresh(ctx) // a failure is logged by the registry
	n.settings.Refresh(ctx, func(index registry.ID) settingstore.Hint {
		_, listed := n.registry.Lists(index)
		revision, _ := n.registry.HintedSettings(index)
		return settingstore.Hint{Listed: listed, Revision: revision}
	}, orDefault(n.object.VerifyInterval, 10*time.Minute))
}

// tellHints folds what changed since the last time into the registry: the
// manifests of what is written here, and the settings. Hints are advisory: one
// that fails is told again later.
func (n *Node) tellHints(ctx context.Context) {
	versions, revisions := n.generations.Versions(), n.settings.Revisions()
	n.object.mu.Lock()
	for generation, version := range versions {
		if n.object.hinted[generation] == version {
			delete(versions, generation)
		}
	}
	for index, revision := range revisions {
		if told, _ := n.registry.HintedSettings(index); told >= revision || !n.object.Member.Holds(index) {
			delete(revisions, index)
		}
	}
	n.object.mu.Unlock()
	if len(versions)+len(revisions) == 0 {
		return
	}
	if err := n.registry.Hint(ctx, versions, revisions); err != nil {
		n.log.Debug("hints were not told", "error", err)
		return
	}
	n.object.mu.Lock()
	defer n.object.mu.Unlock()
	for generation, version := range versions {
		n.object.hinted[generation] = version
	}
}

// renew brings copies up to date and drops those that are no longer listed.
func (n *Node) renew(ctx context.Context) {
	if n.object == nil || !n.registry.IsRead() {
		return // nothing is given up because it is not known
	}
	n.object.Member.Prune(func(index registry.ID) bool {
		_, listed := n.registry.Lists(index)
		return listed
	})
	n.dropUnlisted()
	n.generations.Renew(ctx, n.registry.Hinted, orDefault(n.object.VerifyInterval, 10*time.Minute), n.object.PullConcurrency)
}

// replaceFile writes a small file in one step.
func replaceFile(fs vfs.FS, name string, content []byte) error {
	temporary := name + ".new"
	if err := fs.Remove(temporary); err != nil && !errors.Is(err, vfs.ErrNotExist) {
		return err
	}
	file, err := fs.Create(temporary)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, io.Closer(file).Close()); err != nil {
		return err
	}
	if err := fs.Rename(temporary, name); err != nil {
		return err
	}
	return fs.SyncDir(".")
}

// hasCopy reports whether a generation is worth opening at the start: in object
// mode only one that has a local copy.
func (n *Node) hasCopy(generation registry.ID) bool {
	if n.object == nil {
		return true
	}
	local, err := n.generations.Local()
	return err == nil && slices.Contains(local, generation)
}

// sweep deletes objects of what this node writes that nothing names any more,
// and the data of removed generations whose grace is over.
func (n *Node) sweep(ctx context.Context) {
	if !n.object.Member.IsCandidate() {
		return
	}
	n.generations.Heal(ctx)
	n.generations.Sweep(ctx)
	expired, err := n.registry.Expired(ctx, n.object.RemovalGrace)
	if err != nil {
		n.log.Error("removed generations cannot be looked for", "error", err)
		return
	}
	for _, one := range expired {
		if ctx.Err() != nil {
			return
		}
		if err := n.eraseShared(ctx, one); err != nil {
			n.log.Error("the data of a removed generation cannot be deleted", "generation", one.GenerationID, "error", err)
		}
	}
}

// eraseShared deletes what the bucket holds of a removed generation. The
// registry is read again before: what was restored stays.
func (n *Node) eraseShared(ctx context.Context, one registry.Removed) error {
	err := n.registry.BeginErase(ctx, one)
	if errors.Is(err, registry.ErrListed) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := n.generations.Remove(ctx, one.GenerationID); err != nil {
		return err
	}
	if err := n.generations.EraseRemote(ctx, one.GenerationID); err != nil {
		return err
	}
	if _, listed := n.registry.Lists(one.IndexID); !listed {
		if err := n.deleteShared(ctx, one.IndexID); err != nil {
			return fmt.Errorf("settings, judgements and job of %s: %w", one.Index, err)
		}
	}
	return n.registry.Forget(ctx, []registry.Removed{one})
}
