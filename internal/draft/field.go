package draft

import (
	"bytes"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/quiresearch/quire/definition"
)

// Field is one drafted field, written as a person would declare it: with a role
// if one fits.
type Field struct {
	Type       definition.Type       `json:"type"`
	Role       string                `json:"role,omitzero"`
	PrimaryKey bool                  `json:"primaryKey,omitzero"`
	Multiple   bool                  `json:"multiple,omitzero"`
	Mode       definition.Mode       `json:"mode,omitzero"`
	Locales    *Locales              `json:"locales,omitzero"`
	Filter     *definition.Empty     `json:"filter,omitzero"`
	Sort       *Sort                 `json:"sort,omitzero"`
	Facet      *definition.Empty     `json:"facet,omitzero"`
	Matching   *Matching             `json:"matching,omitzero"`
	Hierarchy  *definition.Hierarchy `json:"hierarchy,omitzero"`
	Unit       string                `json:"unit,omitzero"`
	Dimensions int                   `json:"dimensions,omitzero"`
	Fields     Fields                `json:"fields,omitzero"`
}

// Sort is the sort usage: on, or explicitly off although the role includes it.
type Sort struct{ IsOff bool }

// MarshalJSON returns null for a usage that is off.
func (s *Sort) MarshalJSON() ([]byte, error) {
	if s.IsOff {
		return []byte("null"), nil
	}
	return []byte("{}"), nil
}

// Locales declares the language of a field.
type Locales struct {
	DefaultLocale string `json:"defaultLocale"`
}

// Matching is a drafted matching usage.
type Matching struct {
	Analyzer            *Preset                        `json:"analyzer,omitzero"`
	Weight              float64                        `json:"weight,omitzero"`
	Highlight           *definition.Empty              `json:"highlight,omitzero"`
	TypoTolerance       *definition.Empty              `json:"typoTolerance,omitzero"`
	Exact               *definition.Empty              `json:"exact,omitzero"`
	Decompound          string                         `json:"decompound,omitzero"`
	LengthNormalization definition.LengthNormalization `json:"lengthNormalization,omitzero"`
}

// Preset names an analyzer of the API.
type Preset struct {
	Preset string `json:"preset"`
}

// Fields are drafted fields in the order of the members in documents.
type Fields []Named

// Named is a field with its name.
type Named struct {
	Name string
	*Field
}

// Get returns the field with a name, nil if there is none.
func (f Fields) Get(name string) *Field {
	for _, one := range f {
		if one.Name == name {
			return one.Field
		}
	}
	return nil
}

// IsZero reports whether there are no fields.
func (f Fields) IsZero() bool { return f == nil }

// MarshalJSON returns the fields as an object, in order.
func (f Fields) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, one := range f {
		if i > 0 {
			out.WriteByte(',')
		}
		name, err := jsontext.AppendQuote(nil, one.Name)
		if err != nil {
			return nil, err
		}
		content, err := json.Marshal(one.Field)
		if err != nil {
			return nil, err
		}
		out.Write(name)
		out.WriteByte(':')
		out.Write(content)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

func used() *definition.Empty { return &definition.Empty{} }
