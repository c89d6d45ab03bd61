package document

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/quiresearch/quire/problem"
)

func TestNamesOfWildcardFieldsAreBounded(t *testing.T) {
	reader := NewReader(schemaOf(t, `{"fields":{"id":{"type":"string","primaryKey":true},"a*":{"type":"string","filter":{}},
		"l":{"type":"object","multiple":true,"mode":"nested","fields":{"b*":{"type":"string","filter":{}}}}}}`))
	names := func(n int) string {
		all := make([]string, n)
		for i := range all {
			all[i] = fmt.Sprintf(`"a%d":"x"`, i)
		}
		return strings.Join(all, ",")
	}
	for _, test := range []struct {
		body    string
		refused bool
	}{
		{`{"id":"1",` + names(maxWildcardNames) + `}`, false},
		{`{"id":"1",` + names(maxWildcardNames+1) + `}`, true},
		{`{"id":"1",` + names(20_000) + `}`, true},
		{`{"id":"1","l":[` + strings.TrimSuffix(strings.Repeat(`{"b1":"x","b2":"y"},`, 2*maxWildcardNames), ",") + `]}`, false},
		{`{"id":"1","l":[{"b1":"x"}],` + names(maxWildcardNames) + `}`, true},
	} {
		var found problem.List
		d := reader.Read([]byte(test.body), problem.Path{}, &found)
		if (d == nil) != test.refused || test.refused && (found.Len() != 1 || !errors.Is(found.Err(), problem.RequestValueInvalid)) {
			t.Errorf("%.60s: %v", test.body, found.Err())
		}
	}
}
