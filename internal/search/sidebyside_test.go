package search

import (
	"fmt"
	"testing"

	"github.com/quiresearch/quire/internal/search/collect"
)

// Facets that are counted side by side, over matches that were found side by
// side, are those of a search on one core.
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
