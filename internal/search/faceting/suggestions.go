package faceting

import (
	"cmp"
	"context"
	"slices"
	"unicode/utf8"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/search/suggest"
	"github.com/quiresearch/quire/query"
)

// Suggest completes text to the values of the fields that settings suggest, the most frequent
// first. If typos are on, it then adds values near the text.
func (r *Request) Suggest(ctx context.Context, request *query.Suggest) ([]query.Suggestion, error) {
	text := orNothing(request.Text)
	completions, err := r.suggested(ctx)
	if err != nil {
		return nil, err
	}
	var found []query.Suggestion
	for _, c := range completions {
		ranges := c.forms.index.All()
		if text != "" {
			ranges = c.forms.index.Prefix(r.normalized(c, text))
		}
		found = r.suggestions(found, c, c.ranking.Top(ranges, request.Limit, nil), text, false)
	}
	found = best(found, request.Limit)
	if len(found) >= request.Limit || request.Typos == query.TyposOff || text == "" {
		return found, nil
	}
	var corrected []query.Suggestion
	for _, c := range completions {
		normalized := r.normalized(c, text)
		if utf8.RuneCountInString(normalized) < suggest.MinTypoLength {
			continue
		}
		listed := make(map[int]bool)
		for _, m := range c.ranking.Top(c.forms.index.Prefix(normalized), request.Limit, nil) {
			listed[m.Value] = true
		}
		matches := c.ranking.Top(c.forms.index.Near(normalized), request.Limit-len(found), listed)
		corrected = r.suggestions(corrected, c, matches, text, true)
	}
	return append(found, best(corrected, request.Limit-len(found))...), nil
}

// suggested returns completions of the fields whose values the settings suggest.
func (r *Request) suggested(ctx context.Context) ([]*completion, error) {
	if r.Settings == nil {
		return nil, nil
	}
	var all []*completion
	for i := range r.Settings.Fields {
		declared := &r.Settings.Fields[i]
		field, ok := r.Schema.Resolve(declared.Field)
		if !declared.Suggest || !ok || field.Type != definition.String || !field.Facet || field.Hierarchy {
			continue
		}
		c, err := r.complete(ctx, field)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// best sorts by count, field and value, and truncates to the limit.
func best(all []query.Suggestion, limit int) []query.Suggestion {
	slices.SortFunc(all, func(a, b query.Suggestion) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Field, b.Field), cmp.Compare(a.Value, b.Value))
	})
	return all[:min(limit, len(all))]
}

// suggestions appends the matches of a field in the form in which an answer shows them.
func (r *Request) suggestions(all []query.Suggestion, c *completion, matches []suggest.Match, text string, corrected bool) []query.Suggestion {
	normalized := r.normalized(c, text)
	for _, m := range matches {
		value := string(c.forms.union.Value(m.Value))
		one := query.Suggestion{
			Text: value, Field: c.field.Path, Value: value, Count: m.Count, Corrected: corrected, Label: c.label(value, r.Locale),
		}
		if one.Label != "" && (m.ByLabel || corrected || text == "") {
			one.Text = one.Label
		}
		if !corrected {
			one.Typed = suggest.Typed(one.Text, normalized, func(text string) []byte { return c.chain.Normalize(r.Buffer, text) })
		}
		all = append(all, one)
	}
	return all
}
