package definition

import (
	"sort"
	"strings"

	"github.com/quiresearch/quire/problem"
)

// check checks the expanded definition and collects all of its problems.
func (r *reader) check(d *Definition) {
	keys := 0
	r.checkFields(d, d.Fields, position{}, &keys)
	if keys > 1 {
		r.rule(problem.Path{}, problem.IndexSchemaPrimaryKeyDuplicate)
	}
	r.checkFallback(d)
	r.checkResources(d)
	if d.Ranking != nil {
		checkRanking(d.Ranking, problem.At("ranking"), func() []string { return sortedNames(d.Fields) }, topLevel(d.Fields), &r.rules)
	}
}

func (r *reader) checkFields(d *Definition, fields map[string]*Field, parent position, keys *int) {
	for _, name := range sortedNames(fields) {
		f, where := fields[name], parent.child(name)
		if !isFieldName(name) {
			r.rule(where.at, problem.IndexFieldNameInvalid, "name", name)
			continue
		}
		if f.Type == "" {
			r.rule(where.at, problem.IndexFieldTypeRequired, "name", where.name)
			continue
		}
		if orDefault(f.PrimaryKey, false) && !where.insideObject {
			*keys++
		}
		r.checkField(d, f, where, isPattern(name))
		r.checkFields(d, f.Fields, where.inside(f), keys)
	}
}

func isFieldName(name string) bool {
	for i := 0; i < len(name); i++ {
		c := name[i]
		isLetter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !isLetter && (c < '0' || c > '9') && c != '_' && c != '*' {
			return false
		}
	}
	return name != ""
}

func (r *reader) checkField(d *Definition, f *Field, where position, isWildcard bool) {
	report := func(code *problem.Code, arguments ...any) {
		r.rule(where.at, code, append([]any{"name", where.name}, arguments...)...)
	}
	multiple := orDefault(f.Multiple, false)
	if isWildcard && orDefault(f.Required, false) {
		report(problem.IndexFieldRequiredWildcardUnsupported)
	}
	if orDefault(f.PrimaryKey, false) {
		r.checkPrimaryKey(f, where, isWildcard)
	}
	// A field with several points is ordered by the nearest one.
	if (f.Sort != nil || f.Signal != nil) && multiple && f.Type != Object && f.Type != GeoPoint {
		report(problem.IndexFieldSortMultipleUnsupported)
	}
	if f.Sort != nil {
		if f.Type == Vector || f.Type == Object {
			report(problem.IndexFieldSortTypeUnsupported, "type", f.Type)
		} else if where.belowFlattened {
			report(problem.IndexFieldObjectFlattenedSortUnsupported)
		}
		if f.Sort.Collation != "" && f.Type != String {
			report(problem.IndexFieldSortCollationUnsupported)
		}
	}
	if f.Facet != nil && (f.Type == GeoPoint || f.Type == Vector || f.Type == Object) {
		report(problem.IndexFieldFacetTypeUnsupported, "type", f.Type)
	}
	if orDefault(f.Stored, false) && where.belowFlattened && f.Type != Object {
		report(problem.IndexFieldObjectFlattenedStoredUnsupported)
	}
	if f.Signal != nil {
		r.checkSignal(f, where, isWildcard)
	}
	switch {
	case f.Type == String:
		r.checkString(d, f, where)
	case f.Type.IsNumber():
		r.checkNumber(f, where)
	case f.Type == Vector:
		r.checkVector(f, where)
	case f.Type == Object:
		r.checkObject(f, where)
	}
	if f.Locales != nil && f.Type != Vector && f.Type != Object {
		r.checkLocales(d, f, where)
	}
}

func (r *reader) checkPrimaryKey(f *Field, where position, isWildcard bool) {
	if where.insideObject {
		r.rule(where.at, problem.IndexFieldObjectInnerUsageUnsupported, "name", where.name, "usage", "primaryKey")
		return
	}
	if isWildcard {
		r.rule(where.at, problem.IndexFieldPrimaryKeyWildcardUnsupported, "name", where.name)
	}
	if orDefault(f.Multiple, false) {
		r.rule(where.at, problem.IndexFieldPrimaryKeyMultipleUnsupported, "name", where.name)
	}
	if f.Type != String && !f.Type.IsWhole() {
		r.rule(where.at, problem.IndexFieldPrimaryKeyTypeUnsupported, "name", where.name, "type", f.Type)
	}
	if !orDefault(f.Required, true) {
		r.rule(where.at, problem.IndexSchemaPrimaryKeyNotRequired, "name", where.name)
	}
	if f.Locales != nil {
		r.rule(where.at, problem.IndexSchemaPrimaryKeyLocalesUnsupported, "name", where.name)
	}
}

func (r *reader) checkSignal(f *Field, where position, isWildcard bool) {
	if !f.Type.IsNumber() {
		r.rule(where.at, problem.IndexFieldSignalTypeUnsupported, "name", where.name, "type", f.Type)
	}
	if isWildcard {
		r.rule(where.at, problem.IndexFieldSignalWildcardUnsupported, "name", where.name)
	}
	if where.insideObject {
		r.rule(where.at, problem.IndexFieldObjectInnerUsageUnsupported, "name", where.name, "usage", "signal")
	}
	for _, other := range []struct {
		usage string
		given bool
	}{
		{"primaryKey", orDefault(f.PrimaryKey, false)},
		{"stored", orDefault(f.Stored, false)},
		{"locales", f.Locales != nil},
		{"filter", f.Filter != nil},
		{"facet", f.Facet != nil},
	} {
		if other.given {
			r.rule(where.at, problem.IndexFieldSignalUsageConflicting, "name", where.name, "usage", other.usage)
		}
	}
}

func (r *reader) checkNumber(f *Field, where position) {
	if v := f.Validation; v != nil {
		fits := true
		for _, bound := range []*Bound{v.Min, v.Max} {
			if bound != nil && !bound.fits(f.Type) {
				fits = false
				r.rule(where.at, problem.IndexFieldNumberBoundInvalid, "name", where.name, "value", bound.text, "type", f.Type)
			}
		}
		if fits && v.Min != nil && v.Max != nil {
			above := v.Min.float > v.Max.float
			if f.Type.IsWhole() {
				above = v.Min.whole > v.Max.whole
			}
			if above {
				r.rule(where.at, problem.IndexFieldNumberBoundsConflicting, "name", where.name)
			}
		}
	}
	if f.Unit != nil && strings.TrimSpace(*f.Unit) == "" {
		r.rule(where.at, problem.IndexFieldNumberUnitInvalid, "name", where.name)
	}
}

// Maximum settings of a vector field.
const (
	maxDimensions     = 4096
	maxM              = 512
	maxEFConstruction = 3200
)

func (r *reader) checkVector(f *Field, where position) {
	report := func(code *problem.Code, arguments ...any) {
		r.rule(where.at, code, append([]any{"name", where.name}, arguments...)...)
	}
	switch {
	case f.Dimensions == nil:
		report(problem.IndexFieldVectorDimensionsRequired)
	case *f.Dimensions < 1 || *f.Dimensions > maxDimensions:
		report(problem.IndexFieldVectorDimensionsOutOfRange, "max", maxDimensions)
	}
	if f.HNSW != nil {
		if m := orDefault(f.HNSW.M, DefaultM); m < 1 || m > maxM {
			report(problem.IndexFieldVectorHnswMOutOfRange, "max", maxM)
		}
		if ef := orDefault(f.HNSW.EFConstruction, DefaultEFConstruction); ef < 1 || ef > maxEFConstruction {
			report(problem.IndexFieldVectorHnswEfConstructionOutOfRange, "max", maxEFConstruction)
		}
	}
	if f.Filter != nil {
		report(problem.IndexFieldVectorFilterUnsupported)
	}
	if orDefault(f.Multiple, false) || where.belowFlattened {
		report(problem.IndexFieldVectorMultipleUnsupported)
	}
	if f.Locales != nil {
		report(problem.IndexFieldVectorLocalesUnsupported)
	}
}

func (r *reader) checkObject(f *Field, where position) {
	if len(f.Fields) == 0 {
		r.rule(where.at, problem.IndexFieldObjectFieldsRequired, "name", where.name)
	}
	for _, own := range []struct {
		usage string
		given bool
	}{
		{"filter", f.Filter != nil}, {"stored", orDefault(f.Stored, false)}, {"locales", f.Locales != nil},
	} {
		if own.given {
			r.rule(where.at, problem.IndexFieldObjectUsageUnsupported, "name", where.name, "usage", own.usage)
		}
	}
	multiple := orDefault(f.Multiple, false)
	switch {
	case multiple && f.Mode == "":
		r.rule(where.at.Field("mode"), problem.IndexFieldObjectModeRequired, "name", where.name)
	case !multiple && f.Mode != "":
		r.rule(where.at.Field("mode"), problem.IndexFieldObjectModeWithoutMultiple, "name", where.name)
	}
	if f.Mode == Nested && where.belowNested {
		r.rule(where.at, problem.IndexFieldObjectNestedInNested, "name", where.name)
	}
	if f.Key != nil {
		r.checkObjectKey(f, where, multiple)
	}
}

func (r *reader) checkObjectKey(f *Field, where position, multiple bool) {
	at, key := where.at.Field("key"), *f.Key
	if !multiple {
		r.rule(at, problem.IndexFieldObjectKeyWithoutMultiple, "name", where.name, "key", key)
	}
	child := f.Fields[key]
	if child == nil {
		r.unknown(at, problem.IndexFieldObjectKeyUnknown, key, sortedNames(f.Fields), "name", where.name, "key", key)
		return
	}
	reason := ""
	switch {
	case isPattern(key):
		reason = "the child is a wildcard"
	case child.Type != String && !child.Type.IsWhole():
		reason = "the child is neither a string nor a whole number"
	case orDefault(child.Multiple, false):
		reason = "the child holds several values"
	case child.Locales != nil:
		reason = "the child is locale-specific"
	case !orDefault(child.Required, false):
		reason = "the child is not required"
	}
	if reason != "" {
		r.rule(at, problem.IndexFieldObjectKeyInvalid, "name", where.name, "key", key, "reason", reason)
	}
}

func sortedNames[T any](m map[string]T) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
