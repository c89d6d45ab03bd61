package plan

import (
	"fmt"
	"math"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
)

func (c *Compiler) nested(clause *query.NestedClause, in scope, origin Origin) (Node, error) {
	if in.list != "" {
		return nil, problem.SearchNestedClauseUnsupported.At(clause.At, "type", clause.Type())
	}
	at := clause.At.Field("path")
	f, ok := c.schema.Resolve(clause.List)
	switch {
	case !ok:
		return nil, problem.SearchFieldUnknown.At(at, "name", clause.List)
	case f.Type != definition.Object:
		return nil, problem.SearchMatcherTypeUnsupported.At(at, "type", f.Type, "matcher", clause.Type()).
			Advise("Name a nested list.")
	case !f.IsNestedList():
		return nil, problem.SearchNestedPathNotNested.At(at, "path", clause.List)
	}
	inner, err := c.list(clause.Clauses, scope{list: f.Path}, Origin{})
	if err != nil {
		return nil, err
	}
	origin.Field = f.Path
	node := &Nested{Origin: origin, Path: f.Path, Clause: inner}
	switch clause.Score {
	case query.ScoreMin:
		node.Fold = FoldMin
	case query.ScoreAvg:
		node.Fold = FoldAvg
	case query.ScoreTotal:
		node.Fold = FoldTotal
	}
	return node, nil
}

func (c *Compiler) knn(clause *query.KnnClause, in scope, origin Origin) (Node, error) {
	at := clause.At.Field("field")
	f, err := c.resolve(clause.Field, in, at)
	if err != nil {
		return nil, err
	}
	if f.Type != definition.Vector {
		return nil, problem.SearchMatcherTypeUnsupported.At(at, "type", f.Type, "matcher", clause.Type()).
			Advise("Name a field of type vector.")
	}
	origin.Field, origin.Usage = f.Path, "vector"
	node := &Knn{Origin: origin, Structure: layout.Vector(f.Path), K: clause.K}
	invalid := func(expected string) error {
		return problem.SearchValueInvalid.At(clause.At.Field("vector"), "name", f.Path, "expected", expected)
	}
	if len(clause.Vector) != f.Dimensions {
		return nil, invalid(fmt.Sprintf("a vector of %d numbers instead of %d", f.Dimensions, len(clause.Vector))).(*problem.Problem).
			With("actual", len(clause.Vector)).With("dimensions", f.Dimensions)
	}
	length := 0.0
	node.Vector = make([]float32, len(clause.Vector))
	for i, v := range clause.Vector {
		node.Vector[i] = float32(v)
		if narrowed := float64(node.Vector[i]); math.IsInf(narrowed, 0) || math.IsNaN(narrowed) {
			return nil, invalid("a vector of finite numbers")
		}
		length += v * v
	}
	switch f.Similarity {
	case definition.DotProduct:
		node.Similarity = DotProduct
	case definition.Euclidean:
		node.Similarity = Euclidean
	default:
		if length == 0 {
			return nil, invalid("a vector that is not all zero")
		}
	}
	if len(clause.Filter) > 0 {
		if node.Own, err = c.list(clause.Filter, scope{list: in.list}, Origin{}); err != nil {
			return nil, err
		}
	}
	node.Filter = node.Own
	if in.list == "" {
		node.Filter = narrow(in.push, node.Own)
	}
	return node, nil
}

// narrow joins two filters, either of which may be nil.
func narrow(a, b Node) Node {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return &And{Clauses: []Node{a, b}}
}

// fuse compiles a fuse clause. Its filter also narrows the knn clauses of its
// rankings. A fuse inside a ranking is unaffected: its rankings are cut without the
// filters around it.
func (c *Compiler) fuse(clause *query.FuseClause, in scope, origin Origin) (Node, error) {
	if in.list != "" {
		return nil, problem.SearchNestedClauseUnsupported.At(clause.At, "type", clause.Type())
	}
	node := &Fuse{Origin: origin, Depth: clause.Depth, RankConstant: clause.RankConstant}
	if len(clause.Filter) > 0 {
		var err error
		if node.Filter, err = c.list(clause.Filter, scope{}, Origin{}); err != nil {
			return nil, err
		}
	}
	for _, ranking := range clause.Rankings {
		inner, err := c.list(ranking.Clauses, scope{push: node.Filter}, Origin{})
		if err != nil {
			return nil, err
		}
		node.Rankings = append(node.Rankings, Ranking{Clause: inner, Weight: ranking.Weight})
	}
	return node, nil
}
