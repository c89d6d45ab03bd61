package definition

import (
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/quiresearch/quire/problem"
)

// features are the feature names this build understands, in addition to
// locale.<tag>. They are never renamed or reused.
var features = []string{
	"field.signal", "field.unit", "type.object", "type.object.flattened", "type.object.highlight",
	"type.object.highlight.nested", "type.object.key", "type.object.locales", "type.object.nesting",
	"type.object.stored", "type.object.stored.nested", "type.object.usages", "type.object.wildcard",
}

// Features returns the sorted names of the features that a node must support to
// serve the definition.
func (d *Definition) Features() []string {
	needed := make(map[string]bool)
	collectFeatures(d.Fields, position{}, needed)
	names := make([]string, 0, len(needed))
	for name := range needed {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

func collectFeatures(fields map[string]*Field, where position, needed map[string]bool) {
	for name, f := range fields {
		if f.Signal != nil {
			needed["field.signal"] = true
		}
		if f.Unit != nil {
			needed["field.unit"] = true
		}
		if f.Locales != nil {
			for _, tag := range localesOf(f) {
				needed["locale."+tag] = true
			}
		}
		if f.Type == Object {
			needed["type.object"] = true
			if f.Mode == Flattened {
				needed["type.object.flattened"] = true
			}
			if f.Key != nil {
				needed["type.object.key"] = true
			}
			if where.insideObject {
				needed["type.object.nesting"] = true
			}
		}
		if isPattern(name) && (where.insideObject || f.Type == Object) {
			needed["type.object.wildcard"] = true
		}
		if where.insideObject {
			collectChildFeatures(f, where, needed)
		}
		collectFeatures(f.Fields, where.inside(f), needed)
	}
}

func collectChildFeatures(f *Field, where position, needed map[string]bool) {
	add := func(name string) {
		if where.belowNested {
			name += ".nested"
		}
		needed[name] = true
	}
	if orDefault(f.Stored, false) {
		add("type.object.stored")
	}
	for _, usage := range []*TextUsage{f.Matching, f.Autocomplete} {
		if usage != nil && usage.Highlight != nil {
			add("type.object.highlight")
		}
	}
	if f.Locales != nil {
		needed["type.object.locales"] = true
	}
	if where.belowNested && (f.Sort != nil || f.Facet != nil || f.Matching != nil || f.Autocomplete != nil ||
		f.Hierarchy != nil || f.Type == Vector) {
		needed["type.object.usages"] = true
	}
}

// stored is the stored form of a definition.
type stored struct {
	RequiredFeatures []string       `json:"requiredFeatures"`
	Definition       jsontext.Value `json:"definition"`
}

// EncodeStored returns the stored form: the definition and the features it needs.
func (d *Definition) EncodeStored() []byte {
	data, err := json.Marshal(stored{d.Features(), d.Encode()})
	if err != nil {
		panic("definition: encode: " + err.Error()) // names and checked JSON
	}
	return data
}

// DecodeStored reads the output of EncodeStored. The error is index:unsupported if
// this node lacks features or language data that the definition needs,
// index:field:type_unrepresentable if this build does not know a field type, and
// index:definition:unrepresentable if it does not know another part.
func DecodeStored(data []byte, capabilities Capabilities) (*Definition, error) {
	var kept stored
	if err := json.Unmarshal(data, &kept); err != nil {
		return nil, problem.IndexDefinitionUnrepresentable.New().Because(err)
	}
	var lacking []string
	for _, name := range kept.RequiredFeatures {
		if tag, isLocale := strings.CutPrefix(name, "locale."); isLocale {
			if _, ok := capabilities.locale(tag); ok {
				continue
			}
		} else if slices.Contains(features, name) {
			continue
		}
		lacking = append(lacking, name)
	}
	if lacking != nil {
		return nil, problem.IndexUnsupported.New("features", lacking)
	}
	d, err := ParseStored(kept.Definition, capabilities)
	if err != nil {
		if lacking := lackingLocales(err); lacking != nil {
			return nil, problem.IndexUnsupported.New("features", lacking).Because(err)
		}
		if path, kind, found := unknownType(kept.Definition, ""); found {
			return nil, problem.IndexFieldTypeUnrepresentable.New("name", path, "type", kind).Because(err)
		}
		return nil, problem.IndexDefinitionUnrepresentable.New().Because(err)
	}
	return d, nil
}

// lackingLocales returns the locales whose data a definition needs and this node
// lacks, or nil if the definition has any other problem.
func lackingLocales(err error) []string {
	var lacking []string
	for _, p := range problem.All(err) {
		if p.Code != problem.IndexFieldAnalyzerDecompoundLocaleUnsupported {
			return nil
		}
		if name := "locale." + p.Arguments["locale"]; !slices.Contains(lacking, name) {
			lacking = append(lacking, name)
		}
	}
	return lacking
}

// unknownType returns the first field of a stored definition with a type this build
// does not know.
func unknownType(body jsontext.Value, above string) (path, kind string, found bool) {
	var fields struct {
		Fields map[string]jsontext.Value `json:"fields"`
	}
	if json.Unmarshal(body, &fields) != nil {
		return "", "", false
	}
	for _, name := range slices.Sorted(maps.Keys(fields.Fields)) {
		var field struct {
			Type string `json:"type"`
		}
		path := above + name
		if json.Unmarshal(fields.Fields[name], &field) == nil && field.Type != "" && !slices.Contains(typeWords, field.Type) {
			return path, field.Type, true
		}
		if path, kind, found := unknownType(fields.Fields[name], path+"."); found {
			return path, kind, true
		}
	}
	return "", "", false
}
