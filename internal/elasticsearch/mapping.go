package elasticsearch

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/draft"
	"github.com/quiresearch/quire/internal/locale"
)

// Mapping is the mapping of an index.
type Mapping struct {
	Properties       map[string]*Property `json:"properties"`
	Dynamic          any                  `json:"dynamic"`
	DynamicTemplates []any                `json:"dynamic_templates"`
	Runtime          map[string]any       `json:"runtime"`
}

// Property is one mapped field.
type Property struct {
	Type        string               `json:"type"`
	Properties  map[string]*Property `json:"properties"`
	Fields      map[string]*Property `json:"fields"`
	Analyzer    string               `json:"analyzer"`
	Normalizer  string               `json:"normalizer"`
	Format      string               `json:"format"`
	Index       *bool                `json:"index"`
	Enabled     *bool                `json:"enabled"`
	CopyTo      any                  `json:"copy_to"`
	IgnoreAbove int                  `json:"ignore_above"`
	Dims        int                  `json:"dims"`
	Dimension   int                  `json:"dimension"`
	Similarity  any                  `json:"similarity"`
}

// Translation is a definition translated from a mapping.
type Translation struct {
	Fields  draft.Fields
	Columns []*draft.Column
	Notes   []string // what the definition loses or changes
	Key     string   // the field of the primary key
}

type translator struct {
	notes []string
}

// where describes the position of a field.
type where struct {
	path     string
	isNested bool
	inList   bool
}

// Translate translates a mapping to a definition. The mapping does not say
// whether a field has several values; this comes from drafted documents, as do
// fields that are not mapped.
func Translate(mapping *Mapping, drafted *draft.Draft) *Translation {
	t := &translator{}
	result := &Translation{}
	result.Fields, result.Columns = t.properties(mapping.Properties, drafted.Fields, drafted.Columns, where{})
	result.Key = t.key(result, drafted)
	if len(mapping.DynamicTemplates) > 0 {
		t.note("", "dynamic templates are not translated: new fields are declared by hand")
	}
	if len(mapping.Runtime) > 0 {
		t.note("", "runtime fields are not translated: compute them before adding documents")
	}
	result.Notes = t.notes
	return result
}

func (t *translator) note(field, text string) {
	if field != "" {
		text = field + ": " + text
	}
	t.notes = append(t.notes, text)
}

// key makes _id the primary key, unless a field id always equals it, which then
// is the key.
func (t *translator) key(result *Translation, drafted *draft.Draft) string {
	for _, named := range result.Fields {
		if named.Name == KeyField {
			named.Field.Role, named.Field.Matching = "id", nil
			named.Field.Filter, named.Field.Sort, named.Field.Facet = nil, nil, nil
			return KeyField
		}
	}
	return drafted.Key
}

// properties translates the mapped fields, then those found only in documents.
func (t *translator) properties(mapped map[string]*Property, fields draft.Fields, columns []*draft.Column, at where) (draft.Fields, []*draft.Column) {
	var (
		all  draft.Fields
		plan []*draft.Column
		seen = make(map[string]*draft.Column)
	)
	for _, c := range columns {
		seen[c.Name] = c
		if mapped[c.Name] != nil {
			continue
		}
		// The two columns of a point are kept as drafted.
		plan = append(plan, c)
		if field := fields.Get(c.Field); field != nil && all.Get(c.Field) == nil {
			all = append(all, draft.Named{Name: c.Field, Field: field})
			if c.Name != KeyField {
				t.note(at.path+c.Name, "is not mapped; declared as "+string(field.Type)+", as documents hold it")
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(mapped)) {
		column := seen[name]
		if column == nil {
			column = &draft.Column{Name: name, Field: draft.FieldName(name)}
		}
		column = &draft.Column{Name: name, Field: column.Field, IsList: column.IsList, Decimal: '.', Inside: column.Inside}
		if column.Field != name {
			t.note(at.path+name, "is named "+column.Field+": names are letters, digits and _")
		}
		field := t.property(mapped[name], column, fields.Get(column.Field), where{at.path + name, at.isNested, at.inList})
		plan = append(plan, column)
		if field == nil {
			column.Form = draft.Drop
			continue
		}
		all = append(all, draft.Named{Name: column.Field, Field: field})
	}
	return all, plan
}

// property translates one field; nil means that it is left out.
func (t *translator) property(p *Property, column *draft.Column, drafted *draft.Field, at where) *draft.Field {
	if p.CopyTo != nil {
		t.note(at.path, "copy_to is not translated: a search without fields reads every text field")
	}
	if p.Properties != nil || p.Type == "object" || p.Type == "nested" {
		return t.object(p, column, drafted, at)
	}
	field := t.typed(p, column, drafted, at)
	if field == nil {
		return nil
	}
	if p.Index != nil && !*p.Index {
		*field = draft.Field{Type: field.Type, Dimensions: field.Dimensions}
	}
	if field.Type == definition.Vector || field.Type == definition.GeoPoint && (drafted == nil || drafted.Type != definition.GeoPoint) {
		column.IsList = false // a list is the components of one value
	}
	field.Multiple = column.IsList
	if field.Multiple || at.inList {
		field.Sort, field.Locales = nil, nil
		if field.Role == "title" {
			field.Role, field.Matching = "", prose()
		}
		if field.Role == "timestamp" || field.Role == "geo" {
			field.Role, field.Filter = "", &definition.Empty{}
		}
	}
	return field
}

func (t *translator) object(p *Property, column *draft.Column, drafted *draft.Field, at where) *draft.Field {
	if p.Enabled != nil && !*p.Enabled {
		t.note(at.path, "is not indexed (enabled: false) and left out")
		return nil
	}
	var inner draft.Fields
	if drafted != nil {
		inner = drafted.Fields
	}
	field := &draft.Field{Type: definition.Object, Multiple: column.IsList || p.Type == "nested"}
	column.Form, column.IsList = draft.AsObject, field.Multiple
	inside := where{at.path + ".", at.isNested, at.inList || field.Multiple}
	switch {
	case p.Type == "nested" && !at.isNested:
		field.Mode, inside.isNested = definition.Nested, true
	case p.Type == "nested":
		field.Mode = definition.Flattened
		t.note(at.path, "is nested inside a nested field; its objects are flattened")
	case field.Multiple:
		field.Mode = definition.Flattened
	}
	field.Fields, column.Inside = t.properties(p.Properties, inner, column.Inside, inside)
	if len(field.Fields) == 0 {
		t.note(at.path, "has no fields and is left out")
		return nil
	}
	return field
}

// typed translates a field according to its type.
func (t *translator) typed(p *Property, column *draft.Column, drafted *draft.Field, at where) *draft.Field {
	used := &definition.Empty{}
	number := func(kind definition.Type) *draft.Field {
		column.Form = draft.AsNumber
		return &draft.Field{Type: kind, Filter: used, Sort: &draft.Sort{}}
	}
	switch p.Type {
	case "text", "match_only_text", "annotated_text", "search_as_you_type", "semantic_text", "completion":
		column.Form = draft.AsText
		return t.text(p, drafted, at)
	case "keyword", "constant_keyword", "wildcard", "ip", "version", "icu_collation_keyword":
		column.Form = draft.AsText
		return t.keyword(p, at)
	case "byte", "short", "integer":
		return number(definition.Int32)
	case "long":
		return number(definition.Int64)
	case "token_count":
		t.note(at.path, "documents hold a text here, of which only the length is indexed; it is left out")
		return nil
	case "unsigned_long":
		t.note(at.path, "numbers above 9,223,372,036,854,775,807 do not fit int64 and are refused")
		return number(definition.Int64)
	case "half_float", "float":
		return number(definition.Float)
	case "double", "rank_feature":
		return number(definition.Double)
	case "scaled_float":
		t.note(at.path, "is a double: values are not rounded to the scale")
		return number(definition.Double)
	case "boolean":
		column.Form = draft.AsBoolean
		return &draft.Field{Type: definition.Boolean, Filter: used, Facet: used}
	case "date", "date_nanos":
		column.Form = draft.AsTimestamp
		column.DayFirst, column.Digits = dates(p.Format)
		if p.Type == "date_nanos" {
			t.note(at.path, "digits after the milliseconds are left out")
		}
		if p.Format != "" && !strings.Contains(p.Format, "strict_date_optional_time") && !strings.Contains(p.Format, "epoch_") {
			t.note(at.path, fmt.Sprintf("dates of the form %q are read by their shape", p.Format))
		}
		return &draft.Field{Type: definition.Timestamp, Role: "timestamp"}
	case "geo_point":
		column.Form = draft.AsPoint
		return &draft.Field{Type: definition.GeoPoint, Role: "geo"}
	case "dense_vector", "knn_vector":
		return t.vector(p, at)
	case "binary":
		return &draft.Field{Type: definition.String}
	case "flattened", "flat_object":
		if drafted != nil && drafted.Type == definition.Object {
			t.note(at.path, "is declared by the members that documents have; others are refused")
			column.Form = draft.AsObject
			return drafted
		}
	}
	t.note(at.path, fmt.Sprintf("the type %s has no counterpart; the field is left out", p.Type))
	return nil
}

// dates returns how dates of a format are read: the order of day and month, and the
// meaning of digits alone. A number is read in the first way that fits.
func dates(format string) (dayFirst bool, digits draft.Digits) {
	if format == "" {
		format = "strict_date_optional_time||epoch_millis"
	}
	hasOrder := false
	dayFirst = true
	for part := range strings.SplitSeq(format, "||") {
		switch strings.TrimPrefix(strings.TrimSpace(part), "strict_") {
		case "date_optional_time", "date_optional_time_nanos", "year", "yyyy", "uuuu":
			digits.Years = digits.Years || digits.Unit == 0
		case "basic_date", "yyyyMMdd", "uuuuMMdd":
			digits.Days = digits.Days || digits.Unit == 0
		case "epoch_millis":
			digits.Unit = cmp.Or(digits.Unit, time.Millisecond)
		case "epoch_second":
			digits.Unit = cmp.Or(digits.Unit, time.Second)
		default:
			part = strings.TrimSpace(part)
			isDay, isMonth := strings.HasPrefix(part, "d"), strings.HasPrefix(part, "M")
			if !hasOrder && (isDay || isMonth) {
				dayFirst, hasOrder = isDay, true
			}
		}
	}
	return dayFirst, digits
}

// languages maps the analyzers named after a language.
var languages = map[string]string{
	"arabic": "ar", "armenian": "hy", "basque": "eu", "bengali": "bn", "brazilian": "pt", "bulgarian": "bg", "catalan": "ca", "cjk": "zh",
	"czech": "cs", "danish": "da", "dutch": "nl", "english": "en", "estonian": "et", "finnish": "fi", "french": "fr", "galician": "gl",
	"german": "de", "greek": "el", "hindi": "hi", "hungarian": "hu", "indonesian": "id", "irish": "ga", "italian": "it", "latvian": "lv",
	"lithuanian": "lt", "norwegian": "no", "persian": "fa", "portuguese": "pt", "romanian": "ro", "russian": "ru", "serbian": "sr",
	"sorani": "ckb", "spanish": "es", "swedish": "sv", "thai": "th", "turkish": "tr", "kuromoji": "ja", "nori": "ko", "smartcn": "zh", "ukrainian": "uk", "polish": "pl",
}

// text translates analysed text. It takes the role of a title or description
// from the drafted field.
func (t *translator) text(p *Property, drafted *draft.Field, at where) *draft.Field {
	field := &draft.Field{Type: definition.String, Matching: prose()}
	if drafted != nil && (drafted.Role == "title" || drafted.Role == "description") && !at.inList {
		field.Role, field.Matching = drafted.Role, drafted.Matching
	}
	if drafted != nil {
		field.Locales = drafted.Locales
	}
	switch tag := languages[p.Analyzer]; {
	case tag != "" && tag != "en" && locale.Supported(tag):
		field.Locales = &draft.Locales{DefaultLocale: tag}
	case tag == "en":
		field.Locales = nil
	case p.Analyzer != "" && p.Analyzer != "standard":
		t.note(at.path, fmt.Sprintf("the analyzer %s is replaced by that of the language", p.Analyzer))
	}
	if p.Type == "completion" || p.Type == "search_as_you_type" {
		field.Role, field.Matching = "title", nil
		t.note(at.path, "is completed as it is typed by the role title; weights and contexts of suggestions are left out")
	}
	for _, name := range slices.Sorted(maps.Keys(p.Fields)) {
		t.subfield(name, p.Fields[name], field, at)
	}
	return field
}

func prose() *draft.Matching {
	return &draft.Matching{Highlight: &definition.Empty{}, TypoTolerance: &definition.Empty{}, LengthNormalization: definition.LengthModerate}
}

// subfield translates a multi-field.
func (t *translator) subfield(name string, p *Property, field *draft.Field, at where) {
	if p.Type != "keyword" {
		t.note(at.path+"."+name, "further ways of indexing a field are not translated; search "+at.path)
		return
	}
	field.Filter, field.Facet = &definition.Empty{}, &definition.Empty{}
	if field.Role == "" {
		field.Sort = &draft.Sort{}
	}
	t.note(at.path+"."+name, "filter, count and sort by "+at.path+" itself")
}

func (t *translator) keyword(p *Property, at where) *draft.Field {
	used := &definition.Empty{}
	if p.IgnoreAbove > 0 && p.IgnoreAbove != 256 && p.IgnoreAbove < 8191 {
		t.note(at.path, "values longer than ignore_above are indexed too")
	}
	if p.Type == "ip" {
		t.note(at.path, "addresses are compared as text; ranges of them cannot be asked for")
	}
	t.noteCase(p, at)
	return &draft.Field{Type: definition.String, Filter: used, Facet: used, Sort: &draft.Sort{}, Matching: &draft.Matching{Analyzer: &draft.Preset{Preset: "preserve_terms"}}}
}

func (t *translator) noteCase(p *Property, at where) {
	if p.Normalizer == "" && p.Type == "keyword" {
		t.note(at.path, "whole values are compared without case; declare keyword.caseFolding false to compare case too")
	}
}

// KeepCompounds turns off compound splitting for all fields, for a node without
// the dictionaries.
func (t *Translation) KeepCompounds() {
	keepCompounds(t.Fields)
	t.Notes = append(t.Notes, "compounds stay whole: the node lacks the dictionary of a language")
}

func keepCompounds(fields draft.Fields) {
	for _, named := range fields {
		if named.Locales != nil && locale.Compounding(named.Locales.DefaultLocale) {
			if named.Matching == nil {
				named.Matching = &draft.Matching{}
			}
			named.Matching.Decompound = "none"
		}
		keepCompounds(named.Fields)
	}
}

func (t *translator) vector(p *Property, at where) *draft.Field {
	dimensions := max(p.Dims, p.Dimension)
	if dimensions == 0 {
		t.note(at.path, "a vector without a number of dimensions is left out")
		return nil
	}
	if similarity, _ := p.Similarity.(string); similarity != "" && similarity != "cosine" {
		t.note(at.path, fmt.Sprintf("similarity %s is cosine here; declare another by hand", similarity))
	}
	return &draft.Field{Type: definition.Vector, Dimensions: dimensions}
}
