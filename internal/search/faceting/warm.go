package faceting

import (
	"context"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/settings"
)

// use is a state of one field that requests used in a locale.
type use struct {
	kind   useKind
	field  string
	locale string
}

type useKind uint8

const (
	usedCounts useKind = iota // counts over all documents
	usedForms                 // normalized forms of suggested values
)

// uses lists what earlier requests under a schema used, and what the settings suggest.
func (c *Counter) uses(schema *definition.Schema, in *settings.Settings) []use {
	all := c.usage.List(schema)
	if in == nil {
		return all
	}
	for i := range in.Fields {
		if declared := &in.Fields[i]; declared.Suggest {
			all = append(all, use{usedForms, declared.Field, ""})
		}
	}
	return all
}

// Locales returns the locales in which there is something to warm, possibly with duplicates.
func (c *Counter) Locales(schema *definition.Schema, in *settings.Settings) []string {
	var all []string
	for _, one := range c.uses(schema, in) {
		all = append(all, one.locale)
	}
	return all
}

// Warm prepares what earlier requests used in the locale of the request. It skips fields that
// the schema no longer has.
func (r *Request) Warm(ctx context.Context) error {
	for _, one := range r.Counter.uses(r.Schema, r.Settings) {
		if one.locale != r.Locale {
			continue
		}
		if err := r.warm(ctx, one); err != nil {
			return err
		}
	}
	return nil
}

func (r *Request) warm(ctx context.Context, one use) error {
	field, ok := r.Schema.Resolve(one.field)
	if !ok || !field.Facet {
		return nil
	}
	switch one.kind {
	case usedCounts:
		f := Facet{field: field, column: r.column(field), kept: r.keptFilters(nil)}
		_, err := r.countValues(ctx, &f, r.populate(f.kept, nil), nil)
		return err
	case usedForms:
		if field.Type == definition.String && !field.Hierarchy {
			_, err := r.complete(ctx, field)
			return err
		}
	}
	return nil
}
