// Package settings holds the search settings of an index: ranking, query-time
// synonyms, typo exclusions and what fields do for interpretation, suggestions
// and labels.
//
// Decode reads a body strictly, Validate asks a definition whether it can do
// what the settings name, Patch applies a change object, and JSON and Version
// give the canonical form that is stored. Settings are never changed after
// decoding; any number of goroutines may read them.
package settings

import "github.com/quiresearch/quire/problem"

// Settings are the search settings of one index. A nil *Settings means none.
type Settings struct {
	Ranking        *Ranking // nil: the definition's ranking
	Synonyms       []SynonymSet
	TypoExclusions []ExclusionList
	Fields         []Field
	// UnsupportedFeatures names capabilities this node lacks. When there are
	// any, the node searches with the definition alone.
	UnsupportedFeatures []string

	document []byte // canonical JSON
}

// Ranking replaces the definition's ranking while present.
type Ranking struct {
	TieBreakers []TieBreaker
	Signals     []Signal
}

// TieBreaker orders what is equal so far.
type TieBreaker struct {
	At        problem.Path
	Field     string
	Ascending bool // descending unless said
}

// Signal lifts the score by a field's value. Parameter is the pivot, the half
// life in seconds or the ceiling, by shape.
type Signal struct {
	At        problem.Path
	Field     string
	Shape     string // saturation, decay or linear
	Parameter float64
	Weight    float64
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

// FieldNamed returns what the settings say of a field, or nil.
func (s *Settings) FieldNamed(field string) *Field {
	if s == nil {
		return nil
	}
	for i := range s.Fields {
		if s.Fields[i].Field == field {
			return &s.Fields[i]
		}
	}
	return nil
}
