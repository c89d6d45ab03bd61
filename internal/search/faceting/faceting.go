// Package faceting counts the facets of a request, lists the values of one facet and completes
// typed text to values.
//
// A Counter belongs to a node and keeps counts and normalized values between requests. A
// Request is the input of counting for one request: a scope, the compiled query and filters,
// and the request as it was sent, whose text is the key of cached counts.
//
//	facets, err := request.Compile()                       // check against the schema
//	results, err := request.Count(ctx, facets, hits, found) // after the hits are collected
//	answer, err := request.Values(ctx, field, asked)        // values of one facet
//	found, err := request.Suggest(ctx, asked)               // completions of all suggested fields
//	err := request.Warm(ctx)                                // prepare what earlier requests used
//
// A facet counts a population: the documents that match the query and those filters that its
// excludeFilters keep. Facets with the same filters share a population. If nothing narrows a
// population, the counts come from the columns of the segments. If only filters narrow it,
// counts are cached per segment, because the next snapshot shares most of the segments.
// Otherwise they are cached per snapshot.
//
// Invariants:
//
//	FA1  Kept counts depend on nothing but their key and their owner.
//	FA2  What belongs to a snapshot or a segment is dropped when it is closed.
//
// Tests of package search check both: they count with and without cached counts, and close
// their owners.
//
// A Counter is safe for concurrent use; a Request belongs to one goroutine.
package faceting

import (
	"sync"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/cache"
	"github.com/quiresearch/quire/internal/metrics"
	"github.com/quiresearch/quire/internal/search/facet"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/search/scope"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/query"
)

// Counter caches counts of facets and what they are computed from. It is shared by all requests
// of a node.
type Counter struct {
	counts    *countCache
	forms     *formCache
	usage     *cache.Usage[definition.Schema, use]
	changed   func()    // called when state is added or dropped
	scratches sync.Pool // of *facet.Scratch
}

// New returns a Counter that keeps size bytes of counts between requests, none for 0. meters
// may be nil. The Counter calls changed when StateBytes changes.
func New(size int64, meters *metrics.Set, changed func()) *Counter {
	return &Counter{
		counts: newCountCache(size, meters), forms: newFormCache(changed),
		usage: cache.NewUsage[definition.Schema, use](), changed: changed,
		scratches: sync.Pool{New: func() any { return new(facet.Scratch) }},
	}
}

// StateBytes returns how much memory the facet state of open readers takes.
func (c *Counter) StateBytes() int64 { return c.forms.kept.Bytes() + c.counts.segments.Bytes() }

// Entries returns how many counts and normalized columns are cached.
func (c *Counter) Entries() int {
	return c.counts.whole.Len() + c.counts.segments.Len() + c.forms.kept.Len() + c.forms.rankings.Len()
}

// Request is the request whose facets are counted.
type Request struct {
	*scope.Scope
	Counter *Counter
	Search  *query.Search // as it was sent
	Query   plan.Node     // the query that runs, possibly relaxed
	Filters []plan.Node   // one per filter of the search

	live map[*snapshot.Segment]*bitset.Bitset // see liveParents
}
