package collect_test

import (
	"math"
	"testing"

	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/snapshot"
)

// A scan that ends because enough matches are counted may have left out matches of its last
// window that the bounds of the column exclude as hits. The total is then a lower bound, even
// if the scan that continues from there leaves nothing out.
func TestMatchesLeftOutOfTheLastWindowMakeTheTotalABound(t *testing.T) {
	const documents = 1 << 16
	docs, matches := make([]made, documents), 0
	for i := range docs {
		isFirst, isBest := i < 400 || i >= 4096 && i < 6000, i >= 50_000 && i < 50_100
		docs[i] = made{words: []string{"other"}, number: int64(i + 1_000_000), has: true, live: true}
		if isBest {
			docs[i].number = int64(i)
		}
		if isFirst || isBest {
			docs[i].words = []string{"new", "york"}
			matches++
		}
	}
	view := snapshot.New(1, []*snapshot.Segment{makeSegment(t, "ordered", docs, false)}, nil)
	defer view.Release()
	phrase := &plan.Phrase{Structure: "text", Words: []plan.PhraseWord{{Terms: []string{"new"}}, {Offset: 1, Terms: []string{"york"}}}}
	result, err := collect.NewRunner(collect.Options{Threads: -1}, nil).Search(view).Run(t.Context(), &collect.Request{
		Query: phrase, Limit: 300, CountTo: 1000, Order: []collect.Key{{Kind: collect.ByNumber, Structure: "number"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if result.Exact || result.Total < 1000 || result.Total > matches {
		t.Errorf("%d of %d matches, exact: %v", result.Total, matches, result.Exact)
	}
}

// A page may be larger than what a segment holds by any factor; the configuration has no largest
// limit.
func TestAPageMayBeLargerThanAnyIndex(t *testing.T) {
	const documents = 20_000
	docs := make([]made, documents)
	for i := range docs {
		docs[i] = made{words: []string{"new"}, number: int64(i), has: true, text: "a", live: true}
	}
	view := snapshot.New(1, []*snapshot.Segment{makeSegment(t, "s", docs, false)}, nil)
	defer view.Release()
	runner := collect.NewRunner(collect.Options{Threads: -1}, nil)
	runner.AlwaysLeads(1000)
	for _, limit := range []int{math.MaxInt32, 1<<47 + 12_345, 1 << 60, 1<<62 + 1, math.MaxInt} {
		for _, key := range []collect.Key{
			{Kind: collect.ByNumber, Structure: "number"}, {Kind: collect.ByNumber, Structure: "number", Descending: true},
			{Kind: collect.ByNumber, Structure: "plain"}, {Kind: collect.ByText, Structure: "order"},
		} {
			for range 3 {
				result, err := runner.Search(view).Run(t.Context(), &collect.Request{
					Query: &plan.Term{Structure: "text", Text: "new"}, Limit: limit, CountTo: 1000, Order: []collect.Key{key},
				})
				if err != nil || len(result.Hits) != documents {
					t.Fatalf("limit %d, %+v: %v", limit, key, err)
				}
			}
		}
	}
}
