package search

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/search/facet"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/search/suggest"
	"github.com/quiresearch/quire/query"
	"github.com/quiresearch/quire/settings"
)

// Suggest answers a request for suggestions.
func (s *Searcher) Suggest(ctx context.Context, view View, request *query.Suggest) (*query.Suggestions, error) {
	began := s.options.Now()
	timed, done, err := s.enter(ctx, s.options.SuggestTimeout)
	if err != nil {
		return nil, err
	}
	defer done()
	session, err := s.open(timed, view, &query.Search{
		Filters: request.Filters, FiltersText: request.FiltersText, Locale: request.Locale,
	}, began)
	if err != nil {
		return nil, s.timeout(ctx, err, s.options.SuggestTimeout)
	}
	defer session.close()
	found, err := session.suggest(timed, request)
	if err != nil {
		return nil, s.timeout(ctx, err, s.options.SuggestTimeout)
	}
	return &query.Suggestions{
		Suggestions: found, Generation: view.Generation, Freshness: view.Freshness, TookMs: s.since(began),
	}, nil
}

// suggestField is one field whose values are suggested.
type suggestField struct {
	field     *definition.ResolvedField
	declared  *settings.Field
	normalize func(text string) string
	index     *suggest.Index
	counts    []facet.Count // under the filters, by value
}

func (s *session) suggest(ctx context.Context, request *query.Suggest) ([]query.Suggestion, error) {
	if s.view.Settings == nil {
		return nil, nil
	}
	text := strings.TrimSpace(request.Text)
	var fields []*suggestField
	var found []query.Suggestion
	for i := range s.view.Settings.Fields {
		f, err := s.suggestField(ctx, &s.view.Settings.Fields[i])
		if err != nil {
			return nil, err
		}
		if f == nil {
			continue
		}
		fields = append(fields, f)
		matches := f.index.All
		if text != "" {
			matches = func() []suggest.Match { return f.index.Prefix(f.normalize(text)) }
		}
		found = append(found, f.suggestions(matches(), text, request.Limit)...)
	}
	found = best(found, request.Limit)
	if len(found) >= request.Limit || request.Typos == query.TyposOff || text == "" {
		return found, nil
	}
	type identity struct{ field, value string }
	listed := make(map[identity]bool)
	for _, one := range found {
		listed[identity{one.Field, one.Value}] = true
	}
	var corrected []query.Suggestion
	for _, f := range fields {
		normalized := f.normalize(text)
		if utf8.RuneCountInString(normalized) < suggest.MinTypoLength {
			continue
		}
		matches := slices.DeleteFunc(f.index.Near(normalized), func(m suggest.Match) bool {
			return listed[identity{f.field.Path, string(m.Value.Value)}]
		})
		corrected = append(corrected, f.suggestions(matches, text, request.Limit)...)
	}
	return append(found, best(corrected, request.Limit-len(found))...), nil
}

// best orders by count, field and value and cuts to the limit.
func best(all []query.Suggestion, limit int) []query.Suggestion {
	slices.SortFunc(all, func(a, b query.Suggestion) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Field, b.Field), cmp.Compare(a.Value, b.Value))
	})
	return all[:min(limit, len(all))]
}

// suggestField counts the values of a field under the filters, its own left
// out; nil when the field is not suggested.
func (s *session) suggestField(ctx context.Context, declared *settings.Field) (*suggestField, error) {
	field, ok := s.view.Schema.Resolve(declared.Field)
	if !declared.Suggest || !ok || field.Type != definition.String || !field.Facet || field.Hierarchy {
		return nil, nil
	}
	f := &suggestField{field: field, declared: declared}
	if err := s.prepare(ctx, f); err != nil {
		return nil, err
	}
	return f, nil
}

// prepare fills in the counts and the index of a field's values.
func (s *session) prepare(ctx context.Context, f *suggestField) error {
	normalize, err := s.normalizer(f.field)
	if err != nil {
		return err
	}
	f.normalize = normalize
	p := facetPlan{field: f.field, column: s.facetColumn(f.field), kept: s.keptFilters([]string{f.field.Path})}
	if f.counts, err = s.countValues(ctx, &p, s.populate(p.kept, nil), nil); err != nil {
		return err
	}
	s.searcher.asked.note(s.view.Schema, askedFor{askedForms, f.field.Path, s.locale})
	f.index, err = s.searcher.forms.get(ctx, s, f, p.column)
	return err
}

// normalizer returns how whole values of a field are compared with typed
// text: by the chain of its autocomplete usage.
func (s *session) normalizer(field *definition.ResolvedField) (func(string) string, error) {
	chain, err := s.view.Chains.QueryChain(field, true, chainLocale(field, plan.Variant(field, s.locale)))
	if err != nil {
		return nil, analysisFailed(field, err)
	}
	return func(text string) string { return string(chain.Normalize(s.buffer, text)) }, nil
}

// count returns how often a value occurs under the filters.
func (f *suggestField) count(value []byte) int64 {
	place, ok := suggest.Lookup(f.counts, func(c facet.Count) []byte { return c.Value }, value)
	if !ok {
		return 0
	}
	return f.counts[place].Count
}

// suggestions shows the most common of the matches that some document holds
// under the filters.
func (f *suggestField) suggestions(matches []suggest.Match, text string, limit int) []query.Suggestion {
	type counted struct {
		suggest.Match
		count int64
	}
	var held []counted
	for _, m := range matches {
		if n := f.count(m.Value.Value); n > 0 {
			held = append(held, counted{m, n})
		}
	}
	slices.SortFunc(held, func(a, b counted) int {
		return cmp.Or(cmp.Compare(b.count, a.count), slices.Compare(a.Value.Value, b.Value.Value))
	})
	var all []query.Suggestion
	for _, m := range held[:min(limit, len(held))] {
		value := string(m.Value.Value)
		one := query.Suggestion{Text: value, Field: f.field.Path, Value: value, Count: m.count, Corrected: m.Near, Label: m.Label}
		if one.Label != "" && (m.ByLabel || m.Near || text == "") {
			one.Text = one.Label
		}
		if !m.Near {
			one.Typed = suggest.Typed(one.Text, f.normalize(text), f.normalize)
		}
		all = append(all, one)
	}
	return all
}
