package faceting

import (
	"context"
	"math/bits"
	"slices"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/search/scope"
	"github.com/quiresearch/quire/query"
)

// population is the set of documents that a facet counts, and of their list values those that
// count.
type population struct {
	key     string // of the filters that narrow it
	nodes   []plan.Node
	filters []plan.Node
	sets    []*collect.Docs             // by segment; nil until needed
	all     bool                        // nothing narrows it: every live document
	items   map[string][]*bitset.Bitset // matched list values of its documents
	matched map[string][]*bitset.Bitset // matched list values of any document; nil when all match
}

// Count counts facets over the documents of a collected result. values says which list values
// are the hits, nil when documents are.
func (r *Request) Count(ctx context.Context, facets []Facet, values *collect.Values, result *collect.Result) ([]query.FacetResult, error) {
	results := make([]query.FacetResult, len(facets))
	if len(facets) == 0 {
		return results, nil
	}
	populations := make(map[string]*population)
	of := make([]*population, len(facets))
	for i := range facets {
		p := &facets[i]
		key := keptKey(p.kept)
		if of[i] = populations[key]; of[i] == nil {
			var ready *collect.Result
			if values == nil && !slices.Contains(p.kept, false) {
				ready = result
			}
			of[i] = r.populate(p.kept, ready)
			populations[key] = of[i]
		}
	}
	all := make([]*counting, 0, len(facets))
	for i := range facets {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c, err := r.prepare(ctx, &facets[i], of[i], values, all, &results[i])
		if err != nil {
			return nil, err
		}
		if c != nil {
			all = append(all, c)
		}
	}
	if err := r.countTogether(ctx, all...); err != nil {
		return nil, err
	}
	return results, nil
}

// areListed reports whether all sets are lists.
func areListed(sets []*collect.Docs) bool {
	return !slices.ContainsFunc(sets, func(set *collect.Docs) bool {
		_, listed := set.List()
		return !listed
	})
}

func keptKey(kept []bool) string {
	key := make([]byte, len(kept))
	for i, k := range kept {
		if key[i] = '0'; k {
			key[i] = '1'
		}
	}
	return string(key)
}

// populate returns the population under the query and the kept filters. Its documents are
// computed when needed, unless ready has them.
func (r *Request) populate(kept []bool, ready *collect.Result) *population {
	pop := &population{key: keptKey(kept), items: make(map[string][]*bitset.Bitset), matched: make(map[string][]*bitset.Bitset)}
	for i, node := range r.Filters {
		if kept[i] {
			pop.filters = append(pop.filters, node)
		}
	}
	pop.nodes = append([]plan.Node{r.Query}, pop.filters...)
	pop.all = len(pop.filters) == 0 && scope.IsEverything(r.Query)
	if ready != nil {
		pop.sets = ready.Sets
	}
	return pop
}

// load computes the documents of a population, unless it has all documents.
func (r *Request) load(ctx context.Context, pop *population) error {
	if pop.all || pop.sets != nil {
		return nil
	}
	result, err := r.Collect.Run(ctx, &collect.Request{Query: r.Query, Filters: pop.filters, CountTo: collect.Everything, Sets: true})
	if err != nil {
		return err
	}
	pop.sets = result.Sets
	return nil
}

// documents returns the documents of a loaded population in one segment, and their number.
// Callers must not change the set.
func (r *Request) documents(pop *population, segment int) (*bitset.Bitset, int) {
	if pop.all {
		of := r.Snapshot.Segments[segment]
		return r.liveParents(of), of.Documents
	}
	set := pop.sets[segment]
	return set.Bits(), set.Count()
}

// matchedOf returns the list values that match the clauses of a population, including those of
// other documents; nil when no clause is about the list.
func (r *Request) matchedOf(ctx context.Context, pop *population, list string) ([]*bitset.Bitset, error) {
	if sets, ok := pop.matched[list]; ok {
		return sets, nil
	}
	required := plan.RequiredNested(list, pop.nodes...)
	if len(required) == 0 {
		return nil, nil
	}
	sets, err := r.Collect.ValueSets(ctx, list, required)
	pop.matched[list] = sets
	return sets, err
}

// itemsOf returns the matched list values of a population.
func (r *Request) itemsOf(ctx context.Context, pop *population, list string) ([]*bitset.Bitset, error) {
	if sets, ok := pop.items[list]; ok {
		return sets, nil
	}
	sets, err := r.Collect.ValueSets(ctx, list, plan.RequiredNested(list, pop.nodes...))
	if err != nil {
		return nil, err
	}
	if !pop.all {
		if err := r.load(ctx, pop); err != nil {
			return nil, err
		}
		for i, segment := range r.Snapshot.Segments {
			keepOf(sets[i], pop.sets[i].Bits(), parentsOf(segment))
		}
	}
	pop.items[list] = sets
	return sets, nil
}

// keepOf removes the list values whose document is not in the set. The values of a document
// directly precede it. Read backwards, they are a run of ones after it among all values: if the
// document is in the set, adding a one at the start of the run turns the run to zeros.
func keepOf(items, documents, parents *bitset.Bitset) {
	kept, in, of := items.Words(), documents.Words(), parents.Words()
	var last, carry uint64 // document at the end of the previous word; carry of the sum
	for i := len(kept) - 1; i >= 0; i-- {
		values, set := bits.Reverse64(^of[i]), bits.Reverse64(in[i])
		var sum uint64
		sum, carry = bits.Add64(values, set<<1|last, carry)
		last = set >> 63
		kept[i] &= bits.Reverse64(values &^ sum)
	}
}
