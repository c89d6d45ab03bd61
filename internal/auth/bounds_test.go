package auth

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/quiresearch/quire/problem"
)

// S30: the content of a key is bounded, because all keys are one object.
func TestKeysAreBounded(t *testing.T) {
	patterns := func(n int) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf(`"a%d*"`, i))
		}
		return strings.Join(all, ",")
	}
	grants := func(n, indexes int) string {
		one := `{"permissions":["search"],"indexes":[` + patterns(indexes) + `]}`
		return strings.TrimSuffix(strings.Repeat(one+",", n), ",")
	}
	for _, test := range []struct{ description, grants, refused string }{
		{strings.Repeat("d", maxDescription), grants(1, maxPatterns), ""},
		{"", grants(maxGrants, maxPatterns/maxGrants), ""},
		{strings.Repeat("d", maxDescription+1), grants(1, 1), "description"},
		{"", grants(maxGrants+1, 1), "grants"},
		{"", grants(1, maxPatterns+1), "grants[0].indexes"},
		{"", grants(3, maxPatterns/2), "grants[2].indexes"},
	} {
		_, err := ReadNewKey([]byte(`{"description":"`+test.description+`","grants":[`+test.grants+`]}`), time.Now())
		told := ""
		for _, p := range problem.All(err) {
			told += p.Path
		}
		if told != test.refused {
			t.Errorf("%d bytes of description, %d of grants: %q, want %q", len(test.description), len(test.grants), told, test.refused)
		}
	}
}
