package node

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/freshness"
	"github.com/quiresearch/quire/internal/generations"
	"github.com/quiresearch/quire/internal/judgementstore"
	"github.com/quiresearch/quire/internal/metrics"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/reindex"
	"github.com/quiresearch/quire/internal/searchcount"
	"github.com/quiresearch/quire/internal/settingstore"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/query"
)

// Storage is where a node keeps everything.
type Storage struct {
	Bucket    bucket.Bucket // registry, settings and jobs
	FS        vfs.FS        // files of generations
	Directory string        // of generations, inside FS; empty: "generations"
	// Object says how the bucket is shared. It is nil in local mode, where the
	// files are the only copy.
	Object *Object
}

// Options configure a node. The zero value works.
type Options struct {
	NodeID          string // as job records show it
	RefreshInterval time.Duration
	FreshnessWait   time.Duration // how long a read waits for a state; 0: one commit, no wait
	MaxOpen         int           // generations open at once; 0: no bound
	CloseGrace      time.Duration // how long a generation stays usable beyond MaxOpen
	SampleInterval  time.Duration // between rebuilds of the gauges of indexes; 0: 30 s
	Preload         int           // live generations opened at the start, most used first
	Engine          engine.Options
	Capabilities    definition.Capabilities
	Reindex         reindex.Options
	Search          Search       // answers the searches of evaluations
	Limits          query.Limits // of searches in judgement sets; zero: the defaults
	CountSearches   bool         // if the settings of an index ask for it
	EvaluationShare float64      // of one processor that evaluations may take; 0: all of it
}

const (
	defaultRefreshInterval = 30 * time.Second
	defaultDirectory       = "generations"
	defaultSampleInterval  = 30 * time.Second
	stateInterval          = 2 * time.Second // between samples of the node's own gauges
)

// Node serves the indexes of a deployment on one machine.
type Node struct {
	bucket      bucket.Bucket
	registry    *registry.Registry
	generations *generations.Set
	settings    *settingstore.Store
	judgements  *judgementstore.Store
	evaluations *evaluations
	searches    *searchcount.Counts
	jobs        *reindex.Jobs
	deployment  deployment
	usage       *usage
	disk        disk
	changed     atomic.Pointer[func(registry.Entry)]
	begun       beginning
	refreshing  atomic.Bool
	options     Options
	metrics     *metrics.Set
	log         *slog.Logger
}

// Open reads the registry and finishes what a crash interrupted. If the registry
// cannot be read, the node does both later and answers storage:io_error until then.
// meters may be nil.
func Open(ctx context.Context, storage Storage, options Options, meters *metrics.Set, log *slog.Logger) (*Node, error) {
	if options.RefreshInterval <= 0 {
		options.RefreshInterval = defaultRefreshInterval
	}
	if storage.Directory == "" {
		storage.Directory = defaultDirectory
	}
	options.Engine.Metrics, options.Engine.Logger = meters, log
	options.Engine.Capabilities = options.Capabilities
	if options.SampleInterval <= 0 {
		options.SampleInterval = defaultSampleInterval
	}
	if options.Limits == (query.Limits{}) {
		options.Limits = query.DefaultLimits()
	}
	n := &Node{
		judgements: judgementstore.New(storage.Bucket, options.Limits), evaluations: newEvaluations(), searches: searchcount.New(storage.Bucket),
		usage: readUsage(storage.FS), bucket: storage.Bucket, settings: settingstore.New(storage.Bucket),
		options: options, metrics: meters, log: log, begun: beginning{done: make(chan struct{})},
	}
	n.disk.files, n.disk.minFree = storage.FS, options.Engine.MinFree
	n.sampleDisk(ctx)
	n.deployment = local{n}
	var belongs registry.ID
	var remote *generations.Remote
	if o := storage.Object; o != nil {
		s := newShared(n, storage)
		n.deployment, belongs, remote = s, s.belongs(), s.remote()
		options.Reindex.Holds, options.Reindex.Claim = o.Member.Holds, o.Member.Claim
	}
	known, err := registry.OpenOf(ctx, storage.Bucket, belongs, log)
	if err != nil {
		return nil, err
	}
	n.registry = known
	n.generations = generations.New(storage.FS, storage.Directory, generations.Options{
		MaxOpen: options.MaxOpen, CloseGrace: options.CloseGrace, Engine: options.Engine, Metrics: meters, Log: log,
		Remote: remote, Changed: n.noteChanged, Listed: n.isListed})
	options.Reindex.Verify = n.verifyJob
	n.jobs = reindex.New(storage.Bucket, known, n.generations, options.NodeID, options.Reindex, log)
	n.deployment.join()
	if n.registry.IsRead() {
		if err := n.begin(ctx); err != nil {
			log.Error("cannot finish what a crash interrupted yet", "error", err)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, errors.Join(err, n.Close(context.WithoutCancel(ctx)))
	}
	return n, nil
}

// Run refreshes the registry, runs reindex jobs and samples the gauges until ctx
// ends. refreshed is called after every pass and may be nil.
func (n *Node) Run(ctx context.Context, refreshed func()) error {
	jobs := make(chan error, 1)
	go func() { jobs <- n.jobs.Run(ctx) }()
	var running sync.WaitGroup
	running.Go(func() { n.awaitBegin(ctx, refreshed) })
	running.Go(func() { n.deployment.run(ctx) })
	n.sampleState(ctx)
	n.sample()
	running.Go(func() { every(ctx, stateInterval, n.sampleState) })
	running.Go(func() { every(ctx, flushInterval, n.flushSearches) })
	running.Go(func() { every(ctx, stateInterval, n.sampleDisk) })
	running.Go(func() { every(ctx, n.options.SampleInterval, func(context.Context) { n.sample() }) })
	every(ctx, n.options.RefreshInterval, func(ctx context.Context) {
		n.refreshing.Store(true)
		defer n.refreshing.Store(false)
		// The registry logs a failed pass; it still counts as alive.
		_ = n.registry.Refresh(ctx)
		n.deployment.renew(ctx)
		if n.registry.IsRead() {
			n.generations.Forget(n.registry.Known())
		}
		if refreshed != nil {
			refreshed()
		}
	})
	running.Wait()
	return <-jobs
}

// IsRefreshing reports whether a pass of Run is under way. A pass that fetches much
// takes long.
func (n *Node) IsRefreshing() bool { return n.refreshing.Load() }

// Preload opens live generations, most used first, so that first requests do not
// wait. It begins once the registry was read.
func (n *Node) Preload(ctx context.Context) {
	select {
	case <-n.begun.done:
	case <-ctx.Done():
		return
	}
	left := n.options.Preload
	if n.options.MaxOpen > 0 {
		left = min(left, n.options.MaxOpen)
	}
	var live []registry.Entry
	for _, index := range n.registry.List() {
		if entry, err := n.registry.Resolve(registry.Name{Index: index.Name}); err == nil && n.deployment.hasFiles(entry.Generation) {
			live = append(live, entry)
		}
	}
	for _, entry := range n.usage.most(live) {
		if left == 0 || ctx.Err() != nil {
			return
		}
		g, err := n.generations.AcquireToReadFor(ctx, entry, generations.ForPreload)
		if err != nil {
			continue
		}
		g.Release()
		left--
	}
}

// Close stops jobs and closes every generation.
func (n *Node) Close(ctx context.Context) error {
	n.evaluations.close()
	n.flushSearches(ctx)
	n.jobs.Stop(ctx)
	if err := n.usage.save(); err != nil {
		n.log.Warn("cannot save the use of indexes", "error", err)
	}
	closing, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := n.deployment.watchClose(closing, cancel)
	failed := n.generations.Close(closing)
	cancel()
	<-ended
	return errors.Join(failed, n.deployment.leave(ctx))
}

// sampleState sets the gauges of the node as a whole.
func (n *Node) sampleState(ctx context.Context) {
	if n.metrics == nil {
		return
	}
	total := len(n.registry.List())
	n.metrics.IndexesOpen(n.generations.Len())
	n.metrics.IndexesOwned(n.deployment.owned(total))
	n.metrics.IndexesTotal(total)
	n.metrics.RegistryRefreshAge(n.registry.Age())
	n.metrics.Reindexes(n.jobs.CountByPhase(ctx))
}

// sample counts the use of generations and rebuilds the gauges of indexes.
func (n *Node) sample() {
	open := n.generations.Open()
	samples := make([]metrics.IndexSample, 0, len(open))
	var disk int64
	for _, g := range open {
		if g.UsedSince(n.options.SampleInterval) {
			n.usage.note(g.Entry.Generation)
		}
		status := g.Status()
		disk += status.Bytes
		samples = append(samples, metrics.IndexSample{
			Index: g.Entry.Name.Index, Generation: g.Entry.Name.Generation, State: strings.ToUpper(g.State()),
			Writer: !g.IsCopy(), Documents: status.Documents, PendingChanges: status.Pending,
			PendingAge: status.PendingAge, DiskBytes: status.Bytes,
		})
		g.Release()
	}
	for _, entry := range n.generations.Unopened() {
		samples = append(samples, metrics.IndexSample{Index: entry.Name.Index, Generation: entry.Name.Generation,
			State: strings.ToUpper(n.deployment.unopenedState())})
	}
	n.metrics.Indexes(samples)
	n.metrics.DiskUsed(disk)
	if err := n.usage.save(); err != nil {
		n.log.Warn("cannot save the use of indexes", "error", err)
	}
}

// Drain makes the node refuse new writes with index:readonly; those under way
// finish. It does nothing in local mode.
func (n *Node) Drain() { n.deployment.drain() }

// OnChange sets the function that runs when a generation has a new snapshot or its
// index new settings. It must not block.
func (n *Node) OnChange(do func(registry.Entry)) { n.changed.Store(&do) }

func (n *Node) noteChanged(entry registry.Entry) {
	if do := n.changed.Load(); do != nil {
		(*do)(entry)
	}
}

func (n *Node) isListed(entry registry.Entry) bool {
	now, err := n.registry.Resolve(entry.Name)
	return err == nil && now.Generation == entry.Generation
}

// token returns the token of a state of a generation.
func token(entry registry.Entry, sequence, settingsRevision uint64) string {
	return freshness.Token{
		Index: entry.Index, IndexName: entry.Name.Index, Generation: entry.Generation,
		Sequence: sequence, Settings: settingsRevision,
	}.String()
}

// deleteShared removes everything that belongs to an index that is gone.
func (n *Node) deleteShared(ctx context.Context, index registry.ID) error {
	return errors.Join(n.settings.Delete(ctx, index), n.judgements.DeleteAll(ctx, index), n.searches.Delete(ctx, index), n.jobs.Delete(ctx, index))
}

// every calls do at an interval until ctx ends.
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
