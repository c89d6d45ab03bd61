package oracle

import (
	"slices"

	"github.com/quiresearch/quire/internal/search/plan"
)

// Match reports whether a node matches a document, and its score.
func (c *Collection) Match(n plan.Node, d *Document) (bool, float64) {
	switch n := n.(type) {
	case nil, *plan.Everything:
		return true, 0
	case *plan.Nothing:
		return false, 0
	case *plan.Term:
		return c.term(n, d)
	case *plan.Word:
		return c.word(n, d)
	case *plan.Pair:
		return c.pair(n, d)
	case *plan.Expand:
		return anyTerm(d.Terms[n.Structure], func(t string) bool { _, ok := reading(n, t); return ok }), 0
	case *plan.TermSet:
		return anyTerm(d.Terms[n.Structure], func(t string) bool { return slices.Contains(n.Terms, t) }), 0
	case *plan.TermRange:
		return anyTerm(d.Terms[n.Structure], func(t string) bool { return inIntervals(t, n.Intervals) }), 0
	case *plan.NumberRange:
		return slices.ContainsFunc(d.Numbers[n.Structure], func(v int64) bool {
			return slices.ContainsFunc(n.Intervals, func(i plan.Interval) bool { return i.Min <= v && v <= i.Max })
		}), 0
	case *plan.Distance:
		return slices.ContainsFunc(d.Points[n.Structure], func(p Point) bool {
			return greatCircle(n.Lat, n.Lon, p.Lat, p.Lon) <= n.Radius
		}), 0
	case *plan.Phrase:
		return c.phrase(n, d)
	case *plan.And:
		return c.and(n, d)
	case *plan.Or:
		matched, total := false, 0.0
		for _, clause := range n.Clauses {
			if ok, s := c.Match(clause, d); ok {
				matched, total = true, total+s
			}
		}
		return matched, total
	case *plan.Best:
		matched, best := false, 0.0
		for _, clause := range n.Clauses {
			if ok, s := c.Match(clause, d); ok {
				matched, best = true, max(best, s)
			}
		}
		return matched, best
	case *plan.Not:
		for _, clause := range n.Clauses {
			if ok, _ := c.Match(clause, d); ok {
				return false, 0
			}
		}
		return true, 0
	case *plan.Scale:
		ok, s := c.Match(n.Clause, d)
		return ok, s * n.Weight
	case *plan.Constant:
		ok, _ := c.Match(n.Clause, d)
		return ok, n.Score
	case *plan.Nested:
		return c.nested(n, d)
	case *plan.Knn:
		return c.nearest(n, d)
	case *plan.Fuse:
		return c.fuse(n, d)
	}
	panic("oracle: unknown node")
}

func (c *Collection) and(n *plan.And, d *Document) (bool, float64) {
	total := 0.0
	for _, clause := range n.Clauses {
		ok, s := c.Match(clause, d)
		if !ok {
			return false, 0
		}
		total += s
	}
	for _, clause := range n.Optional {
		if ok, s := c.Match(clause, d); ok {
			total += s
		}
	}
	return true, total
}

func (c *Collection) nested(n *plan.Nested, d *Document) (bool, float64) {
	var scores []float64
	for _, child := range d.Children {
		if child.List != n.Path {
			continue
		}
		if ok, s := c.Match(n.Clause, child); ok {
			scores = append(scores, s)
		}
	}
	if len(scores) == 0 {
		return false, 0
	}
	total := 0.0
	for _, s := range scores {
		total += s
	}
	switch n.Fold {
	case plan.FoldMax:
		return true, slices.Max(scores)
	case plan.FoldMin:
		return true, slices.Min(scores)
	case plan.FoldAvg:
		return true, total / float64(len(scores))
	}
	return true, total
}

func (c *Collection) fuse(n *plan.Fuse, d *Document) (bool, float64) {
	if c.lists[n] == nil {
		found := map[*Document]float64{}
		for _, ranking := range n.Rankings {
			filters := []plan.Node{}
			if n.Filter != nil {
				filters = append(filters, n.Filter)
			}
			for i, hit := range c.Ranked(ranking.Clause, filters) {
				if i < n.Depth {
					found[hit.Document] += ranking.Weight / (n.RankConstant + float64(i+1))
				}
			}
		}
		c.lists[n] = found
	}
	s, ok := c.lists[n][d]
	return ok, s
}
