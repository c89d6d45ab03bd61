package oracle

import (
	"math"
	"sort"

	"github.com/quiresearch/quire/internal/search/plan"
)

func (c *Collection) nearest(n *plan.Knn, d *Document) (bool, float64) {
	if c.lists[n] == nil {
		c.lists[n] = c.neighbours(n)
	}
	s, ok := c.lists[n][d]
	return ok, s
}

func (c *Collection) neighbours(n *plan.Knn) map[*Document]float64 {
	type neighbour struct {
		d *Document
		s float64
	}
	var all []neighbour
	for _, other := range c.All {
		v := other.Vectors[n.Structure]
		if v == nil || other.Deleted {
			continue
		}
		if n.Filter != nil {
			if ok, _ := c.Match(n.Filter, other); !ok {
				continue
			}
		}
		all = append(all, neighbour{other, similarity(n.Similarity, n.Vector, v)})
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].s > all[j].s })
	found := map[*Document]float64{}
	for _, hit := range all[:min(n.K, len(all))] {
		found[hit.d] = hit.s
	}
	return found
}

func similarity(s plan.Similarity, a, b []float32) float64 {
	dot, la, lb, square := 0.0, 0.0, 0.0, 0.0
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		dot, la, lb, square = dot+x*y, la+x*x, lb+y*y, square+(x-y)*(x-y)
	}
	switch s {
	case plan.Euclidean:
		return 1 / (1 + square)
	case plan.DotProduct:
		return (1 + dot) / 2
	}
	return (1 + dot/math.Sqrt(la*lb)) / 2
}
