package rewrite

import (
	"context"
	"slices"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/internal/search/interpret"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/segment/columns"
	"github.com/quiresearch/quire/internal/segment/postings"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/query"
	"github.com/quiresearch/quire/settings"
)

// valueField is a field whose values are recognized in text.
type valueField struct {
	field    *definition.ResolvedField
	variant  string
	chain    *analysis.Chain
	declared *settings.Field
}

// valueDictionary finds typed text among the values of opted-in fields.
type valueDictionary struct {
	request *Request
	fields  []valueField
}

// dictionary returns the values that are recognized in text, or nil when no field
// is opted in.
func (r *Request) dictionary() *valueDictionary {
	if r.Settings == nil {
		return nil
	}
	d := &valueDictionary{request: r}
	for i := range r.Settings.Fields {
		declared := &r.Settings.Fields[i]
		field, ok := r.Schema.Resolve(declared.Field)
		if !declared.Interpret || !ok || field.Type != definition.String || !field.Facet || !field.Filter || field.Hierarchy {
			continue
		}
		variant := plan.Variant(field, r.Locale)
		chain, err := r.NormalizingChain(field)
		if err != nil {
			continue
		}
		r.Rewriter.usage.Note(r.Schema, use{field.Path, r.Locale})
		d.fields = append(d.fields, valueField{field: field, variant: variant, chain: chain, declared: declared})
	}
	if len(d.fields) == 0 {
		return nil
	}
	return d
}

// Find returns the fields and spellings whose value or label is the text.
func (d *valueDictionary) Find(ctx context.Context, text string) ([]interpret.Alternative, error) {
	var found []interpret.Alternative
	for i := range d.fields {
		f := &d.fields[i]
		wanted := string(f.chain.Normalize(d.request.Buffer, text))
		if wanted == "" {
			continue
		}
		values, err := d.values(ctx, f, wanted)
		if err != nil {
			return nil, err
		}
		for _, value := range values {
			found = append(found, interpret.Alternative{
				Field: interpret.Field{ResolvedField: f.field},
				Match: &query.EqualsMatcher{Value: query.TextOf(value)},
			})
		}
	}
	return found, nil
}

// values returns the distinct values of a field that normalize to wanted and that a
// live document holds, in byte order.
func (d *valueDictionary) values(ctx context.Context, f *valueField, wanted string) ([]string, error) {
	r := d.request
	distinct := make(map[string]bool)
	name := layout.Facet(f.field.Path, f.variant)
	for _, segment := range r.Snapshot.Segments {
		column := segment.Reader.Ordinals(name)
		if column == nil {
			continue
		}
		ordinals, err := r.Rewriter.values.find(ctx, segment.Reader, valueKey{name, f.chain}, column, []byte(wanted))
		if err != nil {
			return nil, err
		}
		for _, ordinal := range ordinals {
			value := string(column.Value(ordinal))
			if !distinct[value] && string(f.chain.Normalize(d.request.Buffer, value)) == wanted && f.isLive(segment, column, ordinal) {
				distinct[value] = true
			}
		}
		for i := range f.declared.Values {
			value := f.declared.Values[i].Value
			label := f.declared.Label(value, r.Locale, f.field.DefaultLocale)
			if label == "" || distinct[value] || string(f.chain.Normalize(d.request.Buffer, label)) != wanted {
				continue
			}
			if ordinal, ok := column.Lookup([]byte(value)); ok && f.isLive(segment, column, ordinal) {
				distinct[value] = true
			}
		}
	}
	values := make([]string, 0, len(distinct))
	for value := range distinct {
		values = append(values, value)
	}
	slices.Sort(values)
	return values, nil
}

// isLive reports whether a live document of the segment holds a value.
func (f *valueField) isLive(segment *snapshot.Segment, column *columns.Ordinals, ordinal uint32) bool {
	if segment.Live == nil {
		return true
	}
	terms := segment.Reader.Terms(layout.Filter(f.field.Path, f.variant))
	if terms == nil {
		return false
	}
	folded := layout.Cut(layout.Fold(f.variant, string(column.Value(ordinal)), f.field.CaseFolding))
	entry, ok := terms.Lookup([]byte(folded))
	if !ok {
		return false
	}
	var documents postings.Iterator
	terms.Iterator(&documents, entry)
	var ordinals []uint32
	for documents.NextBlock() {
		for _, doc := range documents.Docs() {
			if !segment.IsLive(doc) {
				continue
			}
			ordinals = column.Append(ordinals[:0], doc)
			if slices.Contains(ordinals, ordinal) {
				return true
			}
		}
	}
	return false
}

// build builds the value index of a field on every segment.
func (d *valueDictionary) build(ctx context.Context, field string) error {
	r := d.request
	for i := range d.fields {
		f := &d.fields[i]
		if f.field.Path != field {
			continue
		}
		name := layout.Facet(f.field.Path, f.variant)
		for _, segment := range r.Snapshot.Segments {
			column := segment.Reader.Ordinals(name)
			if column == nil {
				continue
			}
			if _, err := r.Rewriter.values.of(ctx, segment.Reader, valueKey{name, f.chain}, column); err != nil {
				return err
			}
		}
	}
	return nil
}
