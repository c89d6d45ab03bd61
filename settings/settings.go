// Package settings holds the search settings of an index: ranking, query-time
// synonyms, typo exclusions and what fields do for interpretation, suggestions
// and labels.
//
// Decode reads a body strictly, Validate asks a definition whether it can do
// what the settings name, Patch applies a change object, and JSON and Version
// give the canonical form that is stored. Settings are never changed after
// decoding; any number of goroutines may read them.
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
	CountSearches  bool // count the texts that are searched for
	// UnsupportedFeatures names capabilities this node lacks. When there are
	// any, the node searches with the definition alone.
	UnsupportedFeatures []string

	document []byte            // canonical JSON
	byField  map[string]*Field // of Fields
	changes  []applied         // the changes that made these settings of others; nil: they are not a change
}

// DefaultBoost is the weight of a synonym against a typed word.
const DefaultBoost = 0.8

// SynonymSet is a set of query-time synonyms.
type SynonymSet struct {
	At        problem.Path
	Name      string
	Rules     []SynonymRule
	Fields    []string // read only when HasFields; otherwise every text field
	HasFields bool
	Boost     float64
}

// SynonymRule is either Equivalent or From and To.
type SynonymRule struct {
	Equivalent []string
	From, To   []string
}

// ExclusionList lists words that are held to their spelling.
type ExclusionList struct {
	At        problem.Path
	Name      string
	Words     []string
	Fields    []string // read only when HasFields; otherwise every text field
	HasFields bool
}

// Field is what one field does beyond its definition.
type Field struct {
	At        problem.Path
	Field     string
	Interpret bool
	Suggest   bool
	Values    []DeclaredValue
	HasValues bool

	byValue map[string]int // position in Values
}

// MaxDeclaredValues is how many values one field may declare.
const MaxDeclaredValues = 10000

// DeclaredValue gives a value a place and labels.
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

// FieldNamed returns what the settings say of a field, or nil. It may be
// called on nil.
func (s *Settings) FieldNamed(field string) *Field {
	if s == nil {
		return nil
	}
	return s.byField[field]
}

// InForce returns the settings a search runs with: none when the node lacks a
// capability they use.
func (s *Settings) InForce() *Settings {
	if s == nil || len(s.UnsupportedFeatures) > 0 {
		return nil
	}
	return s
}

// Label returns the label of a declared value in the locale that answers for
// wanted, then in the fallback locale; empty when there is none. It may be
// called on nil.
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

// Declared returns what is declared of a value, or nil. It may be called on
// nil.
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
