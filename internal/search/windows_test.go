package search

import (
	"fmt"
	"testing"
)

// TestValuesOfSeveralWindowsAreFolded has documents with one list value each, which
// all match: a text processes several windows of values as one, and every value
// yields a document.
func TestValuesOfSeveralWindowsAreFolded(t *testing.T) {
	x := newIndex(t, `{"fields":{"id":{"type":"string","primaryKey":true},
		"v":{"type":"object","multiple":true,"mode":"nested","fields":{"a":{"type":"string","matching":{}},"b":{"type":"string","matching":{"weight":2}}}}}}`)
	const documents = 20_000
	lines := make([]string, documents)
	for i := range lines {
		lines[i] = fmt.Sprintf(`{"id":"%d","v":[{"a":"red","b":"%s"}]}`, i, []string{"red", "green"}[i%2])
	}
	x.add(t, lines, nil)
	for _, fold := range []string{"max", "avg", "total"} {
		found := x.mustSearch(t, fmt.Sprintf(`{"limit":3,"total":"exact","query":[{"type":"nested","path":"v","score":%q,"clauses":[{"type":"text","text":"red","typos":"off","prefix":"off"}]}]}`, fold))
		if found.Total.Count != documents || len(found.Hits) != 3 || found.Hits[1].ID != "2" {
			t.Errorf("%s: %d documents, hits %v", fold, found.Total.Count, found.Hits)
		}
	}
}
