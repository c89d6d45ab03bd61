package document

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/problem"
)

// TestStringsLongerThanATermAreRefused checks that a string compared as a whole is
// rejected, not truncated, when it is longer than a term, also in lower case. Text
// that is only searched by words, stored or displayed has no such bound.
func TestStringsLongerThanATermAreRefused(t *testing.T) {
	schema := schemaOf(t, `{"fields":{"id":{"type":"string","primaryKey":true},
		"filter":{"type":"string","filter":{}},"facet":{"type":"string","facet":{},"filter":{}},"sort":{"type":"string","sort":{}},
		"exact":{"type":"string","filter":{},"keyword":{"caseFolding":false}},"levels":{"type":"string","filter":{},"hierarchy":{}},
		"many":{"type":"string","multiple":true,"filter":{}},"text":{"type":"string","matching":{}},"kept":{"type":"string","stored":true},
		"local":{"type":"string","filter":{},"locales":{"defaultLocale":"en","locales":["tr"]}},
		"list":{"type":"object","multiple":true,"mode":"nested","key":"k","fields":{"k":{"type":"string","required":true}}}}}`)
	fits, long := strings.Repeat("a", layout.MaxTerm), strings.Repeat("a", layout.MaxTerm+1)
	grows := strings.Repeat("\u023a", layout.MaxTerm/3+1) // two bytes each, three in lower case
	turkish := strings.Repeat("I", layout.MaxTerm/2+1)    // one byte each, two in Turkish lower case
	const code = "document:string:value_too_long@"
	for _, test := range []struct{ document, want string }{
		{`{"id":%q,"filter":%[1]q,"facet":%[1]q,"sort":%[1]q,"exact":%[1]q,"levels":%[1]q,"many":[%[1]q],"local":%[1]q,"list":[{"k":%[1]q}]}`, ""},
		{`{"id":"1","text":%[2]q,"kept":%[2]q}`, ""},
		{`{"id":%[2]q}`, code + "id"},
		{`{"id":"1","filter":%[2]q,"facet":%[2]q,"sort":%[2]q}`, code + "facet " + code + "filter " + code + "sort"},
		{`{"id":"1","levels":%[2]q,"many":["a",%[2]q],"list":[{"k":%[2]q}]}`, code + "levels " + code + "list[0].k " + code + "many[1]"},
		{`{"id":"1","exact":%[3]q}`, ""},
		{`{"id":"1","filter":%[3]q}`, code + "filter"},
		{`{"id":"1","filter":%[4]q}`, ""},
		{`{"id":"1","local":{"tr":%[4]q}}`, code + "local.tr"},
		{`{"id":"1","local":{"en":%[4]q}}`, code + "local.en"}, // fills tr
	} {
		var found problem.List
		text := fmt.Sprintf(test.document+"%.0[1]s%.0[2]s%.0[3]s%.0[4]s", fits, long, grows, turkish)
		NewReader(schema).Read([]byte(text), problem.Path{}, &found)
		if got := told(&found); got != test.want {
			t.Errorf("%.60s: %q, want %q", test.document, got, test.want)
		}
		var again problem.List
		if d := NewLogReader(schema).Read([]byte(text), problem.Path{}, &again); d == nil {
			t.Errorf("%.60s: refused when it is read from the log: %s", test.document, told(&again))
		}
	}
}
