// Package plan turns the clauses of a request into a plan: a tree of nodes
// that names segment structures and terms instead of fields and words.
//
// A plan is data. A Compiler builds it once per search, against one schema, one
// locale and one version of the search settings; match and collect run it on a
// snapshot, and explain walks the same nodes. Compiled nodes never change and may
// be used by any number of goroutines.
//
// Invariants:
//
//	L1  Every node that stems from a clause carries the clause's place.
//	L2  A node below Nested names documents that are list values of its path;
//	    every other node names root documents.
//	L3  Weights, constants and boosts are finite and not negative.
package plan

import "github.com/quiresearch/quire/definition"

// Node is one step of a plan: one of the types of this file.
type Node interface {
	// From returns the origin of the node.
	From() *Origin
}

// Origin says where a node comes from, for explain and for error paths.
type Origin struct {
	Clause string // place in the request, such as query[0].clauses[1]
	Type   string // type of the clause: field, text, knn, nested, and, or, not, boost, fuse
	Field  string // dotted path of the field, when the node reads one field
	Usage  string // matching, filter, autocomplete, matching_exact, hierarchy, vector
	Locale string // variant read, "" when the field is not localized
	Word   string // the analysed word or value, for descriptions
}

// From returns the origin itself; nodes inherit it by embedding.
func (o *Origin) From() *Origin { return o }

// Everything matches every document and scores nothing.
type Everything struct{ Origin }

// Nothing matches no document.
type Nothing struct{ Origin }

// Scoring says how occurrences of a word in one field become a score.
type Scoring struct {
	Weight float64 // factor of the whole; 0 matches and scores nothing
	Length definition.LengthNormalization
	Words  int  // distinct words of the text
	Once   bool // neither the number of occurrences nor the length counts
}

// Term matches the documents that hold one term. With a Scoring it scores them as a
// Word of one field would; without one it only filters.
type Term struct {
	Origin
	Structure string
	Text      string
	Scoring   *Scoring
}

// Word matches the documents that hold one word of a text in any of its fields, as
// typed or in another reading. It scores them by BM25F with one rarity (idf) over
// all fields.
type Word struct {
	Origin
	Fields []WordField
	Words  int    // distinct words of the text
	Bands  []Band // other readings, nearest first
}

// WordField is a field that a Word is looked up in.
type WordField struct {
	Origin
	Structure string
	Weight    float64 // 0 matches and scores nothing
	Length    definition.LengthNormalization
	Terms     []WordTerm // the word as typed, its variants and its one-word synonyms
}

// Read adds the words near a term as readings of the word in a field, one band per
// distance. Whole words at distance 0 are the word as typed and its variants and
// get no band.
func (n *Word) Read(field int, near *Expand) {
	first := 1
	if near.Prefix {
		first = 0
	}
	for distance := first; distance <= near.Edits; distance++ {
		n.read(near.Prefix, distance, BandField{Field: field, Near: near})
	}
}

// WordTerm is one term of a word.
type WordTerm struct {
	Text      string
	Boost     float64 // factor of its occurrences; 0 matches without scoring
	IsVariant bool    // the word as typed with the diacritics and signs that it lacks
}

// WordOf returns the word that a node scores, and false when there is none. A
// scoring term is a word of one field.
func WordOf(n Node) (*Word, bool) {
	switch n := n.(type) {
	case *Word:
		return n, true
	case *Term:
		if n.Scoring == nil || n.Scoring.Once {
			return nil, false
		}
		f := WordField{Origin: n.Origin, Structure: n.Structure, Weight: n.Scoring.Weight, Length: n.Scoring.Length, Terms: []WordTerm{{Text: n.Text, Boost: 1}}}
		return &Word{Origin: n.Origin, Fields: []WordField{f}, Words: n.Scoring.Words}, true
	}
	return nil, false
}

// Band matches the documents that hold a word at one distance from the typed word,
// in any of the fields.
type Band struct {
	Start bool // words that start with what was typed
	Edits int
	In    []BandField
}

// BandField is the part of a band in one field: the terms of an Expand at the
// distance of the band, or one stored prefix.
type BandField struct {
	Field  int     // index of the field in the Word
	Near   *Expand // nil for a stored prefix
	Prefix *Term   // nil for an Expand
}

// Expand matches the documents that hold a term near a word: one that starts with
// the word, one within Edits edits of it, or one that starts with a string within
// Edits edits. Terms are compared with Text, and their surface forms with Surface.
// It never scores.
type Expand struct {
	Origin
	Structure string
	Text      string
	Surface   string // the word as typed, compared with surface forms; "": as Text
	Prefix    bool   // terms may continue after the reading
	Edits     int    // 0 to 2: insert, delete, replace, transpose neighbours
	Fixed     int    // number of leading code points that must be equal
	Spellings bool   // terms are also compared as people type them without diacritics and signs
}

// TermSet matches documents that hold any of the terms; it never scores.
type TermSet struct {
	Origin
	Structure string
	Terms     []string // in ascending order, without duplicates
}

// TermRange matches documents that hold a term between two bounds, in byte order;
// it never scores.
type TermRange struct {
	Origin
	Structure string
	Intervals []TermInterval
}

// TermInterval is a range of terms. A nil bound is open.
type TermInterval struct {
	From, To                   *string
	FromExclusive, ToExclusive bool
}

// NumberRange matches documents with a number inside any of the intervals;
// it never scores.
type NumberRange struct {
	Origin
	Structure string
	Intervals []Interval // in ascending order, neither overlapping nor adjacent
}

// Interval is a range of numbers, both ends included.
type Interval struct{ Min, Max int64 }

// Distance matches documents with a point within Radius metres of the origin; it
// never scores.
type Distance struct {
	Origin
	Structure        string
	Lat, Lon, Radius float64
}

// Phrase matches documents in which the words stand in order.
type Phrase struct {
	Origin
	Structure string
	Words     []PhraseWord
	Slop      int
	Scoring   Scoring
}

// PhraseWord is one position of a phrase.
type PhraseWord struct {
	Offset  int      // distance from the first word
	Terms   []string // alternatives
	Prefix  bool     // longer words that start with the only alternative match too
	Surface string   // with Prefix: the word as typed; "": equal to the term
}

// Pair scores documents in which two neighbouring words of a text stand near each
// other. It matches only those documents and therefore stands among optional nodes.
type Pair struct {
	Origin
	First, Second *Word
	Fields        []PairField
}

// PairField is a field that is searched for a Pair.
type PairField struct {
	Field         int    // index of the field in both words
	First, Second string // terms
}

// And matches the documents that all clauses match, and everything when there are
// no clauses. Its score is the sum over the scoring clauses and the optional nodes
// that match.
type And struct {
	Origin
	Clauses  []Node
	Optional []Node
}

// Or matches the documents that at least one clause matches. Its score is the sum
// over the clauses that match.
type Or struct {
	Origin
	Clauses []Node
}

// Best matches the documents that at least one clause matches. Its score is the
// highest of theirs.
type Best struct {
	Origin
	Clauses []Node
}

// Not matches the documents that none of the clauses matches; it never scores.
type Not struct {
	Origin
	Clauses []Node
}

// Cover matches the documents whose matching clauses have a total weight of at
// least Least; it never scores. Weights are whole numbers, so that the order of
// summation does not matter.
type Cover struct {
	Origin
	Clauses []Node
	Weights []float64 // one per clause
	Least   float64
}

// Scale multiplies the score of a node.
type Scale struct {
	Origin
	Weight float64
	Clause Node
}

// Constant gives every document that its clause matches the same score.
type Constant struct {
	Origin
	Score  float64
	Clause Node
}

// Fold says how the scores of several list values are combined.
type Fold int

// The ways to combine scores.
const (
	FoldMax Fold = iota
	FoldMin
	FoldAvg
	FoldTotal
)

// Nested matches root documents that have a list value of the path that the clause
// matches.
type Nested struct {
	Origin
	Path   string
	Clause Node // over list values; an And
	Fold   Fold
}

// Similarity is the measure by which vectors are compared.
type Similarity int

// The similarities of vector fields.
const (
	Cosine Similarity = iota
	DotProduct
	Euclidean
)

// Knn matches the K documents of the whole snapshot with the nearest vectors, among
// those that Filter matches.
type Knn struct {
	Origin
	Structure  string
	Vector     []float32
	K          int
	Similarity Similarity
	Filter     Node // nil without one
	Own        Node // part of Filter that stems from the clause itself, for explain; nil without one
}

// Fuse matches the top Depth documents of each of its rankings and scores them by
// reciprocal rank.
type Fuse struct {
	Origin
	Rankings     []Ranking
	Depth        int
	RankConstant float64
	Filter       Node // nil without one
}

// Ranking is one independent search of a Fuse.
type Ranking struct {
	Clause Node
	Weight float64
}

// Children returns the direct children of n in the order in which explain evaluates
// them: clauses, then optional nodes, then filters.
func Children(n Node) []Node {
	switch n := n.(type) {
	case *And:
		if len(n.Optional) == 0 {
			return n.Clauses
		}
		all := make([]Node, 0, len(n.Clauses)+len(n.Optional))
		return append(append(all, n.Clauses...), n.Optional...)
	case *Or:
		return n.Clauses
	case *Best:
		return n.Clauses
	case *Not:
		return n.Clauses
	case *Cover:
		return n.Clauses
	case *Scale:
		return []Node{n.Clause}
	case *Constant:
		return []Node{n.Clause}
	case *Nested:
		return []Node{n.Clause}
	case *Knn:
		if n.Filter != nil {
			return []Node{n.Filter}
		}
	case *Fuse:
		all := make([]Node, 0, len(n.Rankings)+1)
		for _, r := range n.Rankings {
			all = append(all, r.Clause)
		}
		if n.Filter != nil {
			all = append(all, n.Filter)
		}
		return all
	}
	return nil
}

// Scores reports whether a node computes a score for the documents it matches.
func Scores(n Node) bool {
	switch n := n.(type) {
	case *Term:
		return n.Scoring != nil
	case *Word, *Pair, *Phrase, *Scale, *Constant, *Knn, *Fuse:
		return true
	case *And:
		for _, c := range n.Clauses {
			if Scores(c) {
				return true
			}
		}
		return len(n.Optional) > 0
	case *Or:
		return anyScores(n.Clauses)
	case *Best:
		return anyScores(n.Clauses)
	case *Nested:
		return Scores(n.Clause)
	}
	return false
}

func anyScores(nodes []Node) bool {
	for _, n := range nodes {
		if Scores(n) {
			return true
		}
	}
	return false
}

// RequiredNested returns the nested nodes on the path that every hit must satisfy:
// those at the top of the given nodes or below nothing but And (section 8). Their
// clauses together determine which list values match.
func RequiredNested(path string, nodes ...Node) []*Nested {
	var found []*Nested
	for _, n := range nodes {
		switch n := n.(type) {
		case *Nested:
			if n.Path == path {
				found = append(found, n)
			}
		case *And:
			found = append(found, RequiredNested(path, n.Clauses...)...)
		}
	}
	return found
}
