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

// population is the documents that a facet counts, and what of their list
// values counts.
type population struct {
	key     string // of the filters that narrow it
	nodes   []plan.Node
	filters []plan.Node
	sets    []*collect.Docs             // per segment; nil until they are needed
	all     bool                        // nothing narrows: every live document
	items   map[string][]*bitset.Bitset // matched list values of its documents
	matched map[string][]*bitset.Bitset // of any document; nil where all are
}

// Count counts facets over what a collected result holds. values is what makes
// list values the hits, nil when documents are.
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

// populate names the documents under the query and the kept filters. They are
// worked out when they are needed, unless ready has them.
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

// load works out the documents of a population, unless those are all.
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

// documents returns the documents of a loaded population in one segment, which
// must not be changed, and how many they are.
func (r *Request) documents(pop *population, segment int) (*bitset.Bitset, int) {
	if pop.all {
		of := r.Snapshot.Segments[segment]
		return r.liveParents(of), of.Documents
	}
	set := pop.sets[segment]
	return set.Bits(), set.Count()
}

// matchedOf returns the list values that the clauses of a population ask for,
// also of other documents; nil when they ask for none in particular.
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

// keepOf leaves those list values whose document is in the set. The values of a
// document stand directly before it. Read from the end, they are a run of ones
// behind it among all values: adding a one at its start, where the document is
// in the set, turns the run to zeros.
func keepOf(items, documents, parents *bitset.Bitset) {
	kept, in, of := items.Words(), documents.Words(), parents.Words()
	var last, carry uint64 // the document at the end of the word before; the sum's
	for i := len(kept) - 1; i >= 0; i-- {
		values, set := bits.Reverse64(^of[i]), bits.Reverse64(in[i])
		var sum uint64
		sum, carry = bits.Add64(values, set<<1|last, carry)
		last = set >> 63
		kept[i] &= bits.Reverse64(values &^ sum)
	}
}
