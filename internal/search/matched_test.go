package search

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestMatchedValuesOfDocumentsFarApart has pages whose documents are in different
// windows and segments, and in any order.
func TestMatchedValuesOfDocumentsFarApart(t *testing.T) {
	x := newIndex(t, `{"fields":{"id":{"type":"int32","primaryKey":true,"sort":{}},"place":{"type":"int32","sort":{}},
		"lines":{"type":"object","multiple":true,"mode":"nested","fields":{"k":{"type":"int32","filter":{}}}}}}`)
	values := make(map[int][]int)
	id := 0
	for _, size := range []int{5000, 900} {
		documents := make([]string, size)
		for i := range documents {
			var lines []string
			for j := range id % 6 {
				k := (id + j*j) % 9
				values[id] = append(values[id], k)
				lines = append(lines, fmt.Sprintf(`{"k":%d}`, k))
			}
			documents[i] = fmt.Sprintf(`{"id":%d,"place":%d,"lines":[%s]}`, id, id*7919%10007, strings.Join(lines, ","))
			id++
		}
		x.add(t, documents, func(i int) bool { return i%13 == 5 })
	}
	for _, sort := range []string{`{"field":"place"}`, `{"field":"id","order":"desc"}`, `{"field":"id"}`} {
		answer := x.mustSearch(t, `{"limit":40,"sort":[`+sort+`],"matched":{"fields":{"lines":{"limit":100}}},
			"query":[{"type":"nested","path":"lines","clauses":[{"type":"field","field":"lines.k","match":{"type":"range","gte":3,"lte":5}}]}]}`)
		if len(answer.Hits) != 40 {
			t.Fatalf("%d hits", len(answer.Hits))
		}
		for _, hit := range answer.Hits {
			var number int
			if _, err := fmt.Sscan(hit.ID, &number); err != nil {
				t.Fatal(err)
			}
			var want, got []string
			for _, k := range values[number] {
				if k >= 3 && k <= 5 {
					want = append(want, fmt.Sprintf(`{"k":%d}`, k))
				}
			}
			for _, v := range hit.Matched[0].Values {
				got = append(got, string(v))
			}
			if !slices.Equal(got, want) {
				t.Errorf("sorted by %s: document %d matched %v, not %v", sort, number, got, want)
			}
		}
	}
}
