// Package evaluate runs the queries of a judgement set against one or two sides
// of an index, each a generation with settings, and measures the results.
//
// A Side runs searches; Run sends every query to both sides, one search at a
// time, and pauses between searches so that the evaluation uses only a share of
// one processor. The report contains means, every query with both sides, the
// paired randomization test between them and whether the bounds of the set
// hold. Run may be called by any number of goroutines.
package evaluate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/quiresearch/quire/internal/judgement"
	"github.com/quiresearch/quire/internal/relevance"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
)

const (
	// DefaultK is the number of hits used for nDCG, reciprocal rank and precision.
	DefaultK = 10
	// Depth is the number of hits requested; recall and expectations use all of
	// them.
	Depth = 100
	// draws is the number of samples of the randomization test.
	draws = 10_000
)

// Side is one way to run the queries.
type Side struct {
	Index      string
	Generation string
	Search     func(ctx context.Context, request *query.Search) (*query.Answer, error)
}

// Options tune a run.
type Options struct {
	K        int     // 0: DefaultK
	Hits     bool    // include the keys of the hits in the report
	Share    float64 // of one processor, above 0; 0 and 1: no pause between searches
	Limits   query.Limits
	Progress func(searches int) // called after every search; may be nil
}

// Searches returns the number of searches in a run over a set.
func Searches(set *judgement.Set, sides int) int { return len(set.Queries) * sides }

// Run evaluates a set. against may be nil. Run fails only if ctx ends.
func Run(ctx context.Context, name string, set *judgement.Set, side Side, against *Side, o Options) (*Report, error) {
	if o.K == 0 {
		o.K = DefaultK
	}
	r := &Report{
		Judgements: name, JudgementsVersion: set.Version(), K: o.K, RecallK: Depth,
		Index: side.Index, Generation: side.Generation, Queries: make([]Query, len(set.Queries)),
	}
	sides := []Side{side}
	if against != nil {
		sides = append(sides, *against)
		r.Against = &Against{Generation: against.Generation}
	}
	done := 0
	for i := range set.Queries {
		q := &set.Queries[i]
		r.Queries[i] = describe(q)
		for at, s := range sides {
			began := time.Now()
			found := ask(ctx, s, q, o)
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if at == 0 {
				r.Queries[i].Found = found
			} else {
				r.Queries[i].Against = &found
			}
			if done++; o.Progress != nil {
				o.Progress(done)
			}
			if err := throttle(ctx, time.Since(began), o.Share); err != nil {
				return nil, err
			}
		}
		r.Queries[i].judge()
	}
	r.sum(set)
	return r, nil
}

// One evaluates a single query on one side and returns the rank of a key, from
// 1, or 0 if it is not among the first hits.
func One(ctx context.Context, q *judgement.Query, side Side, key string, limits query.Limits) (found Found, rank int) {
	found = ask(ctx, side, q, Options{K: DefaultK, Limits: limits})
	return found, relevance.Rank(found.ranking, key)
}

// Text returns the text that a query searches for, "" if it has none.
func Text(q *judgement.Query, limits query.Limits) string {
	if q.Search == nil {
		return q.Text
	}
	s, err := query.DecodeSearch(q.Search, limits)
	if err != nil {
		return ""
	}
	return judgement.FirstText(s)
}

// throttle waits until the time worked is the given share of the total.
func throttle(ctx context.Context, worked time.Duration, share float64) error {
	if share <= 0 || share >= 1 {
		return nil
	}
	timer := time.NewTimer(time.Duration(float64(worked) * (1 - share) / share))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// request returns the search of a query, reduced to its hits.
func request(q *judgement.Query, limits query.Limits) (*query.Search, error) {
	body := q.Search
	if body == nil {
		body = fmt.Appendf(nil, `{"query":[{"type":"text","text":%s}]}`, quoted(q.Text))
	}
	s, err := query.DecodeSearch(body, limits)
	if err != nil {
		return nil, err
	}
	if q.Search == nil {
		s.Locale = q.Locale
	}
	s.Limit, s.Offset, s.After, s.Before, s.Pages = min(Depth, limits.MaxLimit), 0, "", "", nil
	s.Facets, s.Highlight, s.Matched, s.Fields, s.HasFields = nil, nil, nil, nil, true
	s.ExactTotal, s.Freshness = q.Expect != nil && q.Expect.AtLeast > 0, ""
	return s, nil
}

// ask runs one query on one side. A rejected search finds nothing.
func ask(ctx context.Context, s Side, q *judgement.Query, o Options) Found {
	search, err := request(q, o.Limits)
	var answer *query.Answer
	began := time.Now()
	if err == nil {
		answer, err = s.Search(ctx, search)
	}
	f := Found{TookMs: float64(time.Since(began).Microseconds()) / 1e3}
	if err != nil {
		f.Error = codeOf(err)
		answer = &query.Answer{}
	}
	f.Total = answer.Total.Count
	for i := range answer.Hits {
		if key := answer.Hits[i].ID; !slices.Contains(f.ranking, key) { // list values share the key of their document
			f.ranking = append(f.ranking, key)
		}
	}
	if o.Hits {
		f.Hits = f.ranking
	}
	if q.Grades != nil {
		f.NDCG = pointer(relevance.NDCG(f.ranking, q.Grades, o.K))
		f.ReciprocalRank = pointer(relevance.ReciprocalRank(f.ranking, q.Grades, o.K))
		f.Precision = pointer(relevance.Precision(f.ranking, q.Grades, o.K))
		f.Recall = pointer(relevance.Recall(f.ranking, q.Grades, Depth))
		f.Judged = pointer(relevance.Judged(f.ranking, q.Grades, o.K))
	}
	f.Ranks = ranks(f.ranking, q)
	f.expect(q.Expect)
	return f
}

func codeOf(err error) string {
	var p *problem.Problem
	if errors.As(err, &p) {
		return p.Code.Name()
	}
	return problem.NodeError.Name()
}

func pointer(value float64) *float64 { return &value }

// ranks returns the ranks of the keys that the query names.
func ranks(ranking []string, q *judgement.Query) map[string]int {
	found := make(map[string]int)
	take := func(key string) {
		if rank := relevance.Rank(ranking, key); rank > 0 {
			found[key] = rank
		}
	}
	for key := range q.Grades {
		take(key)
	}
	if e := q.Expect; e != nil {
		for _, key := range slices.Concat(e.MustHit, e.MustNotHit) {
			take(key)
		}
		for _, pair := range e.Above {
			take(pair[0])
			take(pair[1])
		}
	}
	return found
}

// expect records the expectations that the ranking does not meet.
func (f *Found) expect(e *judgement.Expectations) {
	if e == nil {
		return
	}
	f.Expected = e.Count()
	miss := func(expectation string) { f.Unmet = append(f.Unmet, expectation) }
	for _, key := range e.MustHit {
		if f.Ranks[key] == 0 {
			miss(judgement.MustHit(key))
		}
	}
	for _, key := range e.MustNotHit {
		if f.Ranks[key] > 0 {
			miss(judgement.MustNotHit(key))
		}
	}
	for _, pair := range e.Above {
		if first, second := f.Ranks[pair[0]], f.Ranks[pair[1]]; first == 0 || second > 0 && second < first {
			miss(judgement.Above(pair))
		}
	}
	if f.Total < e.AtLeast {
		miss(fmt.Sprintf("atLeast %d", e.AtLeast))
	}
}
