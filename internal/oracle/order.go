package oracle

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/search/plan"
)

// Sorted returns hits in an order, with equal ones in index order.
func (c *Collection) Sorted(hits []Hit, order []collect.Key) []Hit {
	sorted := slices.Clone(hits)
	sort.SliceStable(sorted, func(i, j int) bool {
		for _, key := range order {
			if n := c.compare(key, sorted[i], sorted[j]); n != 0 {
				return n < 0
			}
		}
		return false
	})
	return sorted
}

func (c *Collection) compare(key collect.Key, a, b Hit) int {
	x, hasX := c.value(key, a)
	y, hasY := c.value(key, b)
	n := 0
	switch {
	case hasX && hasY && key.Kind == collect.ByText:
		n = bytes.Compare(x.([]byte), y.([]byte))
	case hasX && hasY && key.Kind == collect.ByNumber:
		n = cmp.Compare(x.(int64), y.(int64))
	case hasX && hasY:
		n = cmp.Compare(x.(float64), y.(float64))
	case hasX != hasY:
		n = 1 // a has no value
		if hasX {
			n = -1
		}
		if key.MissingFirst {
			n = -n
		}
	}
	if key.Descending {
		return -n
	}
	return n
}

// value returns the value by which a key orders a hit.
func (c *Collection) value(key collect.Key, hit Hit) (any, bool) {
	d := hit.Document
	switch key.Kind {
	case collect.ByScore:
		return float64(float32(hit.Score)), true
	case collect.ByText:
		v, ok := d.Texts[key.Structure]
		return v, ok
	case collect.ByDistance:
		nearest := math.Inf(1)
		for _, p := range d.Points[key.Structure] {
			nearest = min(nearest, greatCircle(key.Lat, key.Lon, p.Lat, p.Lon))
		}
		return nearest, len(d.Points[key.Structure]) > 0
	}
	values := d.Numbers[key.Structure]
	if key.List != "" {
		values = nil
		for _, child := range d.Children {
			if child.List == key.List && c.satisfies(child, key.Required) {
				values = append(values, child.Numbers[key.Structure]...)
			}
		}
	}
	if len(values) == 0 {
		return nil, false
	}
	if key.Descending && key.List != "" {
		return slices.Max(values), true
	}
	return slices.Min(values), true
}

// satisfies reports whether one list value satisfies all clauses together.
func (c *Collection) satisfies(child *Document, required []*plan.Nested) bool {
	for _, n := range required {
		if ok, _ := c.Match(n.Clause, child); !ok {
			return false
		}
	}
	return true
}

// Values returns the list values of a path that satisfy all required clauses, of
// the documents in hits, with the scores of value hits.
func (c *Collection) Values(hits []Hit, path string, required []*plan.Nested) []Hit {
	var found []Hit
	for _, hit := range hits {
		for _, child := range hit.Document.Children {
			if child.List != path || !c.satisfies(child, required) {
				continue
			}
			total := hit.Score
			for _, n := range required {
				_, s := c.Match(n.Clause, child)
				total += s
			}
			found = append(found, Hit{child, total})
		}
	}
	return found
}

// Mixed returns hits in which the documents that match when are replaced by their
// list values, each with the score of its document.
func (c *Collection) Mixed(hits []Hit, path string, required []*plan.Nested, when plan.Node) []Hit {
	var found []Hit
	for _, hit := range hits {
		if ok, _ := c.Match(when, hit.Document); !ok {
			found = append(found, hit)
			continue
		}
		for _, child := range hit.Document.Children {
			if child.List == path && c.satisfies(child, required) {
				found = append(found, Hit{child, hit.Score})
			}
		}
	}
	return found
}
