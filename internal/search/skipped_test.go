package search

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

// TestSkippedSettingsAreLoggedOnce searches a generation that lacks fields named by
// the settings.
func TestSkippedSettingsAreLoggedOnce(t *testing.T) {
	older := newIndex(t, `{"fields":{"id":{"type":"string","primaryKey":true},"name":{"type":"string","matching":{"typoTolerance":{}}},"gone":{"type":"string","matching":{}},
		"brand":{"type":"string","filter":{},"facet":{}},"n":{"type":"int32","sort":{}}}}`)
	older.set(t, `{"synonyms":{"a":{"rules":[{"equivalent":["lamp","light"]}],"fields":["gone","name"]}},
		"typoExclusions":{"b":{"words":["chair"],"fields":["gone"]}},"fields":{"brand":{"suggest":{},"interpret":{}}},
		"ranking":{"signals":[{"field":"n","linear":{"ceiling":5}}],"tieBreakers":[{"field":"n"}]}}`)
	x := newIndex(t, `{"fields":{"id":{"type":"string","primaryKey":true},"name":{"type":"string","matching":{"typoTolerance":{}}},"brand":{"type":"string"}}}`)
	var out bytes.Buffer
	x.searcher.settings.log = slog.New(slog.NewTextHandler(&out, nil))
	x.settings = older.settings
	x.add(t, []string{`{"id":"1","name":"light","brand":"Ada"}`, `{"id":"2","name":"chairs"}`}, nil)
	for range 3 {
		if a := x.mustSearch(t, `{"query":[{"type":"text","text":"lamp","match":"user"}]}`); len(a.Hits) != 1 {
			t.Fatalf("the synonym of a field that is there: %d hits", len(a.Hits))
		}
		if a := x.mustSearch(t, `{"query":[{"type":"text","text":"chairx"}]}`); len(a.Hits) != 1 {
			t.Fatalf("an exclusion of a field that is gone: %d hits", len(a.Hits))
		}
		if a := x.mustSearch(t, `{"query":[{"type":"text","text":"ada","match":"user"}]}`); a.Interpreted != nil {
			t.Fatal("a value of a field without filter was read")
		}
	}
	for _, want := range []string{"synonyms.a.fields[0]", "typoExclusions.b.fields[0]", "fields.brand.suggest", "fields.brand.interpret", "ranking.signals[0]", "ranking.tieBreakers[0]"} {
		if n := strings.Count(out.String(), "setting="+want); n != 1 {
			t.Errorf("%s is logged %d times:\n%s", want, n, out.String())
		}
	}
}
