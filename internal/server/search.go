package server

import (
	"context"
	"log/slog"
	"runtime"

	"github.com/quiresearch/quire/internal/config"
	"github.com/quiresearch/quire/internal/metrics"
	"github.com/quiresearch/quire/internal/node"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/search"
	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/snapshot"
)

// Concurrent searches: searchesPerThread for each thread, and at least
// leastSearches. Searches that wait for a disk or a client count too.
const (
	searchesPerThread = 8
	leastSearches     = 16
)

func newSearcher(c *config.Config, records *snapshot.Records, meters *metrics.Set, log *slog.Logger) *search.Searcher {
	// The runner takes zero as its own choice; the variables mean none by it.
	threads, filterBytes := offWhenZero(c.Search.Threads), c.Search.QueryCacheMaxSize
	if c.Search.Threads < 0 {
		threads = 0
	}
	if filterBytes == 0 {
		filterBytes = c.MemoryBudget() / 20
	}
	runner := collect.NewRunner(collect.Options{
		Threads: threads, FilterCacheQueries: offWhenZero(c.Search.QueryCacheMaxQueries), FilterCacheBytes: filterBytes,
		TermCacheBytes: offWhenZero(c.Search.TermCacheMaxSize), TypoCacheWords: offWhenZero(c.Search.TypoCacheMaxEntries),
		PrefixCacheWords: offWhenZero(c.Search.PrefixCacheMaxEntries),
	}, meters)
	return search.New(runner, meters, search.Options{Limits: limits(c), Timeout: c.Search.Timeout,
		SuggestTimeout: c.Search.SuggestTimeout, FacetCacheSize: c.Search.FacetCacheMaxSize,
		MaxAnswerSize: c.Search.MaxAnswerSize, MaxConcurrent: maxSearches(c.Search.Threads), Records: records, Log: log})
}

// maxSearches returns how many searches run at once.
func maxSearches(threads int) int {
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	return max(leastSearches, searchesPerThread*threads)
}

// newWarmer returns the warmer that prepares facets when an index of the node
// changes.
func newWarmer(c *config.Config, searcher *search.Searcher, opened *node.Node) *search.Warmer[registry.ID] {
	warmer := search.NewWarmer(searcher, c.Search.WarmThreads, func(ctx context.Context, generation registry.ID) (search.View, func(), bool) {
		index := opened.Peek(ctx, generation)
		if index == nil {
			return search.View{}, nil, false
		}
		return index.View(), index.Close, true
	})
	opened.OnChange(func(entry registry.Entry) { warmer.Changed(entry.Generation) })
	return warmer
}
