package query

// Answer is the answer to a search. AppendJSON renders it; absent parts are
// omitted, never null.
type Answer struct {
	Hits        []Hit
	Total       Total
	Documents   *Total // only with hits.when
	Facets      []FacetResult
	Page        Page
	Relaxed     *Relaxed
	Interpreted *Interpreted
	Generation  string
	Freshness   string
	TookMs      float64
}

// Hit is one document or list value. Document, Value and Key are JSON.
type Hit struct {
	ID       string
	HasID    bool // false in an index without a primary key
	HasScore bool
	// HasHighlights is set whenever highlighting was requested.
	HasHighlights bool
	Index         int // position of the list value; -1 for a document
	Score         float64
	Key           []byte
	Value         []byte
	Document      []byte
	Highlights    []FieldFragments // rendered when HasHighlights
	Matched       []MatchedValues
	// Missing holds the words of the text that the document lacks, if the search was
	// relaxed to the documents that hold most of its words; nil otherwise.
	Missing *MissingWords
}

// MissingWords are the words of a text that a document does not hold.
type MissingWords struct{ Words []string }

// FieldFragments are the marked fragments of one field.
type FieldFragments struct {
	Field     string
	Fragments []string
}

// MatchedValues are the list values of one nested list that matched.
type MatchedValues struct {
	Field       string
	Values      [][]byte // JSON objects
	HasValues   bool     // false when none of their fields is kept
	TotalValues int
}

// Total is a number of hits. An inexact count is a lower bound.
type Total struct {
	Count int64
	Exact bool
}

// FacetResult is the result of one facet: values or buckets.
type FacetResult struct {
	Name        string
	Buckets     []Bucket // rendered when HasBuckets
	HasBuckets  bool
	Values      []FacetValue
	TotalValues int
}

// FacetValue is one counted value. Value is JSON. A level of a hierarchy has its
// path, and the levels below it if requested.
type FacetValue struct {
	Value       []byte
	Path        string
	Count       int64
	Label       string
	Values      []FacetValue // rendered when HasValues
	HasValues   bool
	TotalValues int
}

// Bucket is one counted range, its bounds as sent.
type Bucket struct {
	From, To Literal
	Count    int64
}

// Page gives the position of the hits in the whole result.
type Page struct {
	Limit     int
	Offset    int
	HasOffset bool
	Next      string
	Previous  string
	Pages     *PageList
}

// PageList holds the numbered pages around the current one.
type PageList struct {
	Count          int64
	Previous, Next *PageLink
	Start, Middle  []PageLink
	End            []PageLink
	HasEnd         bool
}

// PageLink is one numbered page.
type PageLink struct {
	Number  int64
	Cursor  string
	Current bool
}

// Relaxed lists the words that were dropped.
type Relaxed struct {
	Dropped []DroppedWord
	Text    string
}

// DroppedWord is a word that was dropped, and why.
type DroppedWord struct {
	Word   string
	Reason string // unmatched or common
}

// Interpreted lists what was interpreted in the typed text.
type Interpreted struct {
	Filters []InterpretedFilter
	Text    string
}

// InterpretedFilter is one filter interpreted from the typed text.
type InterpretedFilter struct {
	Field    string
	Match    Matcher
	Words    []string
	When     []byte // as the request spelled it, nil when absent
	Fallback []byte // as the request spelled it, nil when absent
}

// Suggestions is the answer to a Suggest.
type Suggestions struct {
	Suggestions []Suggestion
	Generation  string
	Freshness   string
	TookMs      float64
}

// Suggestion is one value that completes the typed text.
type Suggestion struct {
	Text      string
	Typed     int
	Corrected bool
	Field     string
	Value     string
	Label     string
	Count     int64
}

// FacetValuesAnswer is the answer to a FacetValues.
type FacetValuesAnswer struct {
	Values      []FacetValue
	TotalValues int
	Generation  string
	Freshness   string
	TookMs      float64
}

// Explanation is the answer to an explain request.
type Explanation struct {
	Matched     bool
	Score       float64
	Detail      Step
	Rescored    *Step // the second pass; nil without one
	Relaxed     *Relaxed
	Interpreted *Interpreted
	Judgements  []Judged
	Generation  string
	Freshness   string
	TookMs      float64
}

// Judged is what one query of a judgement set, whose text is the one explained,
// says about the document, and how well the generation answers the query.
type Judged struct {
	Set      string
	Position int // of the query in the set
	ID       string
	Text     string
	Grade    *float64 // nil when the document has none
	Known    string   // the key that should come first
	Expect   []string // expectations that name the document
	Rank     int      // of the document among the first 100 hits of the query, from 1; 0 if not among them
	NDCG     *float64 // of the query; nil when it has no grades
	Unmet    []string // expectations that the query does not meet
}

// Step is one step of a score.
type Step struct {
	Matched     bool
	Score       float64
	Description string
	Clause      string // path of the clause; empty when the step is not a clause
	ClauseType  string
	Field       string
	Usage       string
	Locale      string
	Children    []Step
}
