package faceting

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quiresearch/quire/internal/search/facet"
)

// The facets of a request are counted together: each is prepared, one after the
// other, which may search for the documents and list values that it counts. What
// is left then reads columns alone. It is cut into jobs that the cores that are
// idle share: ranges of the documents of a segment, where there are enough
// matches. The goroutine that does the last job of a facet merges its counts and
// lists the values, while others count the next facet.
//
// Example: three facets over 300,000 matches in one segment, two cores. Each
// facet is cut into 3 ranges. Both cores count ranges of the first; the one that
// ends last joins them while the other begins with the second.

// countTime is about what counting a value takes.
const countTime = 3 * time.Nanosecond

const (
	// rangesEach is how many ranges there are for each core that takes part, so
	// that all end about together.
	rangesEach = 4
	// leastCost is how many values a range has at least.
	leastCost = 4096
)

// counting is one facet that is counted.
type counting struct {
	parts    []facet.Part      // by segment; those of ranges are filled in before finish
	segments []*facet.Counting // what is left to count by ranges; nil where there is nothing
	finish   func()            // runs when all is counted

	column string // that it counts the values of, over pop; none for buckets
	pop    *population
	takers []func(facet.Counts) // of what finish makes

	listed int    // documents that finish counts by itself, unless they are cut
	cut    func() // cuts them; nil where they are too few

	whole     []job // that are not cut
	wholeCost int   // of them

	left atomic.Int32 // jobs
}

// job is a part of a counting that one goroutine does.
type job func(ctx context.Context) error

// cost is about how many values there are to count by ranges.
func (c *counting) cost() (cost int) {
	cost = c.listed
	for _, s := range c.segments {
		if s != nil {
			cost += s.Cost
		}
	}
	return cost
}

// counts is about how many counts are merged and listed at the end.
func (c *counting) counts() (counts int) {
	for _, s := range c.segments {
		if s != nil {
			counts += s.Length()
		}
	}
	return counts
}

// jobs cuts a counting into about so many ranges.
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

// end gathers the counts of ranges and finishes.
func (c *counting) end(scratches *sync.Pool) {
	for i, s := range c.segments {
		if s != nil {
			c.parts[i].Counts = s.Whole(scratches)
		}
	}
	c.finish()
}

// countTogether counts what has been prepared. The facets with the most values
// come first: those take long to finish, while others are counted.
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
