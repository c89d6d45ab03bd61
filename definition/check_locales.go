package definition

import (
	"slices"

	"github.com/quiresearch/quire/problem"
)

func (r *reader) checkLocales(d *Definition, f *Field, where position) {
	if f.Locales.Fallback == "enabled" && d.LocaleFallback == nil {
		r.rule(where.at.Field("locales").Field("fallback"), problem.IndexFieldLocalesFallbackWithoutIndex, "name", where.name)
	}
	for _, tag := range localesOf(f) {
		if r.declaration != nil && slices.Contains(r.declaration.tags, tag) {
			continue // already reported at its declaration
		}
		if _, ok := r.capabilities.locale(tag); !ok {
			r.rule(where.at, problem.IndexFieldLocalesLocaleUnsupported, "name", where.name, "locale", tag)
		}
	}
}

func (r *reader) checkFallback(d *Definition) {
	if d.LocaleFallback == nil {
		return
	}
	held := make(map[string]bool)
	collectLocales(d.Fields, held)
	if len(held) == 0 {
		r.rule(problem.At("localeFallback"), problem.IndexLocaleFallbackLocaleFieldsRequired)
		return
	}
	seen := make(map[string]bool)
	for i, tag := range d.LocaleFallback.Chain {
		at := problem.At("localeFallback.chain").Item(i)
		_, supported := r.capabilities.locale(tag)
		switch {
		case !supported:
			r.rule(at, problem.IndexLocaleFallbackLocaleUnsupported, "locale", tag)
		case seen[tag]:
			r.rule(at, problem.IndexLocaleFallbackLocaleDuplicate, "locale", tag)
		case !held[tag]:
			r.rule(at, problem.IndexLocaleFallbackLocaleNotHeld, "locale", tag)
		}
		seen[tag] = true
	}
}

func collectLocales(fields map[string]*Field, held map[string]bool) {
	for _, f := range fields {
		if f.Locales != nil {
			for _, tag := range localesOf(f) {
				held[tag] = true
			}
		}
		collectLocales(f.Fields, held)
	}
}
