package engine

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/log"
	"github.com/quiresearch/quire/internal/manifest"
	"github.com/quiresearch/quire/internal/segment"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/internal/turn"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

// trusted opens a file that this process has just written.
const trusted = blockfile.Trusted

// Generation is an open generation.
//
// Locks are taken in this order: gate, stripe, publishing, order, mu, queue.mu,
// task.mu.
type Generation struct {
	storage Storage
	options Options
	fs      vfs.FS
	lock    io.Closer

	gate     gate
	stripes  [stripes]sync.Mutex
	queue    *queue
	session  log.ID
	identity log.ID
	internal atomic.Uint64 // last internal key given
	nextFile atomic.Uint64
	leftover []string // files from before this opening that no manifest names

	order   turn.Lock // held while a batch goes to the log and into a table, and during a cut
	log     Log
	nextLSN uint64

	work     []chan work
	indexing []*task // one per worker
	backlog  []atomic.Int64
	held     atomic.Int64 // bytes of documents indexed and not yet in files
	flushed  atomic.Int64 // bytes of segments flushed since the opening
	merged   atomic.Int64 // bytes of segments merged since the opening
	pressed  atomic.Bool  // other generations need the memory: commit

	publishing turn.Lock // held while the manifest is replaced

	mu         sync.Mutex
	active     *table
	frozen     *table // cut, about to be committed; nil when there is none
	manifest   *manifest.Manifest
	tracking   *tracking // nil while changes are not tracked
	promised   uint64    // highest commit sequence number given to a writer
	failure    error     // why writes have stopped; nil while all is well
	failedAt   time.Time // when failure was set
	recovering bool      // replayed operations are not committed yet
	requests   []*commitRequest
	advanced   chan struct{} // closed and replaced with every new snapshot
	users      map[string]int
	lastForced time.Time
	closed     bool
	ended      bool // the commit loop has ended

	pipeline atomic.Pointer[pipeline] // how documents are read; replaced only while writes are held
	names    wildcardNames
	current  atomic.Pointer[snapshot.Snapshot]
	sequence atomic.Uint64 // of current

	appending  task
	committing task
	merging    task
	verifying  task          // verifies segments that are open and not verified
	written    chan struct{} // signals that a write arrived
	mergers    mergeState    // used only by merging
	stop       context.CancelFunc
}

// pipeline is how documents are parsed and indexed under one definition.
type pipeline struct {
	schema *definition.Schema
	chains *analysis.Chains
}

func newPipeline(d *definition.Definition, builder *analysis.Builder) *pipeline {
	return &pipeline{schema: definition.NewSchema(d), chains: analysis.NewChains(builder)}
}

// Open opens a generation: it recovers the operations that the log holds beyond the
// last commit and starts the background work, which Close ends. Segment contents
// are verified in the background, or before their first use. The context bounds
// only the opening.
func Open(ctx context.Context, storage Storage, options Options) (*Generation, error) {
	options = options.withDefaults()
	var lock io.Closer = unlocked{} // a read-only copy may be taken over by its writer
	if !options.ReadOnly {
		var err error
		if lock, err = lockDirectory(storage); err != nil {
			return nil, fmt.Errorf("open generation: %w", err)
		}
	}
	g := &Generation{
		storage: storage, options: options, fs: storage.FS, lock: lock, log: storage.Log,
		users: make(map[string]int), advanced: make(chan struct{}), written: make(chan struct{}, 1),
		appending: newTask(), committing: newTask(), merging: newTask(), verifying: newTask(),
		backlog: make([]atomic.Int64, options.Workers),
	}
	g.queue = newQueue(options.QueueBytes, g.appending.wake)
	rand.Read(g.session[:])
	options.Budget.join(g)
	if err := g.load(); err != nil {
		options.Budget.leave(g)
		lock.Close()
		return nil, fmt.Errorf("open generation in %s: %w", storage.Directory, err)
	}
	background, stop := context.WithCancel(context.Background())
	g.stop = stop
	if options.ReadOnly {
		g.queue.end(problem.IndexReadonly.New())
		g.ended = true
		g.verifying.begin(func() { g.verifyLoop(background) })
		g.verifying.wake()
		return g, nil
	}
	for i := range options.Workers {
		worker := newTask()
		worker.begin(func() { g.worker(i) })
		g.work, g.indexing = append(g.work, make(chan work, 16)), append(g.indexing, &worker)
	}
	if err := g.replay(ctx); err != nil {
		stop()
		g.endWorkers()
		options.Budget.leave(g)
		g.current.Load().Release()
		g.log.Close()
		lock.Close()
		return nil, fmt.Errorf("open generation in %s: %w", storage.Directory, err)
	}
	// Only now is the manifest known to be the newest: every file that it names is
	// there, and the log continues from it.
	g.RemoveLeftover()
	g.verifying.begin(func() { g.verifyLoop(background) })
	g.verifying.wake()
	g.appending.begin(g.appendLoop)
	g.committing.begin(func() { g.commitLoop(background) })
	g.committing.wake() // replayed operations may not be committed yet
	if !options.NoMerges {
		g.merging.begin(func() { g.mergeLoop(background) })
		g.merging.wake()
	}
	return g, nil
}

// RemoveLeftover removes the files that the manifest did not name when the generation
// was opened. Open does so itself, except for a read-only generation: only its caller
// knows whether the manifest is the newest and no earlier one will be needed again. It
// must be called before the first Reload.
func (g *Generation) RemoveLeftover() {
	for _, name := range g.leftover {
		g.removeFile(name)
	}
	g.leftover = nil
}

// unlocked stands in for the lock of a directory that is not locked.
type unlocked struct{}

func (unlocked) Close() error { return nil }

// load reads the manifest, opens the files that it names and collects those that it
// does not.
func (g *Generation) load() error {
	m, err := manifest.Read(g.fs, g.storage.Directory)
	if err != nil {
		return err
	}
	d, err := definition.DecodeStored(m.Definition, g.options.Capabilities)
	if err != nil {
		return fmt.Errorf("read stored definition: %w", err)
	}
	g.manifest = m
	g.pipeline.Store(newPipeline(d, g.options.Analysis))
	copy(g.identity[:], decodeID(m.Generation))
	g.nextFile.Store(m.NextFile)
	if g.leftover, err = g.findUnnamed(); err != nil {
		return err
	}
	segments, tracked, err := openManifest(g.fs, g.storage.Directory, m, nil, g.options.Damaged)
	if err != nil {
		return err
	}
	if !g.options.ReadOnly { // only its writer adds to the keys and needs them
		g.tracking = tracked
	}
	g.install(m.Sequence, segments, m)
	g.promised = m.Sequence
	if g.log == nil && !g.options.ReadOnly {
		if g.log, err = log.Open(g.fs, g.path(logDirectory)); err != nil {
			g.current.Load().Release()
			return err
		}
	}
	return nil
}

// findUnnamed returns the files that a crash left outside the manifest; their names
// are never used again.
func (g *Generation) findUnnamed() (unnamed []string, err error) {
	names, err := g.fs.List(g.storage.Directory)
	if err != nil {
		return nil, fmt.Errorf("list files: %w", err)
	}
	for _, name := range names {
		number, ok := fileNumber(name)
		if !ok {
			continue
		}
		g.nextFile.Store(max(g.nextFile.Load(), number+1))
		if g.manifest.File(name) == nil {
			unnamed = append(unnamed, name)
		}
	}
	return unnamed, nil
}

// fileNumber returns the number of a segment, of a side file, or of the temporary
// file beside a segment that was being written. ok is false for all other names.
func fileNumber(name string) (uint64, bool) {
	for _, suffix := range []string{segmentSuffix, sideSuffix, segmentSuffix + segment.AsideSuffix} {
		if digits, ok := strings.CutSuffix(name, suffix); ok {
			number, err := strconv.ParseUint(digits, 10, 64)
			return number, err == nil && name == formatFileName(number, suffix)
		}
	}
	return 0, false
}

func formatFileName(number uint64, suffix string) string {
	return fmt.Sprintf("%010d%s", number, suffix)
}

func (g *Generation) newFileName(suffix string) string {
	return formatFileName(g.nextFile.Add(1)-1, suffix)
}

func (g *Generation) path(name string) string { return path.Join(g.storage.Directory, name) }

func parentOf(directory string) string { return path.Dir(path.Clean(directory)) }

func (g *Generation) removeFile(name string) {
	if err := g.fs.Remove(g.path(name)); err != nil && !errors.Is(err, vfs.ErrNotExist) {
		g.options.Logger.Warn("cannot remove file", "file", g.path(name), "error", err)
	}
}

// discardFile removes the remains of a file that could not be written. A file that
// existed before stays.
func (g *Generation) discardFile(name string, failure error) {
	if !errors.Is(failure, vfs.ErrExist) {
		g.removeFile(name)
	}
}

// Definition returns the definition under which documents are written.
func (g *Generation) Definition() *definition.Definition { return g.Schema().Definition() }

// Schema returns the compiled definition.
func (g *Generation) Schema() *definition.Schema { return g.pipeline.Load().schema }

// Chains returns the analysis chains of the schema.
func (g *Generation) Chains() *analysis.Chains { return g.pipeline.Load().chains }

// ID returns the random identifier of the generation, 32 hexadecimal digits.
func (g *Generation) ID() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.manifest.Generation
}

// Snapshot returns the current snapshot with a reference that the caller must
// release, or nil when the generation is closed.
func (g *Generation) Snapshot() *snapshot.Snapshot {
	for {
		current := g.current.Load()
		if current == nil || current.Acquire() {
			return current
		}
	}
}

// Sequence returns the number of the last commit.
func (g *Generation) Sequence() uint64 { return g.sequence.Load() }

// Err returns why the generation no longer takes writes, or nil while it does.
// After a failure, close and reopen the generation; everything acknowledged is
// there then.
func (g *Generation) Err() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.failure
}

// Failed returns when the generation stopped taking writes, and Err.
func (g *Generation) Failed() (time.Time, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.failedAt, g.failure
}

// fail stops all writing. Searches continue.
func (g *Generation) fail(cause error) {
	g.mu.Lock()
	if g.failure == nil {
		g.failure, g.failedAt = cause, time.Now()
		close(g.advanced) // callers wait for a commit that will not come
		g.advanced = make(chan struct{})
		g.options.Logger.Error("generation stopped accepting writes", "directory", g.storage.Directory, "error", cause)
	}
	requests := g.requests
	g.requests = nil
	g.mu.Unlock()
	for _, request := range requests {
		request.done <- cause
	}
	refusal := problem.IndexClosed.New().Because(cause)
	if errors.Is(cause, ErrFenced) {
		refusal = problem.IndexReadonly.New().Because(cause)
	}
	settleAll(g.queue.refuseWaiting(refusal), 0, refusal)
}

// install makes segments the current snapshot. The caller holds publishing or has
// exclusive access.
func (g *Generation) install(sequence uint64, segments []*snapshot.Segment, m *manifest.Manifest) {
	files := make([]string, len(m.Files))
	for i, file := range m.Files {
		files[i] = file.Name
	}
	next := snapshot.New(sequence, segments, func(*snapshot.Snapshot) { g.unuse(files) })
	g.mu.Lock()
	for _, file := range files {
		g.users[file]++
	}
	g.manifest = m
	g.mu.Unlock()
	previous := g.current.Swap(next)
	g.sequence.Store(sequence)
	g.mu.Lock()
	close(g.advanced)
	g.advanced = make(chan struct{})
	g.mu.Unlock()
	if previous != nil {
		previous.Release()
	}
	if g.options.Changed != nil {
		g.options.Changed()
	}
}

// unuse drops the reference of a snapshot to its files. A file that no other
// snapshot and not the manifest names is removed.
func (g *Generation) unuse(files []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, file := range files {
		if g.users[file]--; g.users[file] > 0 {
			continue
		}
		delete(g.users, file)
		if g.manifest.File(file) == nil {
			g.removeFile(file)
		}
	}
}

func (g *Generation) endWorkers() {
	for _, worker := range g.indexing {
		worker.end()
	}
}

// Close stops taking writes, finishes those under way, tries a last commit and ends
// the background work. Everything acknowledged survives, even if the commit fails.
// Snapshots that are held remain usable.
func (g *Generation) Close(ctx context.Context) error {
	g.mu.Lock()
	if g.closed {
		g.mu.Unlock()
		return nil
	}
	g.closed = true
	failed := g.failure != nil
	g.mu.Unlock()

	g.queue.end(problem.IndexClosed.New())
	g.appending.end()
	var err error
	if !failed && !g.options.ReadOnly {
		_, err = g.Commit(ctx, Explicit)
	}
	g.stop()
	g.committing.end()
	g.endRequests()
	g.merging.end()
	g.verifying.end()
	g.endWorkers()
	g.publishing.Lock() // a definition that is being replaced becomes visible first
	g.discardTables()
	g.options.Budget.leave(g)
	if current := g.current.Swap(nil); current != nil {
		current.Release()
	}
	g.publishing.Unlock()
	if g.log != nil {
		err = errors.Join(err, g.log.Close())
	}
	return errors.Join(err, g.lock.Close())
}

// discardTables closes segments that no commit took over.
func (g *Generation) discardTables() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, t := range []*table{g.active, g.frozen} {
		if t == nil {
			continue
		}
		for _, r := range t.runs() {
			if r.reader != nil {
				r.reader.Release()
			}
		}
	}
	g.active, g.frozen = nil, nil
}

// notify sends on a channel with a buffer of one unless a signal is pending.
func notify(channel chan struct{}) {
	select {
	case channel <- struct{}{}:
	default:
	}
}
