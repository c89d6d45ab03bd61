package collect_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/snapshot"
)

// Leading documents that recurring searches share do not change the hits, whatever the order,
// the words, the page and the deleted documents of the snapshot, and they leave matches unread.
func TestLeadingDocumentsDoNotChangeHits(t *testing.T) {
	const documents = 30_000
	r := rand.New(rand.NewPCG(5, 9))
	docs := make([]made, documents)
	for i := range docs {
		d := &docs[i]
		for w := range 8 {
			if r.IntN(2+w) == 0 {
				d.words = append(d.words, fmt.Sprint("w", w))
			}
		}
		// Numbers grow with documents, as times do; texts repeat.
		d.number, d.has, d.live = int64(i/3), i%50 != 0, true
		if r.IntN(10) > 0 {
			d.text = fmt.Sprintf("t%03d", r.IntN(300)*r.IntN(300)/300)
		}
	}
	now := snapshot.New(2, []*snapshot.Segment{makeSegment(t, "docs", docs, true)}, nil)
	defer now.Release()
	// A search of an earlier snapshot of the segment sees the documents that were deleted since.
	earlier := snapshot.New(1, []*snapshot.Segment{snapshot.NewSegment(now.Segments[0].Reader, nil, nil, nil)}, nil)
	defer earlier.Release()
	runner := collect.NewRunner(collect.Options{Threads: -1}, nil)
	runner.AlwaysLeads(3000)
	leads, nextLeads := map[string]int{}, map[string]int{}
	for round := range 400 {
		key := collect.Key{Kind: collect.ByNumber, Structure: "number", Descending: r.IntN(2) == 0}
		switch round % 3 {
		case 1:
			key.Structure = "plain" // has no index
		case 2:
			key = collect.Key{Kind: collect.ByText, Structure: "order", Descending: r.IntN(2) == 0}
		}
		request := collect.Request{Limit: 1 + r.IntN(12), CountTo: 20, Order: []collect.Key{key}}
		if r.IntN(4) == 0 {
			request.Order = append(request.Order, collect.Key{Kind: collect.ByNumber, Structure: "number", Descending: true})
		}
		word := fmt.Sprint("w", r.IntN(8))
		if r.IntN(5) > 0 {
			request.Query = &plan.Term{Structure: "text", Text: word}
		}
		low, high := int64(0), int64(documents)
		if r.IntN(4) > 0 {
			low = int64(r.IntN(4)) * 1000
			high = low + 4000
			request.Filters = []plan.Node{&plan.NumberRange{Structure: "number", Intervals: []plan.Interval{{Min: low, Max: high}}}}
		}
		snap := now
		if round%4 == 0 {
			snap = earlier
		}
		for page := range 3 {
			all := request
			all.CountTo = collect.Everything
			all.Sets = true // keeps the search from looking at leading documents
			want, err := runner.Search(snap).Run(t.Context(), &all)
			if err != nil {
				t.Fatal(err)
			}
			got, err := runner.Search(snap).Run(t.Context(), &request)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.EqualFunc(want.Hits, got.Hits, func(a, b collect.Hit) bool { return a.Doc == b.Doc }) {
				t.Fatalf("%d %s in %d to %d, page %d, %+v:\n%v\n%v", round, word, low, high, page, request.Order, want.Hits, got.Hits)
			}
			if got.Total > want.Total || got.Exact && got.Total != want.Total || !got.Exact && got.Total < request.CountTo {
				t.Fatalf("%d: counted %d (exact: %v) of %d", round, got.Total, got.Exact, want.Total)
			}
			if got.Total < want.Total && page == 0 {
				leads[key.Structure]++
			} else if got.Total < want.Total {
				nextLeads[key.Structure]++
			}
			if len(got.Hits) == 0 {
				break
			}
			last := got.Hits[len(got.Hits)-1]
			position := &collect.Position{Values: last.Values, Doc: int64(last.Doc)}
			if request.After = position; page == 1 && r.IntN(2) == 0 {
				request.After, request.Before = nil, position
			}
		}
	}
	for _, structure := range []string{"number", "plain", "order"} {
		if leads[structure] < 40 || nextLeads[structure] < 40 {
			t.Errorf("ordered by %s, %d first pages and %d others left matches unread", structure, leads[structure], nextLeads[structure])
		}
	}
}
