package search

import (
	"context"
	"time"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/search/faceting"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/search/rewrite"
	"github.com/quiresearch/quire/internal/search/scope"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/query"
)

// execution does the work of one request. It belongs to one goroutine.
type execution struct {
	searcher *Searcher
	view     View
	request  *query.Search
	locale   string
	now      time.Time
	compiler plan.Compiler
	words    dictionary
	collect  *collect.Search
	buffer   *analysis.Buffer

	clauses []query.Clause // of the query that runs: interpreted and relaxed
	query   plan.Node
	filters []plan.Node // one per filter of the request
	scope   scope.Scope
	typed   rewrite.Request
	counted faceting.Request
	relaxed *rewrite.Relaxation // nil: the query is not relaxed

	// Scratch memory for values that a request needs one of.
	start   pageStart
	asks    collect.Request
	result  collect.Result
	found   found
	writer  hitWriter
	hits    []hit
	scratch answerScratch
}

// dictionary is what the index knows about words, for one request.
type dictionary struct {
	*snapshot.Snapshot
	collect *collect.Search
	ctx     context.Context
}

// HoldersOf returns the number of documents that hold a word as typed, and of those in
// its band with the most.
func (d *dictionary) HoldersOf(n *plan.Word) (typed, others uint64, err error) {
	return d.collect.HoldersOf(d.ctx, n)
}

// open checks the targets, interprets the typed text and compiles the clauses of a
// search. The caller must close the execution.
func (s *Searcher) open(ctx context.Context, view *View, request *query.Search, now time.Time) (*execution, error) {
	w := s.executions.Get().(*execution)
	w.searcher, w.view, w.request, w.locale, w.now = s, *view, request, request.Locale, now
	w.buffer, w.collect = s.buffers.Get().(*analysis.Buffer), s.runner.Search(view.Snapshot)
	if err := w.compile(ctx); err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

func (s *execution) compile(ctx context.Context) (err error) {
	view := &s.view
	s.words = dictionary{view.Snapshot, s.collect, ctx}
	if err = s.compiler.Reset(plan.Options{
		Schema: view.Schema, Chains: view.Chains, Settings: view.Settings, Locale: s.locale,
		Buffer: s.buffer, Dictionary: &s.words, Cache: s.searcher.settings.of(view),
	}); err != nil {
		return err
	}
	s.scope = scope.Scope{
		Snapshot: view.Snapshot, Schema: view.Schema, Settings: view.Settings, Chains: view.Chains,
		Locale: s.locale, Buffer: s.buffer, Compiler: &s.compiler, Collect: s.collect,
	}
	s.typed.Scope, s.typed.Rewriter = &s.scope, s.searcher.rewriter
	if err = rewrite.CheckTargets(view.Schema, &s.compiler, s.request); err != nil {
		return err
	}
	if s.clauses, err = s.typed.Read(ctx, s.request.Query); err != nil {
		return err
	}
	if s.query, err = s.compiler.Instead(s.clauses); err != nil {
		return err
	}
	s.filters, err = s.compiler.Each(s.request.Filters)
	s.typed.Filters = s.filters
	return err
}

// facets returns the request to count facets under: the current query and the
// filters.
func (s *execution) facets() *faceting.Request {
	s.counted = faceting.Request{
		Scope: &s.scope, Counter: s.searcher.counter, Search: s.request, Query: s.query, Filters: s.filters,
	}
	return &s.counted
}

// close releases everything the execution borrowed and returns its own memory to
// the pool, which no answer refers to. The execution must not be used afterwards.
func (s *execution) close() {
	searcher := s.searcher
	searcher.buffers.Put(s.buffer)
	s.collect.Close()
	collected, hits, scratch := s.result.Hits, s.hits, s.scratch
	clear(collected)
	clear(hits)
	*s = execution{}
	if max(cap(collected), cap(hits)) <= maxScratchHits && scratch.bytes() <= maxScratch {
		s.result.Hits, s.hits, s.scratch = collected[:0], hits[:0], scratch
	}
	searcher.executions.Put(s)
}

// ranking returns the ranking in force: that of the settings if they have one, else
// that of the definition.
func (s *execution) ranking() definition.Ranking {
	if s.view.Settings != nil && s.view.Settings.Ranking != nil {
		return *s.view.Settings.Ranking
	}
	if ranking := s.view.Schema.Definition().Ranking; ranking != nil {
		return *ranking
	}
	return definition.Ranking{}
}

// requiredNested returns the nested nodes on list that every hit of query under the
// filters satisfies.
func (s *execution) requiredNested(list string, query plan.Node) []*plan.Nested {
	return plan.RequiredNested(list, append([]plan.Node{query}, s.filters...)...)
}
