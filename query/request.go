// Package query holds the requests of the data plane as Go types (search,
// suggest, facet values, explain, delete) and the answers to them.
//
// A body is decoded strictly: DecodeSearch and its siblings check only the shape,
// fill in defaults and collect every problem with its path. Whether a field exists,
// has the usage and accepts the value is checked later, when the request is
// compiled against an index.
//
//	request, err := query.DecodeSearch(body, query.DefaultLimits())
//
// The clause budget is checked first, and a violation is reported alone. Decoded
// requests are plain data and never change; a caller that rewrites clauses builds
// new ones. They may be read by any number of goroutines.
package query

import "github.com/quiresearch/quire/problem"

// Limits bounds what a request may demand of a node.
type Limits struct {
	MaxLimit         int
	MaxPageDepth     int
	MaxRescoreWindow int
	MaxKnnK          int // 0: no upper bound
	MaxFuseDepth     int // 0: no upper bound
	MaxClauses       int
	MaxClauseDepth   int
	MaxFacetValues   int
	MaxSuggestions   int
}

// DefaultLimits returns the limits of a node without configured ones.
func DefaultLimits() Limits {
	return Limits{
		MaxLimit:         1000,
		MaxPageDepth:     10000,
		MaxRescoreWindow: 1000,
		MaxKnnK:          1000,
		MaxFuseDepth:     1000,
		MaxClauses:       1024,
		MaxClauseDepth:   20,
		MaxFacetValues:   1000,
		MaxSuggestions:   100,
	}
}

// Limits and defaults fixed by the interface.
const (
	DefaultLimit         = 10
	DefaultFacetLimit    = 10
	MaxFacetDepth        = 10
	MaxFacetRanges       = 1000
	MaxFacets            = 256 // of one search
	MaxSorts             = 32
	MaxSignals           = 32
	MaxListedFields      = 1024    // names in one list of fields
	MaxListedValues      = 100_000 // of all in and ranges matchers together
	MaxMark              = 1000    // bytes before or after a highlighted word
	DefaultMatchedLimit  = 3
	MaxMatchedLimit      = 100
	DefaultFragments     = 3
	DefaultFragment      = 150
	MaxFragment          = 10000
	DefaultPages         = 9
	DefaultSuggestions   = 5
	DefaultFuseDepth     = 100
	DefaultRankConstant  = 60
	DefaultHighlightPre  = "<em>"
	DefaultHighlightPost = "</em>"
)

// Search is a search request with its defaults filled in.
type Search struct {
	Query       []Clause
	Filters     []Clause
	Facets      []Facet
	Sort        []Sort // empty: by score
	Signals     []Signal
	SignalsMode SignalsMode
	HasSignals  bool // distinguishes `signals: []` from an absent member
	Rescore     *Rescore
	Locale      string      // empty: the default locale of each field
	Fields      []FieldName // used only with HasFields
	HasFields   bool
	Highlight   *Highlight
	Matched     *Matched
	Hits        *Hits
	Limit       int
	Offset      int
	After       string
	Before      string
	Pages       *Pages
	ExactTotal  bool // as requested; facets, pages and limit 0 imply it as well
	Freshness   string

	// QueryText and FiltersText are the clauses as the request spelled them, nil
	// when absent.
	QueryText, FiltersText []byte
}

// FieldName is a field named in a list.
type FieldName struct {
	At    problem.Path
	Field string
}

// Facet requests the counts of one field.
type Facet struct {
	At             problem.Path
	Name           string
	Field          string
	Limit          int
	Order          FacetOrder
	Ranges         []FacetRange // nil: count values
	Level          string       // `path`: the level whose children are counted
	Depth          int
	Tree           bool     // path or depth was given
	ExcludeFilters []string // fields whose filters do not apply to this facet
	When           []Clause // of a value chain
	Fallback       []Target // of a value chain
}

// FacetOrder is the order in which values are listed.
type FacetOrder string

const (
	OrderCount    FacetOrder = "count"
	OrderValue    FacetOrder = "value"
	OrderDeclared FacetOrder = "declared"
)

// FacetRange is one bucket: From inclusive, To exclusive, nil for no bound.
type FacetRange struct {
	At       problem.Path
	From, To Literal
}

// SortType is the kind of a sort entry.
type SortType string

const (
	SortField    SortType = "field"
	SortScore    SortType = "score"
	SortDistance SortType = "distance"
)

// Sort is one entry of the order of hits.
type Sort struct {
	At         problem.Path
	Type       SortType
	Field      string
	Descending bool
	HasOrigin  bool
	Lat, Lon   float64
	When       []Clause // of a value chain
	Fallback   []Target // of a value chain
}

// SignalsMode says how a request's signals combine with those of the index.
type SignalsMode string

const (
	SignalsAdd     SignalsMode = "add"
	SignalsReplace SignalsMode = "replace"
)

// SignalShape is the function that maps a field's value to a number from 0 to 1.
type SignalShape string

const (
	Saturation SignalShape = "saturation"
	Decay      SignalShape = "decay"
	Linear     SignalShape = "linear"
)

// Signal raises the score by a field's value. Parameter is the pivot, the half-life
// in seconds or the ceiling, depending on the shape.
type Signal struct {
	At        problem.Path
	Field     string
	Shape     SignalShape
	Parameter float64
	Weight    float64
}

// Rescore is the second pass over the best documents.
type Rescore struct {
	At      problem.Path
	Window  int
	Boost   []Clause
	Signals []Signal
	Weight  float64
}

// Highlight requests marked fragments.
type Highlight struct {
	At     problem.Path
	Fields []HighlightField
}

// HighlightField is one field to return fragments of.
type HighlightField struct {
	At        problem.Path
	Field     string
	Fragments int
	Length    int
	Pre, Post string
}

// Matched requests the list values that matched.
type Matched struct {
	At     problem.Path
	Fields []MatchedField
}

// MatchedField is one nested list whose matched values are returned.
type MatchedField struct {
	At        problem.Path
	Field     string
	Limit     int
	Fields    []FieldName // used only with HasFields
	HasFields bool
}

// Hits makes the matched values of a nested list the hits.
type Hits struct {
	At        problem.Path
	List      string      // the path of the nested object field
	Fields    []FieldName // used only with HasFields
	HasFields bool
	When      []Clause // used only with HasWhen
	HasWhen   bool
}

// Pages requests numbered pages.
type Pages struct {
	Max int
}

// Suggest is a request for suggestions.
type Suggest struct {
	Text      string
	Locale    string
	Filters   []Clause
	Limit     int
	Typos     Typos
	Freshness string

	FiltersText []byte // the filters as the request spelled them, nil when absent
}

// FacetValues is a request for the values of one facet. The path of the request
// names the field.
type FacetValues struct {
	Query     []Clause
	Filters   []Clause
	Prefix    string
	Locale    string
	Limit     int
	Order     FacetOrder
	Freshness string

	// QueryText and FiltersText are the clauses as the request spelled them,
	// nil when absent.
	QueryText, FiltersText []byte
}

// Delete is a request to delete documents: exactly one of keys, query, all.
type Delete struct {
	Keys    []Literal // used only with HasKeys
	HasKeys bool
	Query   []Clause
	All     bool
	Locale  string
}
