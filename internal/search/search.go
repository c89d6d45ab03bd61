// Package search answers searches, suggestions, facet values and explanations
// over one snapshot of a generation.
//
// A Searcher belongs to a node and is shared by all requests. A View is what one
// request runs on: a snapshot, the schema of its generation and the search settings
// in force. The caller holds the snapshot and has already waited for the freshness
// that the request asks for:
//
//	answer, err := searcher.Run(ctx, view, request)
//
// A search interprets the typed text, compiles it against the schema, collects,
// relaxes the query when nothing matched, rescores, counts facets, then reads the
// documents of the page with their highlights and matched values. It checks the
// targets of typed text before anything else and ends at the first problem of the
// request. The timeout covers everything, and a search never returns a partial
// answer.
//
// A Searcher may be used by any number of goroutines. Answers belong to the
// caller.
package search

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/internal/metrics"
	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/search/faceting"
	"github.com/quiresearch/quire/internal/search/rewrite"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
	"github.com/quiresearch/quire/settings"
)

// View is what one request runs on. It does not change while the request runs.
type View struct {
	Snapshot   *snapshot.Snapshot
	Schema     *definition.Schema
	Settings   *settings.Settings // in force; nil: none
	Chains     *analysis.Chains
	Index      string // name, for the log
	Generation string
	Freshness  string // token of the state
	IsPreview  bool   // the settings apply to this request alone: nothing derived from them is cached
}

// Options tune a Searcher. The zero value sets no time limits and caches no counts.
type Options struct {
	Limits         query.Limits
	Timeout        time.Duration     // of search, facet values and explain; 0: none
	SuggestTimeout time.Duration     // 0: none
	FacetCacheSize int64             // bytes of counts cached between requests; 0: none
	MaxAnswerSize  int64             // approximate bytes of one answer; 0: no bound
	MaxConcurrent  int               // concurrent searches; others wait for a while; 0: no bound
	Records        *snapshot.Records // reads stored records; nil: caches none
	Now            func() time.Time  // nil: time.Now
	Log            *slog.Logger      // nil: no logging
}

// Searcher answers requests. All searches of a node share it.
type Searcher struct {
	runner     *collect.Runner
	metrics    *metrics.Set
	options    Options
	gate       *gate
	counter    *faceting.Counter
	rewriter   *rewrite.Rewriter
	settings   *settingsCache
	buffers    sync.Pool // of *analysis.Buffer, which is costly to create
	executions sync.Pool // of *execution
}

// New returns a Searcher that collects with runner. meters may be nil.
func New(runner *collect.Runner, meters *metrics.Set, options Options) *Searcher {
	if options.Limits == (query.Limits{}) {
		options.Limits = query.DefaultLimits()
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	s := &Searcher{
		runner: runner, metrics: meters, options: options, gate: newGate(options.MaxConcurrent),
		settings:   newSettingsCache(options.Log),
		buffers:    sync.Pool{New: func() any { return new(analysis.Buffer) }},
		executions: sync.Pool{New: func() any { return new(execution) }},
	}
	s.counter = faceting.New(options.FacetCacheSize, meters, s.measureState)
	s.rewriter = rewrite.New(s.measureState)
	return s
}

// measureState records the memory that the facet state of open readers takes.
func (s *Searcher) measureState() {
	s.metrics.FacetStateBytes(s.counter.StateBytes() + s.rewriter.StateBytes())
}

// Run answers a search.
func (s *Searcher) Run(ctx context.Context, view View, request *query.Search) (*query.Answer, error) {
	answer, took, err := serve(ctx, s, s.options.Timeout, view, request, (*execution).search)
	if err != nil {
		return nil, err
	}
	answer.TookMs = took
	return answer, nil
}

// search performs a whole search within its time limit, including reading the
// documents of the page.
func (s *execution) search(ctx context.Context) (*query.Answer, error) {
	found, err := s.find(ctx)
	if err != nil {
		return nil, err
	}
	return s.answer(ctx, found)
}

// FacetValues answers a request for the values of one facet.
func (s *Searcher) FacetValues(ctx context.Context, view View, field string, request *query.FacetValues) (*query.FacetValuesAnswer, error) {
	search := &query.Search{
		Query: request.Query, QueryText: request.QueryText, Filters: request.Filters, FiltersText: request.FiltersText,
		Locale: request.Locale,
	}
	answer, took, err := serve(ctx, s, s.options.Timeout, view, search, func(w *execution, timed context.Context) (*query.FacetValuesAnswer, error) {
		return w.facetValues(timed, field, request)
	})
	if err != nil {
		return nil, err
	}
	answer.Generation, answer.Freshness, answer.TookMs = view.Generation, view.Freshness, took
	return answer, nil
}

func (s *execution) facetValues(ctx context.Context, name string, request *query.FacetValues) (*query.FacetValuesAnswer, error) {
	field, err := s.facets().CheckValues(name)
	if err != nil {
		return nil, err
	}
	if err := s.relaxEmpty(ctx); err != nil {
		return nil, err
	}
	s.meter()
	return s.facets().Values(ctx, name, field, request)
}

// Suggest answers a request for suggestions.
func (s *Searcher) Suggest(ctx context.Context, view View, request *query.Suggest) (*query.Suggestions, error) {
	search := &query.Search{Filters: request.Filters, FiltersText: request.FiltersText, Locale: request.Locale}
	found, took, err := serve(ctx, s, s.options.SuggestTimeout, view, search, func(w *execution, timed context.Context) ([]query.Suggestion, error) {
		return w.facets().Suggest(timed, request)
	})
	if err != nil {
		return nil, err
	}
	return &query.Suggestions{Suggestions: found, Generation: view.Generation, Freshness: view.Freshness, TookMs: took}, nil
}

// call is one request as it arrived, with the time it arrived.
type call struct {
	searcher *Searcher
	view     View
	request  *query.Search
	began    time.Time
}

// serve does the work of one request in its own execution, once admitted and within
// limit, and returns how many milliseconds it took. The context passed to work ends
// at the limit.
func serve[T any](ctx context.Context, s *Searcher, limit time.Duration, view View, request *query.Search,
	work func(w *execution, ctx context.Context) (T, error)) (answer T, tookMs float64, err error) {
	c := call{searcher: s, view: view, request: request, began: s.options.Now()}
	timed, done, err := s.enter(ctx, limit)
	if err != nil {
		return answer, 0, err
	}
	if view.Snapshot.IsVerified() {
		defer done()
		answer, err = serveNow(timed, &c, work)
	} else {
		answer, err = serveBeside(timed, c, work, done)
	}
	if err != nil {
		return answer, 0, s.timeout(ctx, err, limit)
	}
	return answer, s.since(c.began), nil
}

func serveNow[T any](ctx context.Context, c *call, work func(w *execution, ctx context.Context) (T, error)) (answer T, err error) {
	w, err := c.searcher.open(ctx, &c.view, c.request, c.began)
	if err != nil {
		return answer, err
	}
	defer w.close()
	return work(w, ctx)
}

// serveBeside is serveNow for a snapshot with parts that may still have to be
// verified. Verification ignores deadlines, so the caller returns at the deadline
// while the work keeps its seat and the snapshot until it ends, and then calls
// done.
func serveBeside[T any](ctx context.Context, c call, work func(w *execution, ctx context.Context) (T, error), done func()) (answer T, err error) {
	if !c.view.Snapshot.Acquire() {
		done()
		return answer, problem.IndexClosed.New()
	}
	type outcome struct {
		answer T
		err    error
	}
	ended := make(chan outcome, 1)
	go func() {
		defer done()
		defer c.view.Snapshot.Release()
		var o outcome
		o.err = collect.Guard(func() (err error) {
			o.answer, err = serveNow(ctx, &c, work)
			return err
		})
		ended <- o
	}()
	select {
	case o := <-ended:
		return o.answer, o.err
	case <-ctx.Done():
	}
	select {
	case o := <-ended: // it finished in time
		return o.answer, o.err
	default:
		return answer, ctx.Err()
	}
}

func (s *Searcher) since(began time.Time) float64 {
	return float64(s.options.Now().Sub(began)) / float64(time.Millisecond)
}

func (s *Searcher) deadline(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, limit)
}

// timeout converts the passing of our own deadline into search:timeout.
func (s *Searcher) timeout(ctx context.Context, err error, limit time.Duration) error {
	if (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, problem.SearchTimeout)) && ctx.Err() == nil {
		return problem.SearchTimeout.New("timeout", limit)
	}
	return err
}
