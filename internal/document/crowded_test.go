package document

import (
	"strings"
	"testing"

	"github.com/quiresearch/quire/problem"
)

// TestListValuesAreBounded checks the bound on list values over all lists of a
// document, each of which is matched and shown separately.
func TestListValuesAreBounded(t *testing.T) {
	schema := schemaOf(t, `{"fields":{"id":{"type":"string","primaryKey":true},
		"a":{"type":"object","multiple":true,"mode":"nested","fields":{"n":{"type":"int32"}}},
		"b":{"type":"object","multiple":true,"mode":"nested","fields":{"n":{"type":"int32"}}},
		"flat":{"type":"object","multiple":true,"mode":"flattened","fields":{"n":{"type":"int32"}}}}}`)
	list := func(n int) string { return "[" + strings.TrimSuffix(strings.Repeat("{},", n), ",") + "]" }
	for text, want := range map[string]string{
		`{"id":"1","a":` + list(MaxListValues) + `,"flat":` + list(MaxListValues) + `}`:                       "",
		`{"id":"1","a":` + list(MaxListValues+5) + `}`:                                                        "document:values_too_many@a[100000]",
		`{"id":"1","a":` + list(MaxListValues/2) + `,"b":` + list(MaxListValues/2+2) + `,"flat":[{"x":"x"}]}`: "document:field_unknown@flat[0].x document:values_too_many@b[50000]",
	} {
		var found problem.List
		NewReader(schema).Read([]byte(text), problem.Path{}, &found)
		if got := told(&found); got != want {
			t.Errorf("%.40s: %q, want %q", text, got, want)
		}
	}
	var found problem.List
	if d := NewLogReader(schema).Read([]byte(`{"id":"1","a":`+list(MaxListValues+5)+`}`), problem.Path{}, &found); d == nil {
		t.Errorf("a logged document is refused: %s", told(&found))
	}
}
