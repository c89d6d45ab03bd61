package settings

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/quiresearch/quire/problem"
)

const big = `{"ranking":{"tieBreakers":[{"field":"sales","direction":"descending"}],
	"signals":[{"field":"sales","saturation":{"pivot":50}},{"field":"views","saturation":{"pivot":10},"weight":0.5}]},
	"synonyms":{"merch":{"rules":[{"equivalent":["trainers","sneakers"]}],"boost":0.9}},
	"typoExclusions":{"brands":{"words":["canon"]}},
	"fields":{"size":{"values":[{"value":"S","order":1,"labels":{"en":"Small"}},{"value":"M","order":2}]},"variants.colour":{"interpret":{}}}}`

func TestPatchAppliesPaths(t *testing.T) {
	s, err := Decode([]byte(big))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ change, want string }{
		{`{"ranking":null,"typoExclusions.brands":null}`, `!"ranking" !"canon" "merch"`},
		{`{"ranking.signals[field=views].weight":2}`, `"weight":2`},
		{`{"ranking.signals[views].weight":2}`, `"weight":2`},
		{`{"ranking.signals[field=sales]":null}`, `!"pivot":50 "pivot":10`},
		{`{"ranking.signals[]":{"field":"published","decay":{"halfLife":60}},"typoExclusions.brands.words[]":"leica","synonyms.merch.rules[]":{"equivalent":["tee","shirt"]}}`,
			`"halfLife":60 ["canon","leica"] ["tee","shirt"]`},
		{`{"fields.size.values[value=S].labels.sv":"Liten"}`, `"en":"Small","sv":"Liten"`},
		{`{"fields.variants\\.colour.suggest":{}}`, `"variants.colour":{"interpret":{},"suggest":{}}`},
		{`{"synonyms.fresh.boost":1,"synonyms.fresh.rules":[]}`, `"fresh":{"boost":1,"rules":[]}`},
		{`{"synonyms.merch.rules[boost=1]":null}`, `settings:patch:field_unknown@synonyms.merch.rules[boost=1]`},
		{`{"ranking.signals[field=sales":1}`, `settings:patch:path_invalid@ranking.signals[field=sales`},
		{`{"ranking.":1}`, `settings:patch:path_invalid@ranking.`},
		{`{"nonsense":1}`, `settings:patch:field_unknown@nonsense`},
		{`{"synonyms.merch.boost.more":1}`, `settings:patch:not_an_object@synonyms.merch.boost.more`},
		{`{"ranking.signals.weight":1}`, `settings:patch:selector_required@ranking.signals.weight`},
		{`{"ranking.signals[].weight":1}`, `settings:patch:add_reaches_inside@ranking.signals[].weight`},
		{`{"ranking[field=sales]":{}}`, `settings:patch:selector_unsupported@ranking[field=sales]`},
		{`{"typoExclusions.brands.words[a=b]":"x"}`, `settings:patch:match_not_an_object@typoExclusions.brands.words[a=b]`},
		{`{"typoExclusions.brands.words[canon]":null}`, `settings:patch:key_unsupported@typoExclusions.brands.words[canon]`},
		{`{"synonyms.merch.boost[a=b]":1}`, `settings:patch:match_not_an_object@synonyms.merch.boost[a=b]`},
		{`{"synonyms.merch.boost[a]":1}`, `settings:patch:selector_unsupported@synonyms.merch.boost[a]`},
		{`{"synonyms.fresh.boost":0.5}`, `request:value_required@synonyms.fresh.boost`},
		{`{"synonyms.merch.rules[x]":null}`, `settings:patch:key_unsupported@synonyms.merch.rules[x]`},
		{`{"ranking[]":{}}`, `settings:patch:add_unsupported@ranking[]`},
		{`{"ranking.signals[field=absent].weight":1}`, `settings:patch:no_match@ranking.signals[field=absent].weight`},
		{`{"fields.size.values[XXL].order":1}`, `settings:patch:no_match@fields.size.values[XXL].order`},
		{`{"synonyms.merch.boost":"loud"}`, `settings:patch:value_invalid@synonyms.merch.boost`},
		{`{"ranking":["sales"]}`, `settings:patch:value_invalid@ranking`},
		{`{"ranking.signals[sales].weight":"x","ranking.signals[views].weight":"y"}`,
			`settings:patch:value_invalid@ranking.signals[sales].weight settings:patch:value_invalid@ranking.signals[views].weight`},
		{`{"ranking":{"signals":[{"field":"sales","saturation":{"pivot":"x"}}]}}`, `settings:patch:value_invalid@ranking`},
		{`{"synonyms.merch.boost":"loud","synonyms.merch":null}`, `!"merch"`},
		{`{"ranking":{"other":1}}`, `request:property_unknown@ranking.other`},
		{`{"ranking.tieBreakers[]":{}}`, `request:value_required@ranking.tieBreakers[]`},
		{`{"synonyms.merch.boost":0}`, `settings:synonyms:boost_out_of_range@synonyms.merch.boost`},
	} {
		changed, err := s.Patch([]byte(c.change))
		if err != nil {
			if got := problems(err); got != c.want {
				t.Errorf("%s\n got  %s\n want %s", c.change, got, c.want)
			}
			for _, p := range problem.All(err) {
				if strings.Contains(p.Message(), "{") {
					t.Errorf("%s: message %q", p.Code.Name(), p.Message())
				}
			}
			continue
		}
		for _, part := range strings.Fields(c.want) {
			text, absent := strings.CutPrefix(part, "!")
			if strings.Contains(string(changed.JSON()), text) == absent {
				t.Errorf("%s\n gives %s\n want %s", c.change, changed.JSON(), c.want)
			}
		}
	}
	schema := schemaOf(t, `{"fields":{"sales":{"type":"int64","sort":{}},"views":{"type":"int64","sort":{}},"size":{"type":"string","filter":{},"facet":{}},"name":{"type":"string","matching":{}}}}`)
	for _, c := range []struct{ change, want string }{
		{`{"fields.variants\\.colour":null,"fields.a\\.b.interpret":{}}`, `settings:fields:field_unknown@fields.a\.b.interpret`},
		{`{"fields.variants\\.colour":null,"ranking.signals[field=views].weight":-1}`, `index:ranking:signal:weight_out_of_range@ranking.signals[field=views].weight`},
		{`{"fields.variants\\.colour":null,"fields.name.suggest":{},"fields.name.interpret":{}}`, `settings:fields:interpret_unsupported@fields.name.interpret settings:fields:suggest_unsupported@fields.name.suggest`},
		{`{"fields.variants\\.colour":null,"fields.size.values[S].labels.en":" "}`, `settings:fields:values_invalid@fields.size.values[S].labels.en`},
		{`{"synonyms.merch.fields":["absent"],"synonyms.merch.boost":0}`, `settings:synonyms:boost_out_of_range@synonyms.merch.boost settings:synonyms:field_unknown@synonyms.merch.fields`},
		// Names missing in this generation are no problem of a change that does not
		// write them.
		{`{"synonyms.merch.boost":0.5}`, ``},
		{`{}`, ``},
		{`{"fields.variants\\.colour.interpret":null}`, ``},
		{`{"fields.variants\\.colour.suggest":{}}`, `settings:fields:field_unknown@fields.variants\.colour.suggest`},
		{`{"fields":{"variants.colour":{"interpret":{}}}}`, `settings:fields:field_unknown@fields`},
	} {
		changed, err := s.Patch([]byte(c.change))
		if changed == nil {
			t.Fatalf("%s: %v", c.change, err)
		}
		var found problem.List
		found.Add(err)
		found.Add(changed.ValidateChange(schema, s))
		if got := problems(found.Err()); got != c.want {
			t.Errorf("%s\n got  %s\n want %s", c.change, got, c.want)
		}
	}
	without := schemaOf(t, `{"fields":{"views":{"type":"int64","sort":{}},"size":{"type":"string","facet":{}},"name":{"type":"string","matching":{}}}}`)
	for _, c := range []struct{ change, want string }{
		{`{"ranking.signals[views].weight":2}`, ``},
		{`{"ranking.signals[sales]":null}`, ``},
		{`{"ranking.signals[]":{"field":"views","linear":{"ceiling":2}}}`, ``},
		{`{"ranking.signals[]":{"field":"sales","linear":{"ceiling":2}}}`, `index:ranking:signal:field_unknown@ranking.signals[]`},
		{`{"ranking.signals[sales].weight":2}`, `index:ranking:signal:field_unknown@ranking.signals[sales].weight`},
		{`{"ranking.signals[field=sales]":{"field":"sales","linear":{"ceiling":2}}}`, `index:ranking:signal:field_unknown@ranking.signals[field=sales]`},
		{`{"ranking":{"tieBreakers":[{"field":"sales"}]}}`, `index:ranking:field_unknown@ranking`},
		{`{"ranking.tieBreakers":[]}`, ``},
	} {
		changed, err := s.Patch([]byte(c.change))
		if err != nil {
			t.Fatalf("%s: %v", c.change, err)
		}
		if got := problems(changed.ValidateChange(without, s)); got != c.want {
			t.Errorf("%s\n got  %s\n want %s", c.change, got, c.want)
		}
	}
	var none *Settings
	first, err := none.Patch([]byte(`{"ranking":{"tieBreakers":[{"field":"sales"}]}}`))
	if err != nil || string(first.JSON()) != `{"ranking":{"tieBreakers":[{"field":"sales"}]}}` {
		t.Errorf("%s, %v", first.JSON(), err)
	}
}

// TestProblemsAreToldUpToABound checks that a body with many problems reports as
// many as any other.
func TestProblemsAreToldUpToABound(t *testing.T) {
	var none *Settings
	changes := []byte("{")
	for i := range 2 * maxProblems {
		changes = fmt.Appendf(changes, `"fields.absent%d.suggest":{},`, i)
	}
	s, err := none.Patch(append(changes[:len(changes)-1], '}'))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := none.Patch(bytes.ReplaceAll(append(changes[:len(changes)-1], '}'), []byte("fields"), []byte("absent"))); len(problem.All(err)) != maxProblems {
		t.Errorf("%d problems of paths", len(problem.All(err)))
	}
	found := problem.All(s.ValidateChange(schemaOf(t, `{"fields":{}}`), none))
	if len(found) != maxProblems || found[7].Path != "fields.absent7.suggest" {
		t.Errorf("%d problems, one at %s", len(found), found[7].Path)
	}
}
