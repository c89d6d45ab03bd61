package oracle

import (
	"sort"

	"github.com/quiresearch/quire/internal/search/plan"
)

// Hit is a document that matches, with its score.
type Hit struct {
	Document *Document
	Score    float64
}

// Matches returns the live root documents that the query and all filters
// match, in index order.
func (c *Collection) Matches(query plan.Node, filters []plan.Node) []Hit {
	var hits []Hit
next:
	for _, d := range c.All {
		if d.Deleted || d.List != "" {
			continue
		}
		for _, f := range filters {
			if ok, _ := c.Match(f, d); !ok {
				continue next
			}
		}
		if ok, s := c.Match(query, d); ok {
			hits = append(hits, Hit{d, s})
		}
	}
	return hits
}

// Ranked returns the matches by descending score, equal ones in index order. Scores
// are compared after rounding as in the engine.
func (c *Collection) Ranked(query plan.Node, filters []plan.Node) []Hit {
	hits := c.Matches(query, filters)
	sort.SliceStable(hits, func(i, j int) bool { return float32(hits[i].Score) > float32(hits[j].Score) })
	return hits
}
