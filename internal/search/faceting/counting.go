package faceting

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quiresearch/quire/internal/search/facet"
)

// The facets of a request are counted together. Each is prepared, one after the other, which
// may search for the documents and list values that it counts. The rest of the work only reads
// columns. It is cut into jobs shared by the idle cores: ranges of the documents of a segment,
// if there are enough matches. The goroutine that does the last job of a facet merges its
// counts and lists the values, while others count the next facet.
//
// Example: three facets over 300,000 matches in one segment, two cores. Each facet is cut into
// 3 ranges. Both cores count ranges of the first; the one that ends last merges them while the
// other begins with the second.

// countTime is the approximate time to count a value.
const countTime = 3 * time.Nanosecond

const (
	// rangesEach is the number of ranges for each participating core, so that all finish at
	// about the same time.
	rangesEach = 4
	// leastCost is the smallest number of values in a range.
	leastCost = 4096
)

// counting is the counting of one facet.
type counting struct {
	parts    []facet.Part      // by segment; those of ranges are filled in before finish
	segments []*facet.Counting // parts to count by ranges; nil when there is nothing left to count
	finish   func()            // runs when everything is counted

	column string // column whose values it counts over pop; none for buckets
	pop    *population
	takers []func(facet.Counts) // of the result of finish

	listed int    // documents that finish counts by itself, unless cut is called
	cut    func() // cuts them into ranges; nil when they are too few

	whole     []job // jobs that are not cut
	wholeCost int   // of whole

	left atomic.Int32 // jobs
}

// job is a part of a counting that one goroutine does.
type job func(ctx context.Context) error

// cost returns the approximate number of values to count by ranges.
func (c *counting) cost() (cost int) {
	cost = c.listed
	for _, s := range c.segments {
		if s != nil {
			cost += s.Cost
		}
	}
	return cost
}

// counts returns the approximate number of counts to merge and list at the end.
func (c *counting) counts() (counts int) {
	for _, s := range c.segments {
		if s != nil {
			counts += s.Length()
		}
	}
	return counts
}

// jobs cuts a counting into about ranges ranges.
func (c *counting) jobs(ranges int, scratches *sync.Pool) []job {
	jobs, cost := c.whole, c.cost()
	if c.cut != nil && ranges > 1 {
		c.cut()
	}
	for _, s := range c.segments {
		if s == nil {
			continue
		}
		size := s.Documents
		if number := min(ranges*s.Cost/max(1, cost), s.Cost/leastCost); number > 1 && s.CanCut() {
			size = (size/uint32(number) + facet.RangeUnit) / facet.RangeUnit * facet.RangeUnit
		}
		for from := uint32(0); from < s.Documents; from += size {
			jobs = append(jobs, func(context.Context) error {
				s.Range(from, min(from+size, s.Documents), scratches)
				return nil
			})
		}
	}
	return jobs
}

// end gathers the counts of ranges and calls finish.
func (c *counting) end(scratches *sync.Pool) {
	for i, s := range c.segments {
		if s != nil {
			c.parts[i].Counts = s.Whole(scratches)
		}
	}
	c.finish()
}

// countTogether counts prepared countings. The facets with the most values come first: these
// take long to finish, during which others are counted.
func (r *Request) countTogether(ctx context.Context, all ...*counting) error {
	slices.SortStableFunc(all, func(a, b *counting) int { return b.counts() - a.counts() })
	costs, total := make([]int, len(all)), 0
	for i, c := range all {
		costs[i] = c.cost()
		total += costs[i] + c.wholeCost
	}
	cores := r.Collect.Cores(time.Duration(total) * countTime)
	if cores == 1 {
		return r.countInTurn(ctx, all)
	}
	var jobs []job
	for i, c := range all {
		ranges := max(1, (rangesEach*cores*costs[i]+total-1)/max(1, total))
		own := c.jobs(ranges, &r.Counter.scratches)
		if len(own) == 0 {
			own = []job{func(context.Context) error { return nil }}
		}
		c.left.Store(int32(len(own)))
		for _, work := range own {
			jobs = append(jobs, func(ctx context.Context) error {
				if err := work(ctx); err != nil {
					return err
				}
				if c.left.Add(-1) > 0 || ctx.Err() != nil {
					return ctx.Err()
				}
				c.end(&r.Counter.scratches)
				return nil
			})
		}
	}
	return r.Collect.Each(ctx, len(jobs), func(ctx context.Context, i int) error { return jobs[i](ctx) })
}

// countInTurn is countTogether on the core of the search alone.
func (r *Request) countInTurn(ctx context.Context, all []*counting) error {
	for _, c := range all {
		for _, work := range c.jobs(1, &r.Counter.scratches) {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := work(ctx); err != nil {
				return err
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		c.end(&r.Counter.scratches)
	}
	return ctx.Err()
}
