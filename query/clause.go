package query

import "github.com/quiresearch/quire/problem"

// Clause is one condition of a search: a tagged union of the *…Clause types of this
// package. Every clause knows the path it was read from; a clause that replaces
// another one keeps its path.
type Clause interface {
	// Path returns the path of the clause in the request.
	Path() problem.Path
	// Type returns the tag of the clause as spelled in requests.
	Type() string
	clause()
}

// FieldClause matches a value of one field.
type FieldClause struct {
	At    problem.Path
	Field string
	Match Matcher
}

// TextClause searches for text in fields.
type TextClause struct {
	At      problem.Path
	Fields  []TextField // empty: all searchable fields
	Combine Combine
	Text
}

// TextField names a target of a text clause.
type TextField struct {
	At     problem.Path
	Field  string
	Weight *float64 // nil: the weight the field declares
}

// KnnClause matches the documents with the nearest vectors.
type KnnClause struct {
	At     problem.Path
	Field  string
	Vector []float64
	K      int
	Filter []Clause
}

// NestedClause matches where all of its clauses match the same value of a nested
// list.
type NestedClause struct {
	At      problem.Path
	List    string // the path of the nested object field
	Clauses []Clause
	Score   NestedScore
}

// AndClause matches where all of its clauses match.
type AndClause struct {
	At      problem.Path
	Clauses []Clause
}

// OrClause matches where at least one of its clauses matches.
type OrClause struct {
	At      problem.Path
	Clauses []Clause
}

// NotClause matches where none of its clauses matches.
type NotClause struct {
	At      problem.Path
	Clauses []Clause
}

// BoostClause raises the score of what its clauses match and filters nothing.
type BoostClause struct {
	At      problem.Path
	Weight  float64
	Clauses []Clause
}

// FuseClause merges independent rankings by rank.
type FuseClause struct {
	At           problem.Path
	Rankings     []Ranking
	Depth        int
	RankConstant float64
	Filter       []Clause
}

// Ranking is one list that a FuseClause merges.
type Ranking struct {
	At      problem.Path
	Clauses []Clause
	Weight  float64
}

func (c *FieldClause) Path() problem.Path  { return c.At }
func (c *TextClause) Path() problem.Path   { return c.At }
func (c *KnnClause) Path() problem.Path    { return c.At }
func (c *NestedClause) Path() problem.Path { return c.At }
func (c *AndClause) Path() problem.Path    { return c.At }
func (c *OrClause) Path() problem.Path     { return c.At }
func (c *NotClause) Path() problem.Path    { return c.At }
func (c *BoostClause) Path() problem.Path  { return c.At }
func (c *FuseClause) Path() problem.Path   { return c.At }

func (*FieldClause) Type() string  { return "field" }
func (*TextClause) Type() string   { return "text" }
func (*KnnClause) Type() string    { return "knn" }
func (*NestedClause) Type() string { return "nested" }
func (*AndClause) Type() string    { return "and" }
func (*OrClause) Type() string     { return "or" }
func (*NotClause) Type() string    { return "not" }
func (*BoostClause) Type() string  { return "boost" }
func (*FuseClause) Type() string   { return "fuse" }

func (*FieldClause) clause()  {}
func (*TextClause) clause()   {}
func (*KnnClause) clause()    {}
func (*NestedClause) clause() {}
func (*AndClause) clause()    {}
func (*OrClause) clause()     {}
func (*NotClause) clause()    {}
func (*BoostClause) clause()  {}
func (*FuseClause) clause()   {}

// Scores reports whether a clause contributes a score. Text clauses, text matchers,
// knn, fuse and boost do; and, or and nested do when a clause inside does; not and
// all other field clauses never do.
func Scores(c Clause) bool {
	switch c := c.(type) {
	case *FieldClause:
		_, text := c.Match.(*TextMatcher)
		return text
	case *TextClause, *KnnClause, *FuseClause, *BoostClause:
		return true
	case *AndClause:
		return AnyScores(c.Clauses)
	case *OrClause:
		return AnyScores(c.Clauses)
	case *NestedClause:
		return AnyScores(c.Clauses)
	}
	return false
}

// AnyScores reports whether any of the clauses contributes a score.
func AnyScores(clauses []Clause) bool {
	for _, c := range clauses {
		if Scores(c) {
			return true
		}
	}
	return false
}

// Children returns the clauses directly inside c that take part in its matching. It
// omits the filters of knn and fuse.
func Children(c Clause) []Clause {
	switch c := c.(type) {
	case *NestedClause:
		return c.Clauses
	case *AndClause:
		return c.Clauses
	case *OrClause:
		return c.Clauses
	case *NotClause:
		return c.Clauses
	case *BoostClause:
		return c.Clauses
	case *FuseClause:
		var all []Clause
		for _, r := range c.Rankings {
			all = append(all, r.Clauses...)
		}
		return all
	}
	return nil
}
