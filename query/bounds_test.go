package query

import (
	"errors"
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
			refused := false
			for _, p := range problem.All(err) {
				refused = refused || p.Path == test.name && errors.Is(p, problem.RequestValueInvalid)
			}
			if refused != (n > test.most) {
				t.Errorf("%d %s: %v", n, test.name, err)
			}
		}
	}
}
