// Package layout defines the segment structures that the usages of a field become:
// their names, and how values are encoded as terms, numbers and ordinals. Indexing
// writes and search reads through it, so that the two never disagree and segments
// know nothing of fields, usages or locales.
//
// A structure is named by the concrete dotted path of the field, the usage,
// and the locale variant. A field that is not localized has the variant "".
//
//	structure     kind      holds
//	Key           terms     primary keys in text form, on root documents
//	Exists        terms     one term per path and variant that has a value
//	Lists         terms     on list values: the path of their nested list
//	ListPosition  numbers   on list values: their place in the list
//	Filter        terms     strings: folded whole values; booleans: "0", "1"
//	Filter        numbers   with points: numbers, timestamps in milliseconds;
//	                        it also orders where a document has one value
//	Matching      terms     analysed words with positions and lengths
//	Exact         terms     normalized whole values
//	Autocomplete  terms     analysed prefixes with lengths
//	Facet         ordinals  values as given; numbers as sortable keys; texts
//	                        in byte order where a document has one value
//	Hierarchy     terms     folded level paths
//	Levels        ordinals  level paths as given
//	Sort          numbers   booleans, and what Filter does not order
//	SortKey       ordinals  collation keys, and what Facet does not order
//	Signal        numbers   current values of signal fields
//	Geo           geo       points
//	Vector        vectors   one vector per document or list value
//
// All functions are pure and may be called by any number of goroutines.
package layout

import (
	"github.com/quiresearch/quire/definition"
)

// Names of structures that do not belong to a single field.
const (
	Key          = "\x00key"
	Exists       = "\x00exists"
	Lists        = "\x00lists"
	ListPosition = "\x00position"
)

// PositionGap is the distance between the last word of one value and the
// first of the next, so that no phrase spans two values of a field.
const PositionGap = 100

// LevelSeparator joins the levels of a hierarchy inside terms and ordinals,
// whatever separator the field declares.
const LevelSeparator = "/"

func name(path, usage, variant string) string {
	return path + "\x00" + usage + "\x00" + variant
}

// Filter returns the name of the structure that exact and range matchers read.
func Filter(path, variant string) string { return name(path, "filter", variant) }

// Matching returns the name of the words of a full-text usage.
func Matching(path, variant string) string { return name(path, "matching", variant) }

// Exact returns the name of the normalized whole values of a full-text usage.
func Exact(path, variant string) string { return name(path, "exact", variant) }

// Autocomplete returns the name of the prefixes of an as-you-type usage.
func Autocomplete(path, variant string) string { return name(path, "autocomplete", variant) }

// Facet returns the name of the counted values.
func Facet(path, variant string) string { return name(path, "facet", variant) }

// Hierarchy returns the name of the folded levels that the matcher `under` reads.
func Hierarchy(path, variant string) string { return name(path, "hierarchy", variant) }

// Levels returns the name of the levels that a hierarchy facet counts.
func Levels(path, variant string) string { return name(path, "levels", variant) }

// Sort returns the name of the numbers that order documents.
func Sort(path, variant string) string { return name(path, "sort", variant) }

// SortKey returns the name of the keys that order documents by text.
func SortKey(path, variant string) string { return name(path, "sortkey", variant) }

// Order returns the name of the column that orders documents by a field: numbers,
// or ordinals for strings. If documents have at most one value, it is the column
// that also serves filters (numbers) or facets (strings in byte order), so that
// values are stored once. The name depends on nothing that a definition may change
// without reindexing.
func Order(f *definition.ResolvedField, variant string) string {
	single := !f.HoldsSeveral()
	switch {
	case f.Type == definition.String && single && f.Collation == definition.CollationBinary:
		return Facet(f.Path, variant)
	case f.Type == definition.String:
		return SortKey(f.Path, variant)
	case f.Type != definition.Boolean && single:
		return Filter(f.Path, variant)
	}
	return Sort(f.Path, variant)
}

// Signal returns the name of the values of a signal field.
func Signal(path string) string { return name(path, "signal", "") }

// Geo returns the name of the points of a field, for distance matching and sorting.
func Geo(path, variant string) string { return name(path, "geo", variant) }

// Vector returns the name of the vectors of a field.
func Vector(path string) string { return name(path, "vector", "") }

// ExistsTerm returns the term of Exists for documents that have a value of the
// field in the variant.
func ExistsTerm(path, variant string) string { return path + "\x00" + variant }
