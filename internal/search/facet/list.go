package facet

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/quiresearch/quire/query"
	"github.com/quiresearch/quire/settings"
)

// Options says which of the counted values to show and how.
type Options struct {
	Limit    int
	Order    query.FacetOrder
	Render   func(value []byte) []byte // to JSON
	Declared *settings.Field           // nil: nothing is declared
	Locale   string                    // of labels
	Fallback string                    // locale of labels when Locale has none
}

// List returns the values to show and the total number of values.
func List(counts Counts, o Options) ([]query.FacetValue, int) {
	top, all := o.choose(counts)
	values := make([]query.FacetValue, len(top))
	for i, c := range top {
		values[i] = query.FacetValue{
			Value: o.Render(c.Value),
			Count: c.Count,
			Label: o.Declared.Label(string(c.Value), o.Locale, o.Fallback),
		}
	}
	return values, all
}

// choose returns the first Limit counts in order and the total number of counts.
func (o Options) choose(counts Counts) ([]Count, int) {
	if p := counts.part; p.Column != nil {
		switch {
		case o.Order == query.OrderValue:
			return counts.first(o.Limit), counts.used
		case o.Order == query.OrderDeclared && o.Declared != nil: // needs every value
		case len(counts.others) == 0:
			return p.top(min(o.Limit, counts.used)), counts.used
		default:
			return pick(slices.Concat(p.top(min(o.Limit, counts.used)), counts.others), o), counts.used
		}
	}
	all := counts.All()
	return pick(all, o), len(all)
}

// pick returns the first Limit counts in order. counts must be in ascending order of values.
func pick(counts []Count, o Options) []Count {
	compare := byCount
	switch {
	case o.Order == query.OrderValue:
		return counts[:min(o.Limit, len(counts))]
	case o.Order == query.OrderDeclared && o.Declared != nil:
		compare = o.byDeclaration
	}
	if len(counts) <= o.Limit {
		top := slices.Clone(counts)
		slices.SortFunc(top, compare)
		return top
	}
	// A heap of the best counts so far, the worst of them on top.
	top := make([]Count, 0, o.Limit)
	for _, c := range counts {
		switch {
		case len(top) < o.Limit:
			top = append(top, c)
			siftUp(top, compare)
		case compare(c, top[0]) < 0:
			top[0] = c
			siftDown(top, compare)
		}
	}
	slices.SortFunc(top, compare)
	return top
}

func siftUp[T any](h []T, compare func(a, b T) int) {
	for i := len(h) - 1; i > 0; {
		parent := (i - 1) / 2
		if compare(h[i], h[parent]) <= 0 {
			return
		}
		h[i], h[parent] = h[parent], h[i]
		i = parent
	}
}

func siftDown[T any](h []T, compare func(a, b T) int) {
	for i := 0; ; {
		child := 2*i + 1
		if child >= len(h) {
			return
		}
		if child+1 < len(h) && compare(h[child+1], h[child]) > 0 {
			child++
		}
		if compare(h[child], h[i]) <= 0 {
			return
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}

// byCount orders by descending count, then by value.
func byCount(a, b Count) int {
	if a.Count != b.Count {
		return cmp.Compare(b.Count, a.Count)
	}
	return bytes.Compare(a.Value, b.Value)
}

// byDeclaration orders values with a declared order by it and before all others, and equal ones
// by count.
func (o Options) byDeclaration(a, b Count) int {
	orderA, hasA := o.declared(a)
	orderB, hasB := o.declared(b)
	switch {
	case hasA != hasB:
		if hasA {
			return -1
		}
		return 1
	case hasA && orderA != orderB:
		return cmp.Compare(orderA, orderB)
	}
	return byCount(a, b)
}

func (o Options) declared(c Count) (int32, bool) {
	d := o.Declared.Declared(string(c.Value))
	if d == nil || !d.HasOrder {
		return 0, false
	}
	return d.Order, true
}
