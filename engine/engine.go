// Package engine keeps one generation of an index: a definition and the documents
// written under it, in one directory. It is the whole search engine as a Go library
// and knows nothing of HTTP, nodes or buckets.
//
//	err := engine.Create(ctx, engine.Storage{FS: fs, Directory: "books"}, definition)
//	g, err := engine.Open(ctx, engine.Storage{FS: fs, Directory: "books"}, engine.Options{})
//	defer g.Close(ctx)
//
//	s := g.WriteStream()
//	err = s.Add(ctx, document)     // refusals are answered at once
//	receipt, err := s.Wait(ctx)    // everything taken is durable
//	err = g.WaitFor(ctx, receipt.Sequence)
//	view := g.Snapshot()           // for searches
//	defer view.Release()
//
// A write goes through the log: it is acknowledged once a group commit has made it
// durable, then indexed in memory on all cores, and becomes visible with the next
// commit. A commit writes segments and one side file, and replaces the manifest and
// then the snapshot. Merges run concurrently; neither blocks a search.
//
// Invariants (in brackets, the guarantees that they serve):
//
//	E1  An operation is in the log before it is acknowledged. [I1]
//	E2  The operations of a table are the log records after the last commit up to
//	    the cut, whole batches in order; replaying them yields the same
//	    documents. [I3 I4]
//	E3  No commit reaches the commit sequence number given to a writer without
//	    containing its write, across restarts. [I6 I7]
//	E4  A manifest is written after everything it names is durable, and a
//	    snapshot is shown after its manifest is. [I5 I11]
//	E5  Live documents of a commit = live before + added − deleted, or the commit
//	    is refused.
//	E6  After an append with an unknown outcome nothing is acknowledged.
//
// A Generation is safe for concurrent use; a WriteStream belongs to one goroutine.
package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"time"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/internal/manifest"
	"github.com/quiresearch/quire/internal/mergeplan"
	"github.com/quiresearch/quire/internal/metrics"
	"github.com/quiresearch/quire/internal/vfs"
)

// Storage is where a generation lives.
type Storage struct {
	FS        vfs.FS
	Directory string
	// ID is the identifier that Create gives the generation, 32 hexadecimal
	// digits; empty means a random one.
	ID string
	// Log keeps changes between commits; nil means files in the directory.
	Log Log
	// Publisher makes commits known beyond the directory; nil means that commits
	// are local.
	Publisher Publisher
}

// Log keeps operations durable between commits. Record numbers are consecutive. The
// engine makes one call at a time.
type Log interface {
	// Replay passes every record after the given number to visit, in order. It runs
	// once, before the first Append; visit owns the payload.
	Replay(after uint64, visit func(lsn uint64, payload []byte) error) error
	// Append returns nil when the record is durable. An error that wraps
	// log.ErrNotWritten means that the record is certainly absent; after any other
	// error the engine appends nothing more.
	Append(lsn uint64, payload []byte) error
	// Release tells the log that a commit holds the records up to a number.
	Release(upTo uint64) error
	Close() error
}

// Publisher makes commits known beyond the directory of the generation: it
// uploads the files that the manifest names and replaces the shared manifest.
type Publisher interface {
	// Publish returns nil once the manifest is the current one for all nodes. It
	// may fill in keys of files, epoch, low-water marks and retired objects. An
	// error that wraps ErrFenced means that another writer took over.
	Publish(ctx context.Context, next *manifest.Manifest) error
}

// Uploader is a Publisher that can store a large file before the manifest that
// names it exists, so that commits do not wait for the upload of a merge.
type Uploader interface {
	// Upload stores a file of the directory. Publish does not store it again.
	Upload(ctx context.Context, file manifest.File) error
	// Discard gives up a file that was passed to Upload and that no manifest will
	// name.
	Discard(name string)
}

// ErrFenced marks a commit refused because another writer took over.
var ErrFenced = errors.New("another writer took over")

// Options tune a generation. The zero Options work.
type Options struct {
	MaxChanges  int           // number of changes that triggers a commit; 0 = 10 000, negative = off
	MaxInterval time.Duration // age of the oldest change that triggers a commit; 0 = 5 s, negative = off
	MergeFloor  int64         // size in bytes below which segments are merged eagerly; 0 = default
	NoMerges    bool          // leave segments as they are
	Memory      int64         // bytes for uncommitted documents, see Budget; 0 = 256 MiB
	Budget      *Budget       // that memory, shared with other generations; nil = a budget of its own
	Workers     int           // goroutines that index; 0 = one per core, fewer if Memory is small
	QueueBytes  int64         // bytes of operations waiting for the log; 0 = 32 MiB
	LogWait     time.Duration // a write fails with storage:unknown when the log makes no progress for this long; 0 = no bound
	ReadOnly    bool          // another process writes: show what Reload finds, reject writes
	MinFree     int64         // writes are rejected with fewer bytes free; 0 = the smaller of 1 GiB and 5 %, negative = off

	Capabilities definition.Capabilities // what stored definitions may use
	Analysis     *analysis.Builder       // builds analysis chains; nil = a builder without locale data
	Logger       *slog.Logger
	Metrics      *metrics.Set
	Changed      func() // called when there is a new snapshot; must not block; may be nil
	Damaged      func() // called when a part of a segment is found damaged; must not block; may be nil
}

func (o Options) withDefaults() Options {
	if o.MaxChanges == 0 {
		o.MaxChanges = 10_000
	}
	if o.MaxInterval == 0 {
		o.MaxInterval = 5 * time.Second
	}
	if o.Memory <= 0 {
		o.Memory = defaultMemory
	}
	if o.Budget == nil {
		o.Budget = NewBudget(o.Memory)
	}
	if o.Workers <= 0 {
		o.Workers = int(max(1, min(int64(runtime.GOMAXPROCS(0)), o.Memory/leastShare)))
	}
	if o.QueueBytes <= 0 {
		o.QueueBytes = 32 << 20
	}
	if o.Analysis == nil {
		o.Analysis = analysis.NewBuilder(analysis.Options{})
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

func (o Options) mergePolicy() mergeplan.Policy { return mergeplan.Policy{Floor: o.MergeFloor} }

// Trigger is the reason for a commit.
type Trigger string

// The triggers of a commit.
const (
	ByChanges   Trigger = "changes"
	ByInterval  Trigger = "interval"
	ByMerges    Trigger = "merges"
	Explicit    Trigger = "explicit"
	ByFreshness Trigger = "freshness"
)

// Names of files in the directory of a generation.
const (
	lockName      = "lock"
	logDirectory  = "log"
	segmentSuffix = ".seg"
	sideSuffix    = ".side"
)

// Create makes an empty generation in a directory that holds none. It is durable
// when Create returns.
func Create(ctx context.Context, storage Storage, d *definition.Definition) error {
	if err := storage.FS.MakeDir(storage.Directory); err != nil {
		return fmt.Errorf("create generation: %w", err)
	}
	lock, err := lockDirectory(storage)
	if err != nil {
		return fmt.Errorf("create generation: %w", err)
	}
	defer lock.Close()
	names, err := storage.FS.List(storage.Directory)
	if err != nil {
		return fmt.Errorf("create generation: %w", err)
	}
	for _, name := range names {
		// A missing manifest beside other files is damage, not an empty directory.
		if _, isFile := fileNumber(name); isFile || name == manifest.Name || name == logDirectory+"/" {
			return fmt.Errorf("create generation in %s: it holds %s already", storage.Directory, name)
		}
	}
	id := storage.ID
	if id == "" {
		id = manifest.NewID()
	}
	first := &manifest.Manifest{WriteID: manifest.NewID(), Generation: id, NextFile: 1, Definition: d.EncodeStored()}
	if storage.Publisher != nil {
		if err := storage.Publisher.Publish(ctx, first); err != nil {
			return fmt.Errorf("create generation: %w", err)
		}
	}
	if err := manifest.Write(storage.FS, storage.Directory, first); err != nil {
		return fmt.Errorf("create generation: %w", err)
	}
	if err := storage.FS.SyncDir(parentOf(storage.Directory)); err != nil {
		return fmt.Errorf("create generation: %w", err)
	}
	return nil
}

func lockDirectory(storage Storage) (io.Closer, error) {
	return storage.FS.Lock(storage.Directory + "/" + lockName)
}
