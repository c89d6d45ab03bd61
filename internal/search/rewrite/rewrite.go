// Package rewrite decides which clauses run in place of the text a user typed.
//
// Read interprets quantities and values in the text ("red shoes under 100 kr") and
// returns clauses in which they are filters. Relax is for a query without hits: it
// returns one that requires fewer words, or matches the documents that hold most of
// them. CheckTargets validates the fields on which texts are interpreted, before
// either runs.
//
//	err := rewrite.CheckTargets(schema, compiler, search)
//	clauses, err := request.Read(ctx, search.Query)      // request.Interpreted says what was read
//	relaxed, err := request.Relax(ctx, clauses)          // nil: nothing to relax
//
// A Rewriter belongs to a node and caches the spellings of units and the values of
// segment columns. A Request is the typed text of one request: equal texts of a
// search are interpreted as one, and differing texts not at all.
//
// Invariants:
//
//	RW1  A clause that was read or relaxed has the path of the text it stands for.
//	RW2  Relaxing a text never drops what was interpreted in it.
//	RW3  A relaxed query matches a document under the filters of the search.
//
// A Rewriter may be used by any number of goroutines, a Request by one.
package rewrite

import (
	"context"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/cache"
	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/search/scope"
	"github.com/quiresearch/quire/query"
	"github.com/quiresearch/quire/settings"
)

// Rewriter caches what is expensive to compute for interpretations. All requests of
// a node share it.
type Rewriter struct {
	units  *unitCache
	values *valueIndex
	usage  *cache.Usage[definition.Schema, use]
}

// New returns a Rewriter. changed is called when StateBytes changes.
func New(changed func()) *Rewriter {
	return &Rewriter{units: newUnitCache(), values: newValueIndex(changed), usage: cache.NewUsage[definition.Schema, use]()}
}

// StateBytes returns the memory that the value indexes of open readers take.
func (w *Rewriter) StateBytes() int64 { return w.values.kept.Bytes() }

// Entries returns the number of columns with a value index.
func (w *Rewriter) Entries() int { return w.values.kept.Len() }

// Request is the typed text of one request.
type Request struct {
	*scope.Scope
	Rewriter *Rewriter
	Filters  []plan.Node     // of the search; for Relax and HasHits
	Values   *collect.Values // hits that are list values; nil: documents

	Interpreted *query.Interpreted // what was interpreted; nil: nothing
	NumbersRead int                // number of filters interpreted as numbers
	ValuesRead  int                // number of filters interpreted as values

	typed     typedText
	rewritten int // number of clauses that interpretations became
}

// use is a field whose values were recognized in text in a locale.
type use struct {
	field  string
	locale string
}

// uses lists the fields that earlier requests under a schema used and those that
// settings opt in.
func (w *Rewriter) uses(schema *definition.Schema, in *settings.Settings) []use {
	all := w.usage.List(schema)
	if in == nil {
		return all
	}
	for i := range in.Fields {
		if declared := &in.Fields[i]; declared.Interpret {
			all = append(all, use{declared.Field, ""})
		}
	}
	return all
}

// Locales returns the locales that have something to warm, possibly with
// duplicates.
func (w *Rewriter) Locales(schema *definition.Schema, in *settings.Settings) []string {
	var all []string
	for _, one := range w.uses(schema, in) {
		all = append(all, one.locale)
	}
	return all
}

// Warm builds the value indexes that earlier requests used in the locale of the
// request. It skips fields that are no longer opted in.
func (r *Request) Warm(ctx context.Context) error {
	d := r.dictionary()
	if d == nil {
		return nil
	}
	for _, one := range r.Rewriter.uses(r.Schema, r.Settings) {
		if one.locale != r.Locale {
			continue
		}
		if err := d.build(ctx, one.field); err != nil {
			return err
		}
	}
	return nil
}
