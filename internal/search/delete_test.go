package search

import (
	"fmt"
	"slices"
	"testing"

	"github.com/quiresearch/quire/query"
)

func TestKeysOfFewAndOfMany(t *testing.T) {
	for _, test := range []struct{ name, key string }{
		{"text", `"id":{"type":"string","primaryKey":true},`}, {"number", `"id":{"type":"int64","primaryKey":true},`}, {"none", `"id":{"type":"int64"},`},
	} {
		t.Run(test.name, func(t *testing.T) {
			x := newIndex(t, `{"fields":{`+test.key+`"n":{"type":"int32","filter":{}}}}`)
			for part := range 2 {
				documents := make([]string, 500)
				for i := range documents {
					id := part*500 + i
					documents[i] = fmt.Sprintf(`{"id":%d,"n":%d}`, id, id)
					if test.name == "text" {
						documents[i] = fmt.Sprintf(`{"id":"%d","n":%d}`, id, id)
					}
				}
				x.add(t, documents, func(i int) bool { return i%10 == 3 })
			}
			for _, most := range []int{-1, 0, 4, 300, 700, 999} {
				request, err := query.DecodeDelete(fmt.Appendf(nil, `{"query":[{"type":"field","field":"n","match":{"type":"range","lte":%d}}]}`, most), query.DefaultLimits())
				if err != nil {
					t.Fatal(err)
				}
				keys, err := x.searcher.Keys(t.Context(), x.snapshot(), request)
				if err != nil {
					t.Fatal(err)
				}
				var want []string
				for id := range most + 1 {
					if id%10 != 3 {
						want = append(want, fmt.Sprint(id))
					}
				}
				if test.name == "none" {
					if len(keys) != len(want) {
						t.Errorf("up to %d: %d keys, not %d", most, len(keys), len(want))
					}
					continue
				}
				got := make([]string, len(keys))
				for i, key := range keys {
					got[i] = string(key)
				}
				slices.Sort(got)
				slices.Sort(want)
				if !slices.Equal(got, want) {
					t.Errorf("up to %d: %v, not %v", most, got, want)
				}
			}
		})
	}
}
