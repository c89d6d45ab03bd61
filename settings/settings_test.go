package settings

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/problem"
)

func problems(err error) string {
	var parts []string
	for _, p := range problem.All(err) {
		parts = append(parts, p.Code.Name()+"@"+p.Path)
	}
	return strings.Join(parts, " ")
}

func TestDecodeReportsEveryProblem(t *testing.T) {
	many := make([]string, MaxDeclaredValues+1)
	for i := range many {
		many[i] = fmt.Sprintf(`{"value":"v%d"}`, i)
	}
	for _, c := range []struct{ body, want string }{
		{`{}`, ``},
		{``, `request:body_required@`},
		{`[]`, `request:value_invalid@`},
		{`{"version":"x"}`, `request:property_unknown@version`},
		{`{"ranking":{"tieBreakers":[{}],"other":1}}`, `request:value_required@ranking.tieBreakers[0].field request:property_unknown@ranking.other`},
		{`{"synonyms":{"s":{}}}`, `request:value_required@synonyms.s.rules`},
		{`{"synonyms":{"s":null}}`, `request:value_required@synonyms.s`},
		{`{"synonyms":{"s":{"rules":[{},{"equivalent":["a"]},{"equivalent":["a"," "]},{"mapping":{"from":["a"]}},{"equivalent":["a","b"],"mapping":{"from":["a"],"to":["b"]}}],"boost":0}}}`,
			`settings:synonyms:rule_invalid@synonyms.s.rules[0] settings:synonyms:rule_invalid@synonyms.s.rules[1] settings:synonyms:rule_invalid@synonyms.s.rules[2] ` +
				`settings:synonyms:rule_invalid@synonyms.s.rules[3] settings:synonyms:rule_invalid@synonyms.s.rules[4] settings:synonyms:boost_out_of_range@synonyms.s.boost`},
		{`{"other":1,"synonyms":{"s":{"rules":[{}],"boost":0}}}`, `request:property_unknown@other`}, // only the shape is checked
		{`{"typoExclusions":{"l":{"fields":["a"]}}}`, `request:value_required@typoExclusions.l.words`},
		{`{"typoExclusions":{"l":{"words":["a",null,1]}}}`, `request:value_required@typoExclusions.l.words[1] request:value_invalid@typoExclusions.l.words[2]`},
		{`{"fields":{"a.b":{"interpret":{"x":1},"suggest":[]}}}`, `request:property_unknown@fields["a.b"].interpret.x request:value_invalid@fields["a.b"].suggest`},
		{`{"fields":{"f":{"values":[{"order":1}]}}}`, `settings:fields:values_invalid@fields.f.values[0].value`},
		{`{"fields":{"f":{"values":[{"value":"S"},{"value":"S"}]}}}`, `settings:fields:values_invalid@fields.f.values[1].value`},
		{`{"fields":{"f":{"values":[{"value":"S","labels":{"not a tag":"x"}}]}}}`, `settings:fields:values_invalid@fields.f.values[0].labels.not a tag`},
		{`{"fields":{"f":{"values":[{"value":"S","labels":{"EN-gb":"x"}}]}}}`, `settings:fields:values_invalid@fields.f.values[0].labels.EN-gb`},
		{`{"fields":{"f":{"values":[{"value":"S","labels":{"en-GB":" ","zh-Hant":"x","no":"y"}}]}}}`, `settings:fields:values_invalid@fields.f.values[0].labels.en-GB`},
		{`{"fields":{"f":{"values":[` + strings.Join(many, ",") + `]}}}`, `settings:fields:values_invalid@fields.f.values`},
		{`{"fields":{"f":{"values":[` + strings.Join(many[1:], ",") + `]}}}`, ``},
	} {
		_, err := Decode([]byte(c.body))
		if got := problems(err); got != c.want {
			t.Errorf("%.200s\n got  %s\n want %s", c.body, got, c.want)
		}
	}
}

func schemaOf(t *testing.T, body string) *definition.Schema {
	t.Helper()
	d, err := definition.Parse([]byte(body), definition.Capabilities{})
	if err != nil {
		t.Fatal(err)
	}
	return definition.NewSchema(d)
}

func TestValidateAsksTheSchema(t *testing.T) {
	schema := schemaOf(t, `{"fields":{"id":{"type":"string","primaryKey":true},"name":{"type":"string","matching":{}},
		"brand":{"type":"string","filter":{},"facet":{}},"path":{"type":"string","filter":{},"facet":{},"hierarchy":{}},
		"tag":{"type":"string","filter":{}},"sales":{"type":"int64","sort":{}},"plain":{"type":"int64"},
		"when":{"type":"timestamp","sort":{}},"w*":{"type":"int64","sort":{}},
		"variants":{"type":"object","multiple":true,"mode":"nested","fields":{"colour":{"type":"string","filter":{},"facet":{}}}}}}`)
	for _, c := range []struct{ body, want string }{
		{`{"ranking":{"tieBreakers":[{"field":"sales"},{"field":"sales"},{"field":"absent"},{"field":"plain"},{"field":"wx"},{"field":"w*"},{"field":"v*"}]}}`,
			`index:ranking:field_duplicate@ranking.tieBreakers[1] index:ranking:field_unknown@ranking.tieBreakers[2] ` +
				`index:ranking:field_not_sortable@ranking.tieBreakers[3] index:ranking:wildcard_unsupported@ranking.tieBreakers[4] ` +
				`index:ranking:wildcard_unsupported@ranking.tieBreakers[5] index:ranking:field_unknown@ranking.tieBreakers[6]`},
		{`{"ranking":{"signals":[{"field":"sales"},{"field":"sales","decay":{"halfLife":1}},{"field":"when","saturation":{"pivot":0}},{"field":"x","linear":{"ceiling":1},"weight":-1}]}}`,
			`index:ranking:signal:shape_required@ranking.signals[0] index:ranking:signal:shape_unsupported@ranking.signals[1] ` +
				`index:ranking:signal:pivot_out_of_range@ranking.signals[2] index:ranking:signal:shape_unsupported@ranking.signals[2] ` +
				`index:ranking:signal:field_unknown@ranking.signals[3] index:ranking:signal:weight_out_of_range@ranking.signals[3]`},
		{`{"ranking":{}}`, ``},
		{`{"synonyms":{"s":{"rules":[],"fields":["absent","sales","name"]}}}`, `settings:synonyms:field_unknown@synonyms.s.fields[0] settings:synonyms:field_unsupported@synonyms.s.fields[1]`},
		{`{"typoExclusions":{"l":{"words":[],"fields":["absent","brand"]}}}`, `settings:typo_exclusions:field_unknown@typoExclusions.l.fields[0] settings:typo_exclusions:field_unsupported@typoExclusions.l.fields[1]`},
		{`{"fields":{"absent":{}}}`, `settings:fields:field_unknown@fields.absent`},
		{`{"fields":{"tag":{"interpret":{},"suggest":{},"values":[]}}}`,
			`settings:fields:interpret_unsupported@fields.tag.interpret settings:fields:suggest_unsupported@fields.tag.suggest settings:fields:values_unsupported@fields.tag.values`},
		{`{"fields":{"path":{"suggest":{}},"brand":{"interpret":{},"suggest":{},"values":[]},"variants.colour":{"interpret":{}}}}`, `settings:fields:suggest_unsupported@fields.path.suggest`},
	} {
		s, err := Decode([]byte(c.body))
		if err != nil {
			t.Fatal(err)
		}
		err = s.Validate(schema)
		if got := problems(err); got != c.want {
			t.Errorf("%s\n got  %s\n want %s", c.body, got, c.want)
		}
		for _, p := range problem.All(err) {
			if strings.Contains(p.Message(), "{") {
				t.Errorf("%s: message %q", p.Code.Name(), p.Message())
			}
		}
	}
}

func TestVersionFollowsTheContent(t *testing.T) {
	version := func(body string) string {
		s, err := Decode([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		return s.Version()
	}
	same := version(`{"synonyms":{"s":{"rules":[{"equivalent":["a","b"]}],"boost":0.90}},"ranking":null}`)
	if got := version(` { "synonyms" : {"s":{"boost":0.9,"rules":[{"equivalent":["a","b"],"mapping":null}]}}}`); got != same || len(same) != 16 {
		t.Errorf("versions %s and %s", got, same)
	}
	if version(`{}`) == same {
		t.Error("other settings have the same version")
	}
}

func TestLabelsFollowTheLocale(t *testing.T) {
	s, err := Decode([]byte(`{"fields":{"size":{"values":[{"value":"S","order":1,"labels":{"en":"Small","fr":"Petit"}},{"value":"M"}]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	f := s.FieldNamed("size")
	for _, c := range []struct{ value, wanted, fallback, want string }{
		{"S", "fr", "en", "Petit"}, {"S", "fr-CA", "en", "Petit"}, {"S", "sv", "en", "Small"}, {"S", "", "en", "Small"},
		{"S", "sv", "sv", ""}, {"M", "fr", "en", ""}, {"X", "fr", "en", ""},
	} {
		if got := f.Label(c.value, c.wanted, c.fallback); got != c.want {
			t.Errorf("%v: got %q", c, got)
		}
	}
	var none *Settings
	if none.FieldNamed("size").Label("S", "en", "en") != "" || none.InForce() != nil {
		t.Error("no settings have labels")
	}
}

func TestLoadSetsAsideWhatItDoesNotKnow(t *testing.T) {
	s, err := Load([]byte(`{"ranking":{},"curation":{}}`), []string{"query_synonyms", "personal"})
	if err != nil || fmt.Sprint(s.UnsupportedFeatures) != "[curation personal]" || s.InForce() != nil {
		t.Fatalf("%+v, %v", s, err)
	}
	if string(s.JSON()) != `{"curation":{},"ranking":{}}` {
		t.Errorf("stored as %s", s.JSON())
	}
	if _, err := s.Patch([]byte(`{"ranking":null}`)); !errors.Is(err, problem.SettingsUnrepresentable) {
		t.Errorf("changed in parts: %v", err)
	}
}

// TestNumbersAreStoredAsGiven checks that numbers are stored exactly as given and
// can be read again.
func TestNumbersAreStoredAsGiven(t *testing.T) {
	for given, want := range map[string]string{
		`9223372036854775807`: `9223372036854775807`, `9007199254740993`: `9007199254740993`, `9.223372036854775807e18`: `9223372036854775807`,
		`1e3`: `1000`, `60.0`: `60`, `86400`: `86400`,
	} {
		s, err := Decode([]byte(`{"ranking":{"signals":[{"field":"t","decay":{"halfLife":` + given + `},"weight":2.50}]}}`))
		if err != nil {
			t.Fatal(err)
		}
		if text := `{"ranking":{"signals":[{"decay":{"halfLife":` + want + `},"field":"t","weight":2.5}]}}`; string(s.JSON()) != text {
			t.Errorf("stored as %s, want %s", s.JSON(), text)
		}
		if loaded, err := Load(s.JSON(), s.Features()); err != nil || len(loaded.UnsupportedFeatures) > 0 || loaded.Version() != s.Version() {
			t.Errorf("%s is read as %+v, %v", s.JSON(), loaded, err)
		}
	}
}

// TestLoadSetsAsideValuesItDoesNotTake checks that values of a later version
// disable the settings as unknown members do.
func TestLoadSetsAsideValuesItDoesNotTake(t *testing.T) {
	s, err := Load([]byte(`{"ranking":{"tieBreakers":[{"field":"n","direction":"sideways"}],"signals":[{"field":"t","decay":{"halfLife":1e30}}]},"synonyms":{"a.b":5}}`), nil)
	if err != nil || fmt.Sprint(s.UnsupportedFeatures) != "[ranking synonyms]" || s.InForce() != nil {
		t.Fatalf("%+v, %v", s, err)
	}
	if _, err := Load([]byte(`[]`), nil); err == nil {
		t.Error("a list is read as settings")
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"ranking":{"signals":[{"field":"t","decay":{"halfLife":9223372036854775807},"weight":1e-300}]}}`))
	f.Add([]byte(`{"synonyms":{"s":{"rules":[{"mapping":{"from":["a"],"to":["b"]}}]}},"fields":{"f":{"values":[{"value":"a","labels":{"en":"A"}}]}}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		s, err := Decode(body)
		if err != nil {
			return
		}
		again, err := Decode(s.JSON())
		if err != nil || again.Version() != s.Version() {
			t.Errorf("%s is not stable: %v", s.JSON(), err)
		}
		if loaded, err := Load(s.JSON(), s.Features()); err != nil || len(loaded.UnsupportedFeatures) > 0 {
			t.Errorf("%s is not read again: %v", s.JSON(), err)
		}
	})
}
