package search

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quiresearch/quire/internal/search/collect"
)

// TestFacetsSideBySide checks that facets counted in parallel, over matches found
// in parallel, equal those of a search on one core.
func TestFacetsSideBySide(t *testing.T) {
	x := newIndex(t, `{"source":"none","fields":{
		"id":{"type":"string","primaryKey":true},
		"title":{"type":"string","matching":{}},
		"brand":{"type":"string","facet":{},"filter":{}},
		"tags":{"type":"string","multiple":true,"facet":{}},
		"price":{"type":"int32","facet":{},"sort":{}}}}`)
	words := []string{"red", "green", "blue", "mug", "cup"}
	for _, size := range []int{25_000, 700} {
		documents := make([]string, size)
		for i := range documents {
			documents[i] = fmt.Sprintf(`{"id":"d%d-%d","title":"%s %s","brand":"b%d","tags":["t%d","t%d"],"price":%d}`,
				size, i, words[i%5], words[i/7%5], i%13, i%7, 7+i%5, i*31%997)
		}
		x.add(t, documents, func(i int) bool { return i%11 == 0 })
	}
	alone := New(collect.NewRunner(collect.Options{Threads: -1}, nil), nil, Options{Now: x.searcher.options.Now})
	beside := New(collect.NewRunner(collect.Options{Threads: 3}, nil), nil, Options{Now: x.searcher.options.Now})
	const facets = `"facets":[{"field":"brand"},{"field":"tags","limit":3},{"field":"price","ranges":[{"to":300},{"from":300}]},{"field":"price","name":"prices","limit":5},
		{"field":"brand","name":"any brand","excludeFilters":["brand"]}]`
	for _, body := range []string{
		`{` + facets + `}`,
		`{"query":[{"type":"text","text":"red mug","match":"any"}],` + facets + `}`,
		`{"query":[{"type":"text","text":"red"}],"sort":[{"field":"price"}],` + facets + `}`,
		`{"query":[{"type":"text","text":"red cup blue","match":"any"}],"filters":[{"field":"brand","match":{"value":"b3"}}],` + facets + `}`,
	} {
		x.searcher = alone
		want := x.mustSearch(t, body)
		x.searcher = beside
		got := x.mustSearch(t, body)
		want.TookMs, got.TookMs = 0, 0
		if want, got := string(want.AppendJSON(nil)), string(got.AppendJSON(nil)); want != got {
			t.Errorf("%s:\n%s\nwant\n%s", body, got, want)
		}
	}
}

// TestFacetsOfListsSideBySide does the same for list values: documents by theirs,
// list values that are hits, ranges of numbers and levels of a hierarchy, in
// segments with deleted documents, with and without what is cached between
// requests.
func TestFacetsOfListsSideBySide(t *testing.T) {
	x := newIndex(t, `{"source":"none","fields":{
		"id":{"type":"string","primaryKey":true},
		"title":{"type":"string","matching":{}},
		"brand":{"type":"string","facet":{},"filter":{}},
		"kind":{"type":"string","facet":{},"filter":{},"hierarchy":{}},
		"price":{"type":"int32","facet":{},"filter":{}},
		"variants":{"type":"object","multiple":true,"mode":"nested","fields":{
			"color":{"type":"string","facet":{},"filter":{}},
			"sizes":{"type":"int32","multiple":true,"facet":{},"filter":{}}}}}}`)
	words := []string{"red", "green", "blue", "mug", "cup"}
	for _, size := range []int{14_000, 900, 5_000} {
		documents := make([]string, size)
		for i := range documents {
			var variants []string
			for v := range i % 4 {
				variants = append(variants, fmt.Sprintf(`{"color":"c%d","sizes":[%d,%d]}`, (i+v*v)%170, i%19, i%23+v))
			}
			documents[i] = fmt.Sprintf(`{"id":"d%d-%d","title":"%s %s","brand":"b%d","kind":"k%d/l%d","price":%d,"variants":[%s]}`,
				size, i, words[i%5], words[i/7%5], i%130, i%3, i%41, i*31%997, strings.Join(variants, ","))
		}
		x.add(t, documents, func(i int) bool { return i%11 == 0 })
	}
	now := x.searcher.options.Now
	alone := New(collect.NewRunner(collect.Options{Threads: -1}, nil), nil, Options{Now: now})
	beside := New(collect.NewRunner(collect.Options{Threads: 3}, nil), nil, Options{Now: now})
	keeps := New(collect.NewRunner(collect.Options{Threads: 2}, nil), nil, Options{Now: now, FacetCacheSize: 1 << 20})
	const facets = `"facets":[{"field":"brand"},{"field":"variants.color"},{"field":"variants.sizes","limit":3},{"field":"kind","depth":2},
		{"field":"price","order":"value","limit":7},{"field":"price","name":"prices","ranges":[{"to":300},{"from":200,"to":700},{"from":700}]},
		{"field":"variants.sizes","name":"sizes","ranges":[{"to":9},{"from":4}]},{"field":"brand","name":"any brand","excludeFilters":["brand"]}]`
	const hits = `"hits":{"path":"variants"},"facets":[{"field":"brand"},{"field":"variants.color"},{"field":"variants.sizes","name":"sizes","ranges":[{"to":9},{"from":4}]}]`
	for _, body := range []string{
		`{` + facets + `}`,
		`{"query":[{"type":"text","text":"red mug","match":"any"}],` + facets + `}`,
		`{"query":[{"type":"text","text":"red mug","match":"any"}],"filters":[{"field":"brand","match":{"value":"b3"}}],` + facets + `}`,
		`{"filters":[{"field":"price","match":{"type":"range","gte":100}}],` + facets + `}`,
		`{"query":[{"type":"nested","path":"variants","clauses":[{"field":"variants.sizes","match":{"type":"range","gte":2,"lte":9}}]}],` + facets + `}`,
		`{"facets":[{"field":"variants.color"}]}`,
		`{` + hits + `}`,
		`{"query":[{"type":"text","text":"red mug","match":"any"}],` + hits + `}`,
	} {
		x.searcher = alone
		want := x.mustSearch(t, body)
		want.TookMs = 0
		for i, searcher := range []*Searcher{beside, keeps, keeps} {
			x.searcher = searcher
			got := x.mustSearch(t, body)
			got.TookMs = 0
			if want, got := string(want.AppendJSON(nil)), string(got.AppendJSON(nil)); want != got {
				t.Errorf("%s, search %d:\n%s\nwant\n%s", body, i, got, want)
			}
		}
	}
}
