package engine

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/indexing"
	"github.com/quiresearch/quire/internal/invariant"
	"github.com/quiresearch/quire/internal/log"
	"github.com/quiresearch/quire/internal/segment"
	"github.com/quiresearch/quire/internal/vfs"
)

// table holds the operations between two commits: the documents being indexed in
// memory and the changes to keys of earlier ones. Generation.mu guards its maps and
// counters; a frozen table no longer changes.
type table struct {
	sequence uint64 // of the commit that will hold it
	lastLSN  uint64
	pipeline *pipeline

	changes int
	firstAt time.Time
	added   int               // entries that are live
	entries map[string]*entry // newest per key
	signals map[string]refreshed
	all     bool  // everything committed before is deleted
	bytes   int64 // of entries and signals
	holding holding

	shards     []*shard
	dispatched int            // entries handed to workers; used only by the dispatching goroutine
	working    sync.WaitGroup // entries handed to workers
}

// entry is one Add or Delete in a table.
type entry struct {
	key      string
	isDelete bool
	dead     atomic.Bool // replaced or deleted within the table
	source   []byte      // as sent; nil once a file holds it
	signals  []signalValue
	document *document.Document // until it is indexed
	run      *run               // the run it was indexed into; set by the worker
	doc      segment.DocID
}

// shard is the part of a table that one worker indexes.
type shard struct {
	current *run
	full    []*run // flushed because memory ran out
}

// run is one builder and, once flushed, the segment file written from it.
type run struct {
	builder *segment.Builder
	indexer *indexing.Indexer
	entries []*entry
	broken  bool  // a flush failed: the builder is gone, the entries must be indexed again
	sources int64 // bytes of the sources of entries
	holding holding

	file   string
	info   segment.Info
	reader *segment.Reader
}

func newTable(sequence uint64, how *pipeline, workers int) *table {
	t := &table{
		sequence: sequence, pipeline: how,
		entries: make(map[string]*entry), signals: make(map[string]refreshed),
	}
	for range workers {
		t.shards = append(t.shards, new(shard))
	}
	return t
}

// apply puts one operation into the table and returns the entry to index, or nil.
// Entries come from arena.
func (t *table) apply(op *operation, arena *entries, now time.Time) *entry {
	if t.changes == 0 {
		t.firstAt = now
	}
	switch op.Kind {
	case log.Add:
		t.changes++
		t.kill(op.Key)
		added := arena.next(op.Key)
		added.source, added.signals, added.document = op.source, op.signals, op.document
		t.added++
		t.entries[added.key] = added
		return added
	case log.Delete:
		t.changes++
		t.kill(op.Key)
		deleted := arena.next(op.Key)
		deleted.isDelete = true
		t.entries[deleted.key] = deleted
	case log.Signals:
		t.changes++
		t.signals[op.Key] = refreshed{mergeSignals(t.signals[op.Key].values, op.signals), op.at}
	case log.DeleteAll:
		t.changes++
		for key := range t.entries {
			t.kill(key)
		}
		clear(t.entries)
		clear(t.signals)
		t.all = true
	}
	return nil
}

// entries is an arena for the entries of a batch and their keys. They all live
// until the commit, and a few large allocations are less work for the garbage
// collector than many small ones.
type entries struct {
	free []entry
	keys string // of the remaining operations, concatenated
}

func newEntries(batch []*operation) entries {
	count, size := 0, 0
	for _, op := range batch {
		if op.Kind == log.Add || op.Kind == log.Delete {
			count++
			size += len(op.Key)
		}
	}
	var keys strings.Builder
	keys.Grow(size)
	for _, op := range batch {
		if op.Kind == log.Add || op.Kind == log.Delete {
			keys.WriteString(op.Key)
		}
	}
	return entries{make([]entry, count), keys.String()}
}

// next returns the entry for the next operation, which must have the given key.
func (e *entries) next(key string) *entry {
	next := &e.free[0]
	e.free = e.free[1:]
	next.key, e.keys = e.keys[:len(key)], e.keys[len(key):]
	invariant.Check(next.key == key, "an entry of %q for %q", next.key, key)
	return next
}

// kill drops what the table holds under a key.
func (t *table) kill(key string) {
	if old := t.entries[key]; old != nil && !old.isDelete {
		old.dead.Store(true)
		t.added--
	}
	delete(t.signals, key)
}

func (t *table) newRun() *run {
	return &run{builder: segment.NewBuilder(), indexer: indexing.NewIndexer(t.pipeline.chains)}
}

// keysToKill returns the keys whose earlier documents are replaced or deleted.
// Documents without a primary key replace none.
func (t *table) keysToKill() []string {
	keyed := t.pipeline.schema.PrimaryKey() != nil
	keys := make([]string, 0, len(t.entries))
	for key, e := range t.entries {
		if keyed || e.isDelete {
			keys = append(keys, key)
		}
	}
	return keys
}

// runs returns the runs of the table, one per segment.
func (t *table) runs() []*run {
	var all []*run
	for _, s := range t.shards {
		all = append(all, s.full...)
		if s.current != nil {
			all = append(all, s.current)
		}
	}
	return all
}

// entryBytes is the memory of an entry besides its key and source: the entry
// itself, its slot in the map and in its run.
const entryBytes = 176

// size returns the bytes that a table keeps for an operation until the commit; the
// source counts with the run that holds it.
func (o *operation) size() int64 {
	return entryBytes + int64(len(o.Key)) + int64(len(o.signals))*entryBytes/4
}

// work is a slice of entries for one worker.
type work struct {
	table   *table
	entries []*entry
}

// dispatchSize is the number of entries handed to a worker at a time.
const dispatchSize = 64

// shardEntries is the number of entries that justifies each worker beyond those
// that any table may use. Every worker of a table makes its own segment, and a word
// that occurs in several segments is sorted, written, searched and merged once for
// each.
const shardEntries = 16 << 10

// workersOf returns the workers that may index entries of a table: the first one
// and how many follow it, modulo the total. Half of the workers suffice, because
// the table before or after uses the other half; a table that grows uses more.
func (g *Generation) workersOf(t *table) (first, count int) {
	all := len(g.backlog)
	half := (all + 1) / 2
	return int(t.sequence%uint64(all)) * half % all, min(all, max(half, 1+t.dispatched/shardEntries))
}

// dispatch hands entries to the workers of a table. It blocks while all of them are
// busy. A worker gets entries only when the workers before it have enough, so that
// a few documents make one segment instead of one per worker. The caller has added
// one to t.working for the call itself.
func (g *Generation) dispatch(t *table, entries []*entry) {
	defer t.working.Done()
	for len(entries) > 0 {
		count := min(dispatchSize, len(entries))
		first, workers := g.workersOf(t)
		chosen := first
		for i := range workers {
			i = (first + i) % len(g.backlog)
			if backlog := g.backlog[i].Load(); backlog < 2*dispatchSize {
				chosen = i
				break
			} else if backlog < g.backlog[chosen].Load() {
				chosen = i
			}
		}
		t.dispatched += count
		t.working.Add(1)
		g.backlog[chosen].Add(int64(count))
		g.work[chosen] <- work{t, entries[:count]}
		g.indexing[chosen].wake()
		entries = entries[count:]
	}
}

// worker indexes the entries that dispatch sends it until none are left.
func (g *Generation) worker(number int) {
	for {
		var item work
		select {
		case item = <-g.work[number]:
		default:
			if g.indexing[number].park() {
				return
			}
			continue
		}
		shard := item.table.shards[number]
		for _, e := range item.entries {
			g.index(item.table, shard, e)
			g.backlog[number].Add(-1)
		}
		item.table.working.Done()
	}
}

// index adds one document to the builder of a shard, and flushes the builder when
// it exceeds its share of the memory.
func (g *Generation) index(t *table, s *shard, e *entry) {
	if e.dead.Load() {
		g.mu.Lock()
		e.document, e.source = nil, nil // the batch keeps the entry itself in memory
		g.mu.Unlock()
		return
	}
	if s.current == nil {
		s.current = t.newRun()
	}
	r := s.current
	r.entries = append(r.entries, e)
	if r.broken {
		e.run, e.document = r, nil
		return
	}
	if err := g.indexInto(t, r, e); err != nil {
		g.options.Logger.Error("indexing failed", "key", e.key, "error", err)
		r.broken = true
		return
	}
	r.sources += int64(len(e.source))
	bytes := r.builder.Bytes() + r.sources
	g.account(&r.holding, bytes)
	if !g.isOver(bytes, len(t.shards)) {
		return
	}
	if err := g.flushRun(r); err != nil {
		g.options.Logger.Error("flush failed", "error", err)
		return
	}
	s.full = append(s.full, r)
	s.current = nil
	g.mu.Lock()
	for _, e := range r.entries {
		e.source = nil
	}
	g.mu.Unlock()
	g.account(&r.holding, 0)
}

// indexInto adds a document to a run. A document that comes from the log is parsed
// here, on the worker.
func (g *Generation) indexInto(t *table, r *run, e *entry) error {
	d := e.document
	if d == nil {
		var err error
		if d, err = readWhole(document.NewLogReader(t.pipeline.schema), e.source); err != nil {
			return fmt.Errorf("read document %q: %w", e.key, err)
		}
	}
	e.document = nil // addTo releases its memory; a retry parses it again
	return vfs.Protect(func() error {
		doc, err := addTo(r, d, e)
		if err != nil {
			return fmt.Errorf("index document %q: %w", e.key, err)
		}
		e.run, e.doc = r, doc
		return nil
	})
}

// flushRun writes the segment file of a run and opens it.
func (g *Generation) flushRun(r *run) error {
	name := g.newFileName(segmentSuffix)
	var info segment.Info
	err := vfs.Protect(func() (err error) { // a worker has no other protection
		if info, err = r.builder.Finish(g.fs, g.path(name)); err == nil {
			r.reader, err = segment.Open(g.fs, g.path(name), trusted)
		}
		return err
	})
	g.account(&r.holding, r.sources)
	if err != nil {
		r.broken = true
		g.discardFile(name, err)
		return fmt.Errorf("write segment %s: %w", name, err)
	}
	r.builder, r.indexer, r.file, r.info = nil, nil, name, info
	g.flushed.Add(info.Summary.Size)
	g.options.Metrics.SegmentWritten("flush", info.Summary.Size)
	return nil
}

// rebuild indexes the entries of a run again after a failed flush.
func (g *Generation) rebuild(t *table, r *run) error {
	again := t.newRun()
	r.builder, r.indexer = again.builder, again.indexer
	kept := make([]*entry, 0, len(r.entries))
	for _, e := range r.entries {
		if e.dead.Load() {
			e.run = nil
			continue
		}
		if err := g.indexInto(t, r, e); err != nil {
			return err
		}
		kept = append(kept, e)
	}
	r.entries, r.broken = kept, false
	return nil
}
