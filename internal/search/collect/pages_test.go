package collect_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/snapshot"
)

// TestPagesFollowEachOther reads the hits of many searches page by page and backwards, with
// many equal scores, over several segments and threads. The searches run concurrently on one
// runner, which reuses the memory of earlier searches; each must find the same hits as on a
// runner of its own.
func TestPagesFollowEachOther(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 4))
	first, second := makeDocuments(r, 15_000, 700), makeDocuments(r, 6_000, 100)
	segments := []*snapshot.Segment{makeSegment(t, "second", second, true)}
	for from := 0; from < len(first); from += 2500 {
		segments = append(segments, makeSegment(t, fmt.Sprint("part ", from), first[from:from+2500], false))
	}
	view := snapshot.New(1, segments, nil)
	defer view.Release()
	docs := slices.Concat(second, first)
	runner := collect.NewRunner(collect.Options{Threads: 2}, nil)
	runner.AlwaysHelp()
	runner.AlwaysLeads(500)
	var side sync.WaitGroup
	for seed := range uint64(3) {
		side.Go(func() {
			r := rand.New(rand.NewPCG(seed, 77))
			for range 40 {
				q := askRandomly(r, docs)
				request := collect.Request{Query: q.node, Limit: 60, CountTo: collect.Everything, NeedScores: r.IntN(2) == 0}
				if r.IntN(3) == 0 {
					low := r.Int64N(5000)
					request.Filters = []plan.Node{&plan.NumberRange{Structure: "number", Intervals: []plan.Interval{{Min: low, Max: low + 2500}}}}
				}
				if r.IntN(3) == 0 {
					structure := []string{"number", "plain", "order"}[r.IntN(3)]
					request.Order = []collect.Key{{Kind: collect.ByNumber, Structure: structure, Descending: r.IntN(2) == 0}}
					if structure == "order" {
						request.Order[0].Kind = collect.ByText
					}
				}
				if err := checkPages(runner, view, request); err != nil {
					t.Errorf("%s: %v", q.name, err)
					return
				}
			}
		})
	}
	side.Wait()
}

// TestPagesOfEqualNumbers does the same for hits of which thousands have the same number: hits
// with that number and a lower document number rank before a hit.
func TestPagesOfEqualNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 4))
	docs := makeDocuments(r, 30_000, 700)
	for i := range docs {
		docs[i].number %= 2
	}
	view := snapshot.New(1, []*snapshot.Segment{makeSegment(t, "equal", docs, false)}, nil)
	defer view.Release()
	runner := collect.NewRunner(collect.Options{Threads: -1}, nil)
	for range 30 {
		q := askRandomly(r, docs)
		request := collect.Request{Query: q.node, Limit: 8 + r.IntN(400), CountTo: collect.Everything}
		request.Order = []collect.Key{{Kind: collect.ByNumber, Structure: "number", Descending: r.IntN(2) == 0}}
		if err := checkPages(runner, view, request); err != nil {
			t.Fatalf("%s: %v", q.name, err)
		}
	}
}

func checkPages(runner *collect.Runner, view *snapshot.Snapshot, request collect.Request) error {
	alone := collect.NewRunner(collect.Options{Threads: -1, FilterCacheQueries: -1, PrefixCacheWords: -1, TypoCacheWords: -1}, nil)
	all, err := alone.Search(view).Run(context.Background(), &request)
	if err != nil {
		return err
	}
	same := func(a, b collect.Hit) bool { return a.Doc == b.Doc && a.Score == b.Score }
	at := func(h collect.Hit) *collect.Position {
		if h.Values == nil {
			return &collect.Position{Values: []collect.Value{{Float: float64(h.Score)}}, Doc: int64(h.Doc)}
		}
		return &collect.Position{Values: h.Values, Doc: int64(h.Doc)}
	}
	for _, countTo := range []int{1, 50, 1000, collect.Everything} {
		page := request
		page.CountTo, page.Limit = countTo, 7
		var got []collect.Hit
		for len(got) < len(all.Hits) {
			result, err := runner.Search(view).Run(context.Background(), &page)
			if err != nil {
				return err
			}
			if len(result.Hits) == 0 {
				break
			}
			got = append(got, result.Hits...)
			page.After = at(got[len(got)-1])
		}
		got = got[:min(len(got), len(all.Hits))]
		if !slices.EqualFunc(got, all.Hits, same) {
			return fmt.Errorf("counted to %d the pages are\n%v, want\n%v", countTo, got, all.Hits)
		}
		last := len(all.Hits) - 1
		if last < page.Limit {
			continue
		}
		page.After, page.Before = nil, at(all.Hits[last])
		result, err := runner.Search(view).Run(context.Background(), &page)
		if err != nil {
			return err
		}
		if want := all.Hits[last-page.Limit : last]; !slices.EqualFunc(result.Hits, want, same) {
			return fmt.Errorf("counted to %d the page before is\n%v, want\n%v", countTo, result.Hits, want)
		}
	}
	return nil
}
