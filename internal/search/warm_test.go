package search

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/quiresearch/quire/query"
)

func TestWarmPreparesWhatWasAskedForAndWhatSettingsOptIn(t *testing.T) {
	x, meters := metered(t)
	x.add(t, manyDocuments(100), func(i int) bool { return i%3 == 0 })
	x.set(t, `{"fields":{"brand":{"interpret":{},"suggest":{}}}}`)
	facets := `{"limit":0,"facets":[{"field":"brand"}]}`
	x.mustSearch(t, facets)

	x.add(t, manyDocuments(40), func(i int) bool { return i%3 == 0 }) // a new reader
	if err := x.searcher.Warm(t.Context(), x.snapshot()); err != nil {
		t.Fatal(err)
	}
	if values := x.searcher.rewriter.Entries(); values != 2 {
		t.Errorf("%d value indexes", values)
	}
	kept := x.searcher.counter.Entries()
	suggest, err := query.DecodeSuggest([]byte(`{"text":"b"}`), query.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	if found, err := x.searcher.Suggest(t.Context(), x.snapshot(), suggest); err != nil || len(found.Suggestions) == 0 {
		t.Errorf("%v, %v", found, err)
	}
	if got := x.searcher.counter.Entries(); got != kept {
		t.Errorf("a suggestion kept %d entries more", got-kept)
	}
	misses := read(t, meters, "service_facet_cache_misses_total")
	segments := read(t, meters, "service_facet_segment_misses_segments_total")
	x.mustSearch(t, facets)
	if got := read(t, meters, "service_facet_cache_misses_total"); got != misses {
		t.Errorf("counts were not there")
	}
	if got := read(t, meters, "service_facet_segment_misses_segments_total"); got != segments {
		t.Errorf("segments were counted again")
	}
}

func TestWarmEndsWithItsContext(t *testing.T) {
	x, _ := metered(t)
	x.add(t, manyDocuments(10), nil)
	x.set(t, `{"fields":{"brand":{"interpret":{}}}}`)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errSuperseded)
	if err := x.searcher.Warm(ctx, x.snapshot()); !errors.Is(err, errSuperseded) {
		t.Errorf("%v", err)
	}
}

func TestWarmerCoalescesAndSupersedes(t *testing.T) {
	x, meters := metered(t)
	x.add(t, manyDocuments(10), nil)
	x.set(t, `{"fields":{"brand":{"interpret":{}}}}`)
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		var reads atomic.Int64
		hold := make(chan struct{})
		w := NewWarmer(x.searcher, 1, func(ctx context.Context, index string) (View, func(), bool) {
			reads.Add(1)
			if index == "closed" {
				return View{}, nil, false
			}
			<-hold
			return x.snapshot(), func() {}, true
		})
		ended := make(chan struct{})
		go func() {
			w.Run(ctx)
			close(ended)
		}()
		w.Changed("a")
		synctest.Wait() // a is being prepared
		w.Changed("b")
		w.Changed("b")
		w.Changed("a") // supersedes
		w.Changed("closed")
		synctest.Wait()
		if queued := read(t, meters, "service_facet_warm_queued_indexes"); queued != 3 {
			t.Errorf("%v are queued", queued)
		}
		close(hold)
		synctest.Wait()
		if got := reads.Load(); got != 4 { // a twice, b, closed
			t.Errorf("%d views were read", got)
		}
		for outcome, want := range map[string]float64{"superseded": 1, "success": 2} {
			if got := read(t, meters, `service_facet_warm_seconds_count{outcome="`+outcome+`"}`); got != want {
				t.Errorf("%v ended as %s", got, outcome)
			}
		}
		if queued := read(t, meters, "service_facet_warm_queued_indexes"); queued != 0 {
			t.Errorf("%v are queued", queued)
		}
		stop()
		<-ended
	})
}
