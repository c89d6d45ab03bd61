package search

import (
	"context"
	"slices"

	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/search/scope"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
)

// estimateTo is the minimum number of matches counted for an estimated total.
const estimateTo = 1000

// found is the outcome of collecting, from which the answer is built.
type found struct {
	hits      []hit
	total     query.Total
	documents *query.Total
	facets    []query.FacetResult
	page      query.Page
	hasScore  bool
}

// hit is one hit of the page with the score to show.
type hit struct {
	collect.Hit
	score float64
}

// document returns the global number of the document that is the hit or that holds
// the list value that is the hit.
func (h *hit) document() uint32 {
	if h.IsItem {
		return h.Parent
	}
	return h.Doc
}

// pageStart says where the page starts.
type pageStart struct {
	offset        int // used when there is no position
	after, before *cursor
	fromCursor    bool // the offset comes from a cursor
}

// find collects the page of a search and counts its facets.
func (s *execution) find(ctx context.Context) (*found, error) {
	if err := s.checkFields(); err != nil {
		return nil, err
	}
	facets, err := s.facets().Compile()
	if err != nil {
		return nil, err
	}
	values, err := s.valueHits()
	if err != nil {
		return nil, err
	}
	order, err := s.makeOrder()
	if err != nil {
		return nil, err
	}
	signals, err := s.signals()
	if err != nil {
		return nil, err
	}
	rescore, err := s.compileRescore(ctx, s.request.Rescore, order.byRelevance)
	if err != nil {
		return nil, err
	}
	at, err := s.pageStart(order)
	if err != nil {
		return nil, err
	}
	request := &s.asks
	*request = collect.Request{
		Query: s.query, Filters: s.filters, Values: values,
		Limit: s.depth(at, rescore), CountTo: s.countTo(at), Sets: len(facets) > 0 && values == nil && !s.findsAll(),
		Into: &s.result,
	}
	if !order.scoreAlone() {
		request.Order = order.keys
	}
	if order.byRelevance {
		request.Signals = collectSignals(signals)
	} else {
		rescore = nil
	}
	if at.after != nil {
		request.After = at.after.after(s.view.Snapshot)
	}
	if at.before != nil {
		request.Before = at.before.before(s.view.Snapshot)
	}
	defer s.collect.Enter()()
	result, err := s.collect.Run(ctx, request)
	if err != nil {
		return nil, err
	}
	if result, err = s.relaxIfEmpty(ctx, request, result); err != nil {
		return nil, err
	}
	if rescore != nil && at.before != nil {
		if err := s.enterWindow(ctx, rescore, at, *request, result); err != nil {
			return nil, err
		}
	}
	s.meter()
	f := &s.found
	*f = found{total: query.Total{Count: int64(result.Total), Exact: result.Exact}}
	if values != nil && values.When != nil {
		f.documents = &query.Total{Count: int64(result.Documents), Exact: true}
	}
	f.hasScore = result.Scored && slices.ContainsFunc(order.keys, func(k collect.Key) bool { return k.Kind == collect.ByScore })
	pager := pager{execution: s, order: order, at: at, rescore: rescore}
	hits, err := pager.cut(ctx, result, f)
	if err != nil {
		return nil, err
	}
	f.hits = hits
	if f.facets, err = s.facets().Count(ctx, facets, values, result); err != nil {
		return nil, err
	}
	return f, nil
}

// relaxIfEmpty drops words of a query that matched nothing and runs what is left.
func (s *execution) relaxIfEmpty(ctx context.Context, request *collect.Request, result *collect.Result) (*collect.Result, error) {
	if result.Total > 0 || request.After != nil || request.Before != nil {
		if result.Total > 0 || len(result.Hits) > 0 {
			return result, nil
		}
		// A position may lead to an empty page although the search has hits.
		if hits, err := s.typed.HasHits(ctx, s.clauses); err != nil || hits {
			return result, err
		}
	}
	relaxed, err := s.typed.Relax(ctx, s.clauses)
	if err != nil || relaxed == nil {
		return result, err
	}
	s.clauses, s.relaxed = relaxed.Clauses, relaxed
	compiled, err := s.compiler.Instead(relaxed.Clauses)
	if err != nil {
		return nil, err
	}
	s.query = relaxed.Narrow(compiled)
	request.Query = s.query
	if request.Values != nil {
		request.Values.Required = s.requiredNested(request.Values.Path, s.query)
	}
	return s.collect.Run(ctx, request)
}

// relaxEmpty relaxes a query that has no hits, as a search would.
func (s *execution) relaxEmpty(ctx context.Context) error {
	if len(s.clauses) == 0 {
		return nil
	}
	hits, err := s.typed.HasHits(ctx, s.clauses)
	if err != nil || hits {
		return err
	}
	_, err = s.relaxIfEmpty(ctx, &collect.Request{Query: s.query, Filters: s.filters, CountTo: 1}, &collect.Result{})
	return err
}

// report returns the words that were dropped, or nil if none were.
func (s *execution) report() *query.Relaxed {
	if s.relaxed == nil {
		return nil
	}
	return s.relaxed.Report
}

// meter counts what was interpreted in the typed text and which words were dropped.
func (s *execution) meter() {
	s.searcher.metrics.Interpreted("number", s.typed.NumbersRead)
	s.searcher.metrics.Interpreted("value", s.typed.ValuesRead)
	if report := s.report(); report != nil {
		for _, d := range report.Dropped {
			s.searcher.metrics.Relaxed(d.Reason, 1)
		}
	}
}

// pageStart determines where the page starts from the offset and the cursors.
func (s *execution) pageStart(o *order) (*pageStart, error) {
	r := s.request
	p := &s.start
	*p = pageStart{offset: r.Offset}
	text, at := r.After, problem.At("after")
	if r.Before != "" {
		text, at = r.Before, problem.At("before")
	}
	if text == "" {
		return p, nil
	}
	c, err := decodeCursor(text, at)
	if err != nil {
		return nil, err
	}
	if c.isOffset {
		p.offset, p.fromCursor = c.offset, true
		if max := s.searcher.options.Limits.MaxPageDepth; c.offset+r.Limit > max {
			return nil, problem.SearchPagingTooDeep.New("max", max)
		}
		return p, nil
	}
	if err := c.check(o.fingerprint(s.hitKind()), o.keys, at); err != nil {
		return nil, err
	}
	if r.Pages != nil {
		return nil, problem.SearchPagesWithoutOffset.At(problem.At("pages"))
	}
	if r.Before != "" {
		p.before = c
	} else {
		p.after = c
	}
	return p, nil
}

func (p *pageStart) isPosition() bool { return p.after != nil || p.before != nil }

// depth returns the number of hits to collect for the page.
func (s *execution) depth(at *pageStart, rescore *rescoring) int {
	limit := s.request.Limit
	switch {
	case limit == 0:
		return 0
	case at.isPosition():
		return limit
	case rescore != nil && at.offset < rescore.window:
		return rescore.window
	}
	return at.offset + limit
}

// findsAll reports whether a search has neither filters nor a scoring query. It
// then finds everything, which is known before it runs.
func (s *execution) findsAll() bool {
	return len(s.filters) == 0 && scope.IsEverything(s.query) && (s.query == nil || !plan.Scores(s.query))
}

// countTo returns the number of matches up to which the total is counted.
func (s *execution) countTo(at *pageStart) int {
	r := s.request
	exact := r.ExactTotal || len(r.Facets) > 0 || r.Pages != nil || r.Limit == 0 || r.Hits != nil && r.Hits.HasWhen
	if exact {
		return collect.Everything
	}
	return max(estimateTo, at.offset+r.Limit+1)
}

// hitKind distinguishes the kinds of hits in fingerprints.
func (s *execution) hitKind() string {
	switch h := s.request.Hits; {
	case h == nil:
		return "documents"
	case h.HasWhen:
		return "mixed " + h.List
	default:
		return "values " + h.List
	}
}

// valueHits checks `hits` and returns the request for list values as hits.
func (s *execution) valueHits() (*collect.Values, error) {
	h := s.request.Hits
	if h == nil {
		return nil, nil
	}
	at := h.At.Field("path")
	field, ok := s.view.Schema.Resolve(h.List)
	switch {
	case !ok:
		return nil, problem.SearchFieldUnknown.At(at, "name", h.List)
	case !field.IsNestedList():
		return nil, problem.SearchHitsPathNotNested.At(at, "path", h.List)
	}
	values := &collect.Values{Path: field.Path, Required: s.requiredNested(field.Path, s.query)}
	if h.HasWhen {
		when, err := s.compiler.List(h.When)
		if err != nil {
			return nil, err
		}
		if when == nil {
			when = &plan.Everything{}
		}
		values.When = when
	}
	s.typed.Values = values
	return values, nil
}
