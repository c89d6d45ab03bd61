package query

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/quiresearch/quire/problem"
)

func TestListsOfASearchAreBounded(t *testing.T) {
	list := func(entry string, n int) string { return strings.TrimSuffix(strings.Repeat(entry+",", n), ",") }
	for _, test := range []struct {
		name, entry string
		most        int
	}{
		{"facets", `{"field":"a","name":null}`, MaxFacets},
		{"sort", `{"field":"a"}`, MaxSorts},
		{"signals", `{"field":"a","linear":{"ceiling":2}}`, MaxSignals},
		{"fields", `"a"`, MaxListedFields},
	} {
		for _, n := range []int{test.most, test.most + 1} {
			_, err := DecodeSearch([]byte(`{"`+test.name+`":[`+list(test.entry, n)+`]}`), DefaultLimits())
			if refusedAt(err, test.name, problem.RequestValueInvalid) != (n > test.most) {
				t.Errorf("%d %s: %v", n, test.name, err)
			}
		}
	}
}

func refusedAt(err error, path string, code *problem.Code) bool {
	for _, p := range problem.All(err) {
		if strings.HasPrefix(p.Path, path) && errors.Is(p, code) {
			return true
		}
	}
	return false
}

// TestInnerListsOfASearchAreBounded checks lists inside clauses and facets (S17,
// S28).
func TestInnerListsOfASearchAreBounded(t *testing.T) {
	list := func(entry string, n int) string { return strings.TrimSuffix(strings.Repeat(entry+",", n), ",") }
	names := func(value string, n int) string {
		var all []string
		for i := range n {
			all = append(all, `"f`+strconv.Itoa(i)+`":`+value)
		}
		return strings.Join(all, ",")
	}
	most := DefaultLimits().MaxClauses
	for _, test := range []struct {
		what, before, after string
		make                func(entry string, n int) string
		entry               string
		most                int
		path                string
		code                *problem.Code
	}{
		{"targets", `{"query":[{"type":"text","text":"5 kg","match":"user","interpret":{"fields":[`, `]}}]}`, list, `{"field":"a"}`, most, "query[0].interpret.fields", problem.SearchClausesTooMany},
		{"fallbacks", `{"query":[{"type":"text","text":"5 kg","match":"user","interpret":{"fields":[{"field":"a","fallback":[`, `]}]}}]}`, list, `{"field":"a"}`, most - 1, "query[0].interpret.fields[0].fallback", problem.SearchClausesTooMany},
		{"fallbacks of a sort", `{"sort":[{"field":"a","fallback":[`, `]}]}`, list, `{"field":"a"}`, most, "sort[0].fallback", problem.SearchClausesTooMany},
		{"fallbacks of a facet", `{"facets":[{"field":"a","ranges":[{"from":1}],"fallback":[`, `]}]}`, list, `{"field":"a"}`, most, "facets[0].fallback", problem.SearchClausesTooMany},
		{"rankings", `{"query":[{"type":"fuse","rankings":[`, `]}]}`, list, `{"clauses":[]}`, most, "query[0].rankings", problem.SearchClausesTooMany},
		{"values", `{"filters":[{"field":"a","match":{"type":"in","values":[`, `]}}]}`, list, `1`, MaxListedValues, "filters[0].match.values", problem.RequestValueInvalid},
		{"ranges", `{"filters":[{"field":"a","match":{"type":"ranges","values":[`, `]}}]}`, list, `{"gt":1}`, MaxListedValues, "filters[0].match.values", problem.RequestValueInvalid},
		{"fields of a text", `{"query":[{"type":"text","text":"a","fields":{`, `}}]}`, names, `1`, MaxListedFields, "query[0].fields", problem.RequestValueInvalid},
		{"excluded filters", `{"facets":[{"field":"a","excludeFilters":[`, `]}]}`, list, `"a"`, MaxListedFields, "facets[0].excludeFilters", problem.RequestValueInvalid},
		{"ranges of a facet", `{"facets":[{"field":"a","ranges":[`, `]}]}`, list, `{"from":1}`, MaxFacetRanges, "facets[0].ranges", problem.SearchFacetRangesTooMany},
		{"highlights", `{"highlight":{"fields":{`, `}}}`, names, `{}`, MaxListedFields, "highlight.fields", problem.RequestValueInvalid},
		{"matched lists", `{"matched":{"fields":{`, `}}}`, names, `{}`, MaxListedFields, "matched.fields", problem.RequestValueInvalid},
		{"fields of hits", `{"hits":{"path":"a","fields":[`, `]}}`, list, `"a.b"`, MaxListedFields, "hits.fields", problem.RequestValueInvalid},
		{"bytes of a mark", `{"highlight":{"fields":{"a":{"pre":"`, `"}}}}`, func(entry string, n int) string { return strings.Repeat(entry, n) }, `x`, MaxMark, "highlight.fields.a.pre", problem.RequestValueInvalid},
	} {
		for _, n := range []int{test.most, test.most + 1} {
			_, err := DecodeSearch([]byte(test.before+test.make(test.entry, n)+test.after), DefaultLimits())
			if refusedAt(err, test.path, test.code) != (n > test.most) {
				t.Errorf("%d %s: %.300v", n, test.what, err)
			}
		}
	}
}

// TestRefusedListsAreNotRead checks that entries beyond a bound are not read: a
// rejection costs less than the body.
func TestRefusedListsAreNotRead(t *testing.T) {
	for _, body := range []string{
		`{"sort":[` + strings.Repeat(`{},`, 300_000) + `{}]}`,
		`{"facets":[` + strings.Repeat(`{},`, 300_000) + `{}]}`,
		`{"facets":[{"field":"a","ranges":[` + strings.Repeat(`{},`, 300_000) + `{}]}]}`,
		`{"filters":[{"field":"a","match":{"type":"in","values":[` + strings.Repeat(`[],`, 300_000) + `[]]}}]}`,
		`{"query":[` + strings.Repeat(`1,`, 500_000) + `1]}`,
		`{"query":[{"type":"fuse","rankings":[` + strings.Repeat(`{},`, 300_000) + `{}]}]}`,
	} {
		_, err := DecodeSearch([]byte(body), DefaultLimits())
		if err == nil || len(problem.All(err)) > problem.MaxReported {
			t.Errorf("%.30s: %d problems", body, len(problem.All(err)))
		}
		used := testing.AllocsPerRun(1, func() { _, _ = DecodeSearch([]byte(body), DefaultLimits()) })
		if used > 100_000 {
			t.Errorf("%.30s: %.0f allocations", body, used)
		}
	}
}
