package settings

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quiresearch/quire/problem"
)

// repeated returns the JSON of n numbered terms.
func repeated(n int) string {
	terms := make([]string, n)
	for i := range terms {
		terms[i] = fmt.Sprintf(`"w%d"`, i)
	}
	return strings.Join(terms, ",")
}

// TestBounds checks that new settings are bounded, because every search reads them.
// Settings stored before a bound was introduced stay in force and can be changed.
func TestBounds(t *testing.T) {
	sets := make([]string, maxSets+1)
	for i := range sets {
		sets[i] = fmt.Sprintf(`"s%d":{"words":["a"]}`, i)
	}
	long := `"` + strings.Repeat("a", maxTermBytes+1) + `"`
	for _, c := range []struct{ name, body, path, reason string }{
		{"terms", `{"synonyms":{"a":{"rules":[{"equivalent":[` + repeated(maxTerms) + `]}]},"b":{"rules":[{"mapping":{"from":["x"],"to":["y"]}}]}}}`,
			"synonyms", "more than 100000 terms in all sets together"},
		{"words", `{"typoExclusions":{"a":{"words":[` + repeated(maxTerms+1) + `]}}}`, "typoExclusions", "more than 100000 terms in all sets together"},
		{"sets", `{"typoExclusions":{` + strings.Join(sets, ",") + `}}`, "typoExclusions", "more than 1000 sets"},
		{"long term", `{"synonyms":{"a":{"rules":[{"equivalent":["x",` + long + `]}]}}}`, "synonyms.a", "a term of more than 1000 bytes"},
		{"fields", `{"synonyms":{"a":{"rules":[],"fields":[` + repeated(maxNames+1) + `]}}}`, "synonyms.a.fields", "more than 1000 fields"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Decode([]byte(c.body))
			found := problem.All(err)
			if len(found) != 1 || found[0].Code != problem.RequestValueInvalid || found[0].Path != c.path || found[0].Arguments["reason"] != c.reason {
				t.Fatalf("got %v, want request:value_invalid at %s because of %s", err, c.path, c.reason)
			}
			stored, err := Load([]byte(c.body), nil)
			if err != nil || len(stored.UnsupportedFeatures) > 0 {
				t.Fatalf("stored settings are not in force: %v %v", err, stored.UnsupportedFeatures)
			}
			if _, err := stored.Patch([]byte(`{"countSearches":true}`)); err != nil {
				t.Errorf("stored settings cannot be changed: %v", err)
			}
			var none *Settings
			if _, err := none.Patch([]byte(c.body)); err == nil {
				t.Error("a change goes beyond the bounds")
			}
		})
	}
}
