package search

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/query"
)

const brandsDefinition = `{"source":"none","fields":{
	"id":{"type":"string","primaryKey":true},
	"brand":{"type":"string","facet":{}},
	"kind":{"type":"string","filter":{}}}}`

// addBrands adds documents, one in rare of which has the kind "rare".
func (x *index) addBrands(t *testing.T, prefix string, documents, brands, rare int) {
	t.Helper()
	all := make([]string, documents)
	for i := range all {
		kind := "common"
		if i%rare == 0 {
			kind = "rare"
		}
		all[i] = fmt.Sprintf(`{"id":"%s%d","kind":"%s","brand":"b%d"}`, prefix, i, kind, i%brands)
	}
	x.add(t, all, nil)
}

// bytesOf returns the minimum number of bytes a search allocates once pools are
// filled.
func (x *index) bytesOf(t *testing.T, body string) uint64 {
	t.Helper()
	least := uint64(math.MaxUint64)
	for range 10 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		x.mustSearch(t, body)
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least
}

// TestFewMatchesBesideASmallSegment checks that the cost of counting few matches
// does not depend on the number of values of a segment, even when another segment
// has many matches for its few values.
func TestFewMatchesBesideASmallSegment(t *testing.T) {
	x := newIndex(t, brandsDefinition)
	x.addBrands(t, "large", 60_000, 60_000, 3_000)
	x.addBrands(t, "small", 200, 3, 60)
	x.searcher = New(collect.NewRunner(collect.Options{Threads: -1}, nil), nil, Options{Now: x.searcher.options.Now})
	const body = `{"limit":0,"filters":[{"field":"kind","match":{"value":"rare"}}],"facets":[{"field":"brand"}]}`
	if got := x.mustSearch(t, body).Facets[0].TotalValues; got != 20 {
		t.Fatalf("%d brands, want 20", got)
	}
	if got := x.bytesOf(t, body); got > 60_000 {
		t.Errorf("a search with 24 matches allocates %d bytes", got)
	}
}

// TestFacetsWithTheSameCountsAreCountedOnce checks that facets of one request with
// the same counts are counted once.
func TestFacetsWithTheSameCountsAreCountedOnce(t *testing.T) {
	x := newIndex(t, brandsDefinition)
	x.addBrands(t, "", 20_000, 10_000, 2)
	x.searcher = New(collect.NewRunner(collect.Options{Threads: -1}, nil), nil, Options{Now: x.searcher.options.Now})
	bodyOf := func(facets int) string {
		var all []string
		for i := range facets {
			all = append(all, fmt.Sprintf(`{"field":"brand","name":"f%d","limit":%d,"order":"%s"}`, i, 1+i%5, []string{"count", "value"}[i%2]))
		}
		return `{"limit":0,"filters":[{"field":"kind","match":{"value":"rare"}}],"facets":[` + strings.Join(all, ",") + `]}`
	}
	for i, f := range x.mustSearch(t, bodyOf(10)).Facets {
		if f.Name != fmt.Sprintf("f%d", i) || len(f.Values) != 1+i%5 || f.TotalValues != 5_000 || string(f.Values[0].Value) != `"b0"` {
			t.Errorf("facet %d is %+v", i, f)
		}
	}
	if one, many := x.bytesOf(t, bodyOf(1)), x.bytesOf(t, bodyOf(64)); many > 10*one {
		t.Errorf("64 facets of the same counts allocate %d bytes, one %d", many, one)
	}
}

// TestNoFacetsAreCountedAfterTheEnd checks that a search that has its hits and
// counts no facets does not check its context again.
func TestNoFacetsAreCountedAfterTheEnd(t *testing.T) {
	x := newIndex(t, brandsDefinition)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, body := range []string{`{}`, `{"limit":0}`} {
		request, err := query.DecodeSearch([]byte(body), query.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := x.searcher.Run(ctx, x.snapshot(), request); err != nil {
			t.Errorf("%s: %v", body, err)
		}
	}
}
