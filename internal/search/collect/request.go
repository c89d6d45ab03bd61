// Package collect runs plans on a snapshot: it finds the best hits by score or by sort keys,
// counts, gathers the sets that facets count over, and explains single documents.
//
// A Runner belongs to a node and is shared by all searches; it holds the search threads and the
// cache of filters. A Search is one search over one snapshot, used by one goroutine. Its
// statistics of terms, expansions of words and nearest vectors are computed once and serve all
// plans it runs:
//
//	s := runner.Search(snapshot)
//	result, err := s.Run(ctx, &collect.Request{Query: node, Limit: 10, CountTo: 1000})
//
// Documents are identified by their global number in the snapshot. Hits come in the requested
// order; hits that are equal in every key come in index order.
//
// Invariants:
//
//	K1  The same snapshot, plan and order give the same hits whatever the
//	    threads do and however much is skipped.
//	K2  A count is exact when it says so, and a lower bound otherwise.
//	K3  A cancelled context ends every call within a window of documents.
package collect

import (
	"github.com/quiresearch/quire/internal/search/match"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/search/score"
)

// Everything is a CountTo that counts all matches.
const Everything = int(^uint(0) >> 1)

// Request says what to find and in which order.
type Request struct {
	Query   plan.Node   // scores; nil matches everything
	Filters []plan.Node // narrow and never score

	// Order of hits; empty means by score, best first.
	Order []Key
	// Signals multiply the score. With them a plan that computes no score
	// starts from 1.
	Signals []Signal
	// NeedScores computes scores even when the order does not use them.
	NeedScores bool

	// Limit is how many hits to return, starting with the first one (or after After, or
	// directly before Before).
	Limit  int
	After  *Position // only hits after it
	Before *Position // only the last Limit hits before it

	// CountTo is how far matches are counted exactly; beyond it the search may skip documents
	// that cannot become hits.
	CountTo int
	// Sets gathers the set of matches, by segment.
	Sets bool

	// Values makes list values the hits instead of documents; nil for
	// documents.
	Values *Values

	// Into, when not nil, becomes the result, and the memory of its hits is reused.
	Into *Result
}

// Values makes the values of a nested list the hits.
type Values struct {
	Path string
	// Required are the nested nodes that a value must satisfy together; see
	// plan.RequiredNested. Empty: every value.
	Required []*plan.Nested
	// When, if not nil, says which documents expand into values; other documents are hits
	// themselves. Every hit then has the score of its document.
	When plan.Node
}

// KeyKind says what a key orders by.
type KeyKind int

// The kinds of keys.
const (
	ByScore    KeyKind = iota
	ByNumber           // a numbers column, or a signal
	ByText             // an ordinals column of collation keys or bytes
	ByDistance         // metres from an origin to the nearest point of a geo column
)

// Key is one entry of an order.
type Key struct {
	Kind         KeyKind
	Structure    string // column name, as defined by package layout
	Signal       bool   // the column is a signal: refreshed values count
	Descending   bool
	MissingFirst bool // ascending, documents without a value come first
	Lat, Lon     float64

	// List is the path of the nested list that the column belongs to, "" for a column of
	// documents. If a document has several values, the lowest counts when ascending and the
	// highest when descending, among those that satisfy Required together. List is not used
	// when values are the hits.
	List     string
	Required []*plan.Nested

	// Chain, when not empty, replaces Structure: the first source that has a value for a
	// document supplies it.
	Chain []Source
}

// Source is one target of a value chain: a column, on the documents (or list values of List)
// that match When.
type Source struct {
	Structure string
	List      string
	When      plan.Node // nil: everywhere
}

// Signal multiplies scores by the value of a column.
type Signal struct {
	score.Signal
	Structure string
	Overlay   bool // the column is a signal field: refreshed values count
	Float     bool // numbers are sortable floats
	Now       float64
}

// Value is the value of a hit for one key.
type Value struct {
	Missing bool
	Number  int64   // ByNumber
	Float   float64 // ByScore, ByDistance
	Text    []byte  // ByText
}

// Position is a position in an order: the values of a hit, and the global number of its
// document, which breaks ties. The number may lie outside the snapshot: one less than the
// first, or one more than the last.
type Position struct {
	Values []Value
	Doc    int64
}

// Hit is one hit.
type Hit struct {
	Doc    uint32 // global number of the document, or of the list value
	Score  float32
	Values []Value // one per key of the order; nil when the score alone orders
	Parent uint32  // global number of the root document
	IsItem bool    // the hit is a list value
}

// Result is the result of a request.
type Result struct {
	Hits   []Hit
	Total  int     // matches counted
	Exact  bool    // Total is exact, a lower bound otherwise
	Scored bool    // scores were computed and are meaningful
	Sets   []*Docs // by segment
	// Documents counts the matching documents when list values are the hits.
	Documents int
}

// Match is the outcome of a plan for one document.
type Match struct {
	Matched bool
	Score   float32
}

// Step is the outcome of one node of a plan for one document.
type Step struct {
	Node     plan.Node
	Matched  bool
	Score    float64
	Children []*Step
	// Filters holds the clauses that narrow a knn or fuse clause; their scores never count.
	Filters []*Step
	// Detail explains the score, for leaves that score.
	Detail *Detail
}

// Detail holds the components of a step: the readings of a word, the pair of words near each
// other, the rank in a ranking, or the number of matching list values.
type Detail struct {
	Readings []match.Reading
	Pair     *match.PairReading
	Phrase   *match.Reading // nil for a phrase that does not score
	Whole    *match.Rarity  // of the value that is the whole text
	Rank     int            // of fuse: rank in the ranking, from 1
	Values   int            // of nested: number of matching list values
}
