package collect

import (
	"cmp"
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/metrics"
	"github.com/quiresearch/quire/internal/search/match"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/snapshot"
)

// Options tunes a Runner. The zero value works.
type Options struct {
	// Threads is how many pieces run beside the goroutines of the requests; 0 means one less
	// than the number of processors, a negative number none.
	Threads int
	// FilterCacheQueries and FilterCacheBytes bound the cache of filters; 0 means 10,000
	// filters and 256 MiB, a negative number no cache.
	FilterCacheQueries int
	FilterCacheBytes   int64
	// TermCacheBytes, TypoCacheWords and PrefixCacheWords bound the caches of words; 0 means 32
	// MiB, 1,024 and 8,192, a negative number no cache.
	TermCacheBytes                   int64
	TypoCacheWords, PrefixCacheWords int
}

// Runner is the state shared by all searches of a node. It is safe for concurrent use.
type Runner struct {
	seats  chan struct{} // one per thread
	caches *match.Caches
	tables *match.Tables
	meters *metrics.Set

	searches sync.Pool    // of *Search
	running  atomic.Int32 // searches running now

	worthHelp, worthCut time.Duration // see the constants
	leastRange          uint32

	leadingDocs, leadingWorth, leadingShare int // see leading.go
}

// NewRunner returns a runner; meters may be nil.
func NewRunner(o Options, meters *metrics.Set) *Runner {
	r := &Runner{
		tables: match.NewTables(), meters: meters, worthHelp: worthHelp, worthCut: worthCut, leastRange: leastRange,
		leadingDocs: leadingDocs, leadingWorth: leadingWorth, leadingShare: leadingShare,
	}
	r.searches.New = func() any { return new(Search) }
	threads := o.Threads
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0) - 1
	}
	if threads > 0 {
		r.seats = make(chan struct{}, threads)
	}
	r.caches = match.NewCaches(match.CacheOptions{
		Filters: cmp.Or(o.FilterCacheQueries, 10_000), FilterBytes: cmp.Or(o.FilterCacheBytes, 256<<20),
		TermBytes: cmp.Or(o.TermCacheBytes, 32<<20), Typos: cmp.Or(o.TypoCacheWords, 1024), Prefixes: cmp.Or(o.PrefixCacheWords, 8192),
	}, meters)
	return r
}

// Search starts a search over a snapshot, which the caller must hold as long as it uses the
// Search.
func (r *Runner) Search(s *snapshot.Snapshot) *Search {
	w := r.searches.Get().(*Search)
	w.runner, w.snapshot = r, s
	w.view.Reset(s, r.caches, r.tables)
	return w
}

// Search is one search over one snapshot. It belongs to one goroutine, which may close it.
type Search struct {
	runner   *Runner
	snapshot *snapshot.Snapshot
	view     match.View
	fused    map[*plan.Fuse]*fused
	entered  bool // see Enter
	idle     *run // a finished run for reuse; see keep
}

// Close returns the memory of the search to the pool; results stay valid. The search must not
// be used again.
func (s *Search) Close() {
	r := s.runner
	*s = Search{idle: s.idle}
	r.searches.Put(s)
}

// Snapshot returns the snapshot of the search.
func (s *Search) Snapshot() *snapshot.Snapshot { return s.snapshot }

// Sets returns, by segment, the documents that match all nodes; without nodes, all live
// documents.
func (s *Search) Sets(ctx context.Context, nodes ...plan.Node) ([]*bitset.Bitset, error) {
	result, err := s.Run(ctx, &Request{Filters: nodes, CountTo: Everything, Sets: true})
	if err != nil {
		return nil, err
	}
	return bitsOf(result.Sets), nil
}

// ValueSets returns, by segment, the live list values of a path that satisfy all required nodes
// together; without nodes, all values.
func (s *Search) ValueSets(ctx context.Context, path string, required []*plan.Nested) ([]*bitset.Bitset, error) {
	clauses := clausesOf(required)
	for _, c := range clauses {
		if err := s.prepare(ctx, c); err != nil {
			return nil, err
		}
	}
	sets := make([]*bitset.Bitset, len(s.snapshot.Segments))
	err := s.pieces(ctx, func(ctx context.Context, segment int) error {
		sink := &setSink{set: bitset.New(s.snapshot.Segments[segment].Reader.NumDocs())}
		sets[segment] = sink.set
		scanner, err := s.view.ValueScanner(ctx, segment, path, clauses, false)
		if err != nil {
			return err
		}
		defer scanner.Close()
		return scanner.Run(ctx, 0, sink.set.Len(), sink)
	})
	return sets, err
}

func clausesOf(required []*plan.Nested) []plan.Node {
	clauses := make([]plan.Node, len(required))
	for i, n := range required {
		clauses[i] = n.Clause
	}
	return clauses
}

// setSink gathers matches into a set.
type setSink struct{ set *bitset.Bitset }

func (k *setSink) Take(base uint32, matched *match.Bits, _ *match.Sums) bool {
	words := k.set.Words()
	bitset.OrWords(words[base/64:], matched[:])
	return true
}

// TakeDocs adds documents to the set.
func (k *setSink) TakeDocs(docs []uint32, _ []float32) bool {
	for _, doc := range docs {
		k.set.Set(doc)
	}
	return true
}

func (k *setSink) Prunes() bool                 { return false }
func (k *setSink) Threshold() float64           { return 0 }
func (k *setSink) SkipsWindow(base uint32) bool { return false }
