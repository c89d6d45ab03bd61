package search

import (
	"cmp"
	"context"
	"slices"
	"unicode/utf8"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/search/suggest"
	"github.com/quiresearch/quire/query"
)

// Suggest answers a request for suggestions.
func (s *Searcher) Suggest(ctx context.Context, view View, request *query.Suggest) (*query.Suggestions, error) {
	search := &query.Search{Filters: request.Filters, FiltersText: request.FiltersText, Locale: request.Locale}
	found, took, err := serve(ctx, s, s.options.SuggestTimeout, &view, search, func(w *session, _, timed context.Context) ([]query.Suggestion, error) {
		return w.suggest(timed, request)
	})
	if err != nil {
		return nil, err
	}
	return &query.Suggestions{Suggestions: found, Generation: view.Generation, Freshness: view.Freshness, TookMs: took}, nil
}

func (s *session) suggest(ctx context.Context, request *query.Suggest) ([]query.Suggestion, error) {
	text := orNothing(request.Text)
	completions, err := s.suggested(ctx)
	if err != nil {
		return nil, err
	}
	var found []query.Suggestion
	for _, c := range completions {
		ranges := c.forms.index.All()
		if text != "" {
			ranges = c.forms.index.Prefix(s.normalized(c, text))
		}
		found = s.suggestions(found, c, c.ranking.Top(ranges, request.Limit, nil), text, false)
	}
	found = best(found, request.Limit)
	if len(found) >= request.Limit || request.Typos == query.TyposOff || text == "" {
		return found, nil
	}
	var corrected []query.Suggestion
	for _, c := range completions {
		normalized := s.normalized(c, text)
		if utf8.RuneCountInString(normalized) < suggest.MinTypoLength {
			continue
		}
		listed := make(map[int]bool)
		for _, m := range c.ranking.Top(c.forms.index.Prefix(normalized), request.Limit, nil) {
			listed[m.Value] = true
		}
		matches := c.ranking.Top(c.forms.index.Near(normalized), request.Limit-len(found), listed)
		corrected = s.suggestions(corrected, c, matches, text, true)
	}
	return append(found, best(corrected, request.Limit-len(found))...), nil
}

// suggested returns the fields whose values the settings have suggested.
func (s *session) suggested(ctx context.Context) ([]*completion, error) {
	if s.view.Settings == nil {
		return nil, nil
	}
	var all []*completion
	for i := range s.view.Settings.Fields {
		declared := &s.view.Settings.Fields[i]
		field, ok := s.view.Schema.Resolve(declared.Field)
		if !declared.Suggest || !ok || field.Type != definition.String || !field.Facet || field.Hierarchy {
			continue
		}
		c, err := s.complete(ctx, field)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// best orders by count, field and value and cuts to the limit.
func best(all []query.Suggestion, limit int) []query.Suggestion {
	slices.SortFunc(all, func(a, b query.Suggestion) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Field, b.Field), cmp.Compare(a.Value, b.Value))
	})
	return all[:min(limit, len(all))]
}

// suggestions appends the matches of a field as an answer shows them.
func (s *session) suggestions(all []query.Suggestion, c *completion, matches []suggest.Match, text string, corrected bool) []query.Suggestion {
	normalized := s.normalized(c, text)
	for _, m := range matches {
		value := string(c.forms.union.Value(m.Value))
		one := query.Suggestion{
			Text: value, Field: c.field.Path, Value: value, Count: m.Count, Corrected: corrected, Label: c.label(value, s.locale),
		}
		if one.Label != "" && (m.ByLabel || corrected || text == "") {
			one.Text = one.Label
		}
		if !corrected {
			one.Typed = suggest.Typed(one.Text, normalized, func(text string) []byte { return c.chain.Normalize(s.buffer, text) })
		}
		all = append(all, one)
	}
	return all
}
