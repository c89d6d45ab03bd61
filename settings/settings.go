// Package settings holds the search settings of an index: ranking, query-time
// synonyms, typo exclusions and what fields do for interpretation, suggestions
// and labels.
//
// Decode reads a body strictly, Validate checks that a definition supports what the
// settings name, Patch applies a change object, and JSON and Version give the
// canonical form that is stored. Settings never change after decoding; any number
// of goroutines may read them.
package settings

import (
	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/locale"
	"github.com/quiresearch/quire/problem"
)

// Settings are the search settings of one index. A nil *Settings means none.
type Settings struct {
	Ranking        *definition.Ranking // nil: the definition's ranking
	Synonyms       []SynonymSet
	TypoExclusions []ExclusionList
	Fields         []Field
	CountSearches  bool // count the texts of searches
	// UnsupportedFeatures lists features this node lacks. If there are any, the node
	// searches with the definition alone.
	UnsupportedFeatures []string

	document []byte            // canonical JSON
	byField  map[string]*Field // of Fields
	changes  []applied         // that produced these settings from others; nil: not the result of a change
}

// DefaultBoost is the weight of a synonym relative to a typed word.
const DefaultBoost = 0.8

// SynonymSet is a set of query-time synonyms.
type SynonymSet struct {
	At        problem.Path
	Name      string
	Rules     []SynonymRule
	Fields    []string // used only with HasFields; otherwise every text field
	HasFields bool
	Boost     float64
}

// SynonymRule is either Equivalent or From and To.
type SynonymRule struct {
	Equivalent []string
	From, To   []string
}

// ExclusionList lists words excluded from typo tolerance.
type ExclusionList struct {
	At        problem.Path
	Name      string
	Words     []string
	Fields    []string // used only with HasFields; otherwise every text field
	HasFields bool
}

// Field holds the settings of one field.
type Field struct {
	At        problem.Path
	Field     string
	Interpret bool
	Suggest   bool
	Values    []DeclaredValue
	HasValues bool

	byValue map[string]int // position in Values
}

// MaxDeclaredValues bounds the declared values of one field.
const MaxDeclaredValues = 10000

// DeclaredValue gives a value a position and labels.
type DeclaredValue struct {
	Value    string
	Order    int32
	HasOrder bool
	Labels   []Label
}

// Label is the name of a value in one locale.
type Label struct {
	Locale string // canonical BCP 47 tag
	Text   string
}

// FieldNamed returns the settings of a field, or nil. The receiver may be nil.
func (s *Settings) FieldNamed(field string) *Field {
	if s == nil {
		return nil
	}
	return s.byField[field]
}

// InForce returns the settings a search uses: nil when the node lacks a feature
// they use.
func (s *Settings) InForce() *Settings {
	if s == nil || len(s.UnsupportedFeatures) > 0 {
		return nil
	}
	return s
}

// Label returns the label of a declared value in the locale that covers wanted,
// else in the fallback locale, else "". The receiver may be nil.
func (f *Field) Label(value, wanted, fallback string) string {
	d := f.Declared(value)
	if d == nil || len(d.Labels) == 0 {
		return ""
	}
	if label, ok := d.label(wanted); ok {
		return label
	}
	label, _ := d.label(fallback)
	return label
}

// Declared returns the declaration of a value, or nil. The receiver may be nil.
func (f *Field) Declared(value string) *DeclaredValue {
	if f == nil {
		return nil
	}
	position, ok := f.byValue[value]
	if !ok {
		return nil
	}
	return &f.Values[position]
}

func (d *DeclaredValue) label(wanted string) (string, bool) {
	if wanted == "" {
		return "", false
	}
	tags := make([]string, len(d.Labels))
	for i, label := range d.Labels {
		tags[i] = label.Locale
	}
	tag, ok := locale.Resolve(wanted, tags)
	if !ok {
		return "", false
	}
	for _, label := range d.Labels {
		if label.Locale == tag {
			return label.Text, true
		}
	}
	return "", false
}
