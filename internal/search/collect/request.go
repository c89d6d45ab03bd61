// Package collect runs plans on a snapshot: it finds the best hits by score or
// by sort keys, counts, gathers the sets that facets count over, and explains
// single documents.
//
// A Runner belongs to a node and is shared by all searches; it holds the
// search threads and the cache of filters. A Search is one search over one
// snapshot, used by one goroutine; what it works out once (statistics of
// terms, expansions of words, nearest vectors) serves all plans it runs:
//
//	s := runner.Search(snapshot)
//	result, err := s.Run(ctx, &collect.Request{Query: node, Limit: 10, CountTo: 1000})
//
// Documents are named by their global number in the snapshot. Hits come in
// the order asked for; what is equal in every key stands in index order.
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
	// NeedScores computes scores even when the order does not look at them.
	NeedScores bool

	// Limit is how many hits to return, from the first on (or after After, or
	// directly before Before).
	Limit  int
	After  *Position // only hits behind it
	Before *Position // only hits in front of it, the last Limit of them

	// CountTo is how far matches are counted exactly; beyond it the search
	// may skip what cannot become a hit.
	CountTo int
	// Sets gathers the set of matches per segment.
	Sets bool

	// Values makes list values the hits instead of documents; nil for
	// documents.
	Values *Values

	// Into, when not nil, becomes the result; the memory of its hits is used
	// again.
	Into *Result
}

// Values makes the values of a nested list the hits.
type Values struct {
	Path string
	// Required are the nested nodes that a value must satisfy together; see
	// plan.RequiredNested. Empty: every value.
	Required []*plan.Nested
	// When, if not nil, says which documents expand into values; the others
	// are hits themselves. Every hit then has its document's score.
	When plan.Node
}

// KeyKind is what a key orders by.
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
	Structure    string // column, as package layout names it
	Signal       bool   // the column is a signal: refreshed values count
	Descending   bool
	MissingFirst bool // ascending, documents without a value come first
	Lat, Lon     float64

	// List is the path of the nested list the column belongs to, "" for a
	// column of documents. Of several values of a document the lowest counts
	// when ascending and the highest when descending, among those that
	// satisfy Required together. Not used when values are the hits.
	List     string
	Required []*plan.Nested

	// Chain, when not empty, replaces Structure: the first source on which a
	// document has a value supplies it.
	Chain []Source
}

// Source is one target of a value chain: a column, on documents (or list
// values of List) where When holds.
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

// Value is a hit's value of one key.
type Value struct {
	Missing bool
	Number  int64   // ByNumber
	Float   float64 // ByScore, ByDistance
	Text    []byte  // ByText
}

// Position is a place in an order: the values of a hit and the global number
// of its document, which decides among equals. The number may lie outside the
// snapshot: one less than the first, or one more than the last.
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

// Result is what a request found.
type Result struct {
	Hits   []Hit
	Total  int     // matches counted
	Exact  bool    // Total is exact, a lower bound otherwise
	Scored bool    // scores were computed and mean something
	Sets   []*Docs // by segment
	// Documents counts the matching documents when list values are the hits.
	Documents int
}

// Match is how one document fares under a plan.
type Match struct {
	Matched bool
	Score   float32
}

// Step is how one node of a plan fares on one document.
type Step struct {
	Node     plan.Node
	Matched  bool
	Score    float64
	Children []*Step
	// Filters returns the clauses that narrow a knn or fuse clause; their scores
	// count nowhere.
	Filters []*Step
	// Detail holds what the score was made of, for leaves that score.
	Detail *Detail
}

// Detail is what a step is made of: the readings of a word, two words that stand
// near each other, a place in a ranking or how many list values match.
type Detail struct {
	Readings []match.Reading
	Pair     *match.PairReading
	Rank     int // of fuse: place in the ranking, from 1
	Values   int // of nested: list values that match
}
