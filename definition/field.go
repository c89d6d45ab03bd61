package definition

// Type is the type of a field's values.
type Type string

// The field types.
const (
	String    Type = "string"
	Boolean   Type = "boolean"
	Int32     Type = "int32"
	Int64     Type = "int64"
	Float     Type = "float"
	Double    Type = "double"
	Timestamp Type = "timestamp"
	GeoPoint  Type = "geo_point"
	Vector    Type = "vector"
	Object    Type = "object"
)

// IsNumber reports whether values are int32, int64, float or double.
func (t Type) IsNumber() bool { return t == Int32 || t == Int64 || t == Float || t == Double }

// IsWhole reports whether values are int32 or int64.
func (t Type) IsWhole() bool { return t == Int32 || t == Int64 }

// Field is one declared field. Only explicit settings are set; the Schema fills in
// defaults.
type Field struct {
	Type       Type     `json:"type"`
	PrimaryKey *bool    `json:"primaryKey,omitzero"`
	Required   *bool    `json:"required,omitzero"`
	Multiple   *bool    `json:"multiple,omitzero"`
	Stored     *bool    `json:"stored,omitzero"`
	Locales    *Locales `json:"locales,omitzero"`
	Filter     *Empty   `json:"filter,omitzero"`
	Sort       *Sort    `json:"sort,omitzero"`
	Facet      *Empty   `json:"facet,omitzero"`
	Signal     *Empty   `json:"signal,omitzero"`

	// String fields.
	Keyword      *Keyword   `json:"keyword,omitzero"`
	Matching     *TextUsage `json:"matching,omitzero"`
	Autocomplete *TextUsage `json:"autocomplete,omitzero"`
	Hierarchy    *Hierarchy `json:"hierarchy,omitzero"`

	// Number fields.
	Validation *Validation `json:"validation,omitzero"`
	Unit       *string     `json:"unit,omitzero"`

	// Vector fields.
	Dimensions   *int         `json:"dimensions,omitzero"`
	Similarity   Similarity   `json:"similarity,omitzero"`
	HNSW         *HNSW        `json:"hnsw,omitzero"`
	Quantization Quantization `json:"quantization,omitzero"`

	// Object fields.
	Mode   Mode              `json:"mode,omitzero"`
	Key    *string           `json:"key,omitzero"`
	Fields map[string]*Field `json:"fields,omitzero"`
}

// Empty is a usage without options.
type Empty struct{}

// Locales makes a field locale-specific.
type Locales struct {
	DefaultLocale string   `json:"defaultLocale,omitzero"`
	Locales       []string `json:"locales,omitzero"`
	Fallback      string   `json:"fallback,omitzero"` // "", "enabled" or "disabled"
}

// Sort holds the options of the sort usage.
type Sort struct {
	Collation Collation `json:"collation,omitzero"`
	Missing   Missing   `json:"missing,omitzero"`
}

// Collation is the order of strings.
type Collation string

// The collations; locale is the default.
const (
	CollationLocale Collation = "locale"
	CollationBinary Collation = "binary"
)

// Missing is the position of documents without a value.
type Missing string

// The placements; last is the default.
const (
	MissingLast  Missing = "last"
	MissingFirst Missing = "first"
)

// Keyword holds the options for comparing whole values of a string.
type Keyword struct {
	CaseFolding *bool `json:"caseFolding,omitzero"`
}

// Hierarchy splits values into levels.
type Hierarchy struct {
	Separator *string `json:"separator,omitzero"`
}

// Validation bounds the values of a number field.
type Validation struct {
	Min *Bound `json:"min,omitzero"`
	Max *Bound `json:"max,omitzero"`
}

// Similarity is the measure by which vectors are compared.
type Similarity string

// The similarities; cosine is the default.
const (
	Cosine     Similarity = "cosine"
	DotProduct Similarity = "dot_product"
	Euclidean  Similarity = "euclidean"
)

// Quantization is the form in which vectors are kept for searching.
type Quantization string

// The quantizations; none is the default.
const (
	QuantizationNone Quantization = "none"
	QuantizationInt8 Quantization = "int8"
	QuantizationInt4 Quantization = "int4"
)

// HNSW holds the parameters of the graph of a vector field.
type HNSW struct {
	M              *int `json:"m,omitzero"`
	EFConstruction *int `json:"efConstruction,omitzero"`
}

// Defaults of HNSW.
const (
	DefaultM              = 16
	DefaultEFConstruction = 100
)

// Mode says how a list of objects is indexed. It is empty for single objects, which
// behave as flattened.
type Mode string

// The modes of object lists.
const (
	Flattened Mode = "flattened"
	Nested    Mode = "nested"
)
