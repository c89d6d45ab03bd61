package search

import (
	"time"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/query"
)

// session is the work of one request. It belongs to one goroutine.
type session struct {
	searcher *Searcher
	view     View
	request  *query.Search
	locale   string
	now      time.Time
	compiler *plan.Compiler
	collect  *collect.Search

	clauses     []query.Clause // of the query that runs: read and relaxed
	query       plan.Node
	filters     []plan.Node // one per filter of the request
	interpreted *query.Interpreted
	relaxed     *query.Relaxed
}

// open reads the typed text and compiles the clauses of a search.
func (s *Searcher) open(view View, request *query.Search, now time.Time) (*session, error) {
	compiler, err := plan.NewCompiler(plan.Options{
		Schema: view.Schema, Chains: view.Chains, Settings: view.Settings, Locale: request.Locale,
	})
	if err != nil {
		return nil, err
	}
	w := &session{
		searcher: s, view: view, request: request, locale: request.Locale, now: now,
		compiler: compiler, collect: s.runner.Search(view.Snapshot),
	}
	if w.clauses, err = w.read(request.Query); err != nil {
		return nil, err
	}
	if w.query, err = compiler.List(w.clauses); err != nil {
		return nil, err
	}
	if w.filters, err = compiler.Each(request.Filters); err != nil {
		return nil, err
	}
	return w, nil
}

// ranking returns the ranking in force: that of the settings, else that of
// the definition.
func (s *session) ranking() definition.Ranking {
	if s.view.Settings != nil && s.view.Settings.Ranking != nil {
		return *s.view.Settings.Ranking
	}
	if ranking := s.view.Schema.Definition().Ranking; ranking != nil {
		return *ranking
	}
	return definition.Ranking{}
}

// requiredNested returns the nested nodes on a list that every hit satisfies.
func (s *session) requiredNested(list string) []*plan.Nested {
	return plan.RequiredNested(list, append([]plan.Node{s.query}, s.filters...)...)
}
