package definition

import (
	"slices"
	"strings"

	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/problem"
)

func (r *reader) readFields(v jsonread.Value, prefix string) map[string]*Field {
	fields := make(map[string]*Field)
	v.Entries(func(name string, entry jsonread.Value) {
		r.fields++
		fields[name] = r.readField(entry, prefix+name)
	})
	return fields
}

// readField reads one field. The type determines the properties, so it is read
// first, wherever it stands.
func (r *reader) readField(v jsonread.Value, name string) *Field {
	field := &Field{}
	input := &fieldInput{}
	r.inputs[field] = input
	if v.Kind() == jsonread.ObjectKind {
		var name []byte
		for it := jsonread.Members(v.Raw()); it.Next(); {
			if string(it.Name(&name)) == "type" {
				at := jsonread.New(it.Value(), v.Path().Field("type"), v.Found())
				if word, ok := readType(at); ok {
					field.Type = word
				} else if !at.IsNull() {
					return field // already reported; without a type the properties are unknown
				}
			}
		}
	}
	v.Members(func(property string, member jsonread.Value) bool {
		if member.IsNull() {
			input.switchOff(property)
			return property == "type" || knowsProperty(field.Type, property)
		}
		return property == "type" || r.readProperty(field, input, property, member, location{v.Path(), name})
	})
	return field
}

var typeWords = []string{
	string(String), string(Boolean), string(Int32), string(Int64), string(Float), string(Double),
	string(Timestamp), string(GeoPoint), string(Vector), string(Object),
}

// typeSynonyms maps the names that other systems use for types to ours.
var typeSynonyms = map[string]Type{
	"text": String, "keyword": String, "bool": Boolean, "int": Int32, "integer": Int32, "long": Int64, "number": Double,
	"decimal": Double, "date": Timestamp, "datetime": Timestamp, "geo": GeoPoint, "embedding": Vector, "nested": Object, "json": Object,
}

func readType(v jsonread.Value) (Type, bool) {
	text, ok := v.Text()
	if !ok || slices.Contains(typeWords, text) {
		return Type(text), ok
	}
	meant := text
	if known, ok := typeSynonyms[text]; ok {
		meant = string(known)
	}
	v.Unknown(meant, "expected one of "+strings.Join(typeWords, ", "), typeWords)
	return "", false
}

var roleWords = []string{"id", "title", "description", "tag", "path", "code", "timestamp", "geo"}

// knowsProperty reports whether fields of a type have a property. A field without a
// type, which is rejected for that, has them all.
func knowsProperty(t Type, property string) bool {
	switch property {
	case "primaryKey", "required", "multiple", "stored", "locales", "filter", "sort", "facet", "signal":
		return true
	case "role":
		return t == String || t == Timestamp || t == GeoPoint || t == ""
	case "keyword", "matching", "autocomplete", "hierarchy":
		return t == String || t == ""
	case "validation", "unit":
		return t.IsNumber() || t == ""
	case "dimensions", "similarity", "hnsw", "quantization":
		return t == Vector || t == ""
	case "fields", "mode", "key":
		return t == Object || t == ""
	}
	return false
}

func (r *reader) readProperty(f *Field, input *fieldInput, property string, v jsonread.Value, where location) bool {
	if !knowsProperty(f.Type, property) {
		return false
	}
	switch property {
	case "role":
		input.role, _ = v.Word(roleWords...)
	case "primaryKey":
		f.PrimaryKey = readBool(v)
	case "required":
		f.Required = readBool(v)
	case "multiple":
		f.Multiple = readBool(v)
	case "stored":
		f.Stored = readBool(v)
	case "locales":
		f.Locales = r.readLocales(v, input)
	case "filter":
		f.Filter = readEmpty(v)
	case "facet":
		f.Facet = readEmpty(v)
	case "signal":
		f.Signal = readEmpty(v)
	case "sort":
		f.Sort = readSort(v)
	case "keyword":
		f.Keyword = &Keyword{}
		v.Members(func(name string, member jsonread.Value) bool {
			if name == "caseFolding" {
				f.Keyword.CaseFolding = readBool(member)
			}
			return name == "caseFolding"
		})
	case "matching":
		f.Matching = r.readTextUsage(v, where, input, property)
	case "autocomplete":
		f.Autocomplete = r.readTextUsage(v, where, input, property)
	case "hierarchy":
		f.Hierarchy = &Hierarchy{}
		v.Members(func(name string, member jsonread.Value) bool {
			if name == "separator" {
				f.Hierarchy.Separator = readText(member)
			}
			return name == "separator"
		})
	case "validation":
		f.Validation = readValidation(v)
	case "unit":
		f.Unit = readText(v)
	case "dimensions":
		f.Dimensions = readInt(v)
	case "similarity":
		word, _ := v.Word(string(Cosine), string(DotProduct), string(Euclidean))
		f.Similarity = Similarity(word)
	case "quantization":
		word, _ := v.Word(string(QuantizationNone), string(QuantizationInt8), string(QuantizationInt4))
		f.Quantization = Quantization(word)
	case "hnsw":
		f.HNSW = &HNSW{}
		v.Members(func(name string, member jsonread.Value) bool {
			switch name {
			case "m":
				f.HNSW.M = readInt(member)
			case "efConstruction":
				f.HNSW.EFConstruction = readInt(member)
			default:
				return false
			}
			return true
		})
	case "fields":
		if strings.Count(where.name, ".") >= maxObjects {
			v.Invalid("objects nest deeper than 100 levels")
			return true
		}
		f.Fields = r.readFields(v, where.name+".")
	case "mode":
		word, _ := v.Word(string(Flattened), string(Nested))
		f.Mode = Mode(word)
	case "key":
		f.Key = readText(v)
	}
	return true
}

func readSort(v jsonread.Value) *Sort {
	sort := &Sort{}
	v.Members(func(name string, member jsonread.Value) bool {
		switch name {
		case "collation":
			word, _ := member.Word(string(CollationLocale), string(CollationBinary))
			sort.Collation = Collation(word)
		case "missing":
			word, _ := member.Word(string(MissingLast), string(MissingFirst))
			sort.Missing = Missing(word)
		default:
			return false
		}
		return true
	})
	return sort
}

func readValidation(v jsonread.Value) *Validation {
	validation := &Validation{}
	bound := func(member jsonread.Value) *Bound {
		switch member.Kind() {
		case jsonread.NullKind:
			return nil
		case jsonread.NumberKind:
			return boundOf(member.Raw())
		}
		member.Float() // reports the wrong kind
		return nil
	}
	v.Members(func(name string, member jsonread.Value) bool {
		switch name {
		case "min":
			validation.Min = bound(member)
		case "max":
			validation.Max = bound(member)
		default:
			return false
		}
		return true
	})
	return validation
}

func (r *reader) readLocales(v jsonread.Value, input *fieldInput) *Locales {
	locales := &Locales{}
	canonical := func(tag string) string {
		spelled, _ := r.capabilities.locale(tag)
		return spelled
	}
	tags := func(member jsonread.Value) []string {
		given, ok := member.Texts()
		if !ok {
			return nil
		}
		list := []string{}
		for _, tag := range given {
			if spelled := canonical(tag); !slices.Contains(list, spelled) {
				list = append(list, spelled)
			}
		}
		return list
	}
	v.Members(func(name string, member jsonread.Value) bool {
		switch name {
		case "defaultLocale":
			if tag, ok := member.Text(); ok {
				locales.DefaultLocale = canonical(tag)
				if tag == "" {
					member.Report(problem.RequestValueInvalid, "reason", "a locale tag is empty")
				}
			}
		case "locales":
			locales.Locales = tags(member)
			input.givesList = !member.IsNull()
		case "only":
			input.only = tags(member)
			input.givesOnly = !member.IsNull()
		case "fallback":
			locales.Fallback, _ = member.Word("enabled", "disabled")
		default:
			return false
		}
		return true
	})
	return locales
}

func readBool(v jsonread.Value) *bool {
	if value, ok := v.Bool(); ok {
		return &value
	}
	return nil
}

func readText(v jsonread.Value) *string {
	if text, ok := v.Text(); ok {
		return &text
	}
	return nil
}

func readInt(v jsonread.Value) *int {
	if n, ok := v.Int(); ok {
		return &n
	}
	return nil
}

func readFloat(v jsonread.Value) *float64 {
	if f, ok := v.Float(); ok {
		return &f
	}
	return nil
}

func readEmpty(v jsonread.Value) *Empty {
	v.Members(func(string, jsonread.Value) bool { return false })
	if v.IsNull() {
		return nil
	}
	return &Empty{}
}
