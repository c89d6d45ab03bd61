package definition

import (
	"errors"
	"sort"
	"strings"
	"testing"

	"github.com/quiresearch/quire/problem"
)

// node holds the capabilities of the node in these tests.
var node = Capabilities{
	Locale: func(tag string) (string, bool) {
		known := map[string]string{"en": "en", "sv": "sv", "de": "de", "fr": "fr", "zh-hant": "zh-Hant"}
		canonical, ok := known[strings.ToLower(tag)]
		if !ok {
			return tag, false
		}
		return canonical, true
	},
	Compounding: func(tag string) bool { return tag == "sv" || tag == "de" || tag == "is" },
	Decompounds: func(tag string) bool { return tag == "sv" },
}

func told(err error) string {
	var parts []string
	if err != nil {
		for _, p := range problem.All(err) {
			parts = append(parts, p.Code.Name()+"@"+p.Path)
		}
	}
	sort.Strings(parts)
	return strings.Join(parts, " ")
}

func mustParse(t *testing.T, body string) *Definition {
	t.Helper()
	d, err := Parse([]byte(body), node)
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return d
}

// field returns a definition with one field called f.
func field(f string) string { return `{"fields":{"f":` + f + `}}` }

func TestEveryDefinitionErrorHasItsCodeAndPlace(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{``, "request:body_required@"},
		{`[`, "request:body_malformed@"},
		{`[]`, "request:value_invalid@"},
		{`{"colour":1}`, "request:property_unknown@colour"},
		{`{"source":"half"}`, "request:value_invalid@source"},
		{`{"metadata":{"team":null}}`, `request:value_required@metadata["team"]`},
		{`{"fields":{"a.b":{"type":"string"}}}`, `index:field:name_invalid@fields["a.b"]`},
		{`{"fields":{"a-b":{"type":"string"}}}`, `index:field:name_invalid@fields.a-b`},
		{field(`{}`), "index:field:type_required@fields.f"},
		{field(`{"type":"quaternion"}`), "request:value_invalid@fields.f.type"},
		{field(`{"type":"int32","matching":{}}`), "request:property_unknown@fields.f.matching"},
		{field(`{"type":"int32","role":"tag"}`), "request:property_unknown@fields.f.role"},
		{field(`{"type":"string","role":"geo"}`), "index:field:role:type_unsupported@fields.f"},
		{field(`{"type":"string","role":"headline"}`), "request:value_invalid@fields.f.role"},
		{field(`{"type":"object","fields":{"i":{"type":"string","role":"id"}}}`), "index:field:role:object_unsupported@fields.f.fields.i"},
		{`{"fields":{"b*":{"type":"string","required":true}}}`, "index:field:required:wildcard_unsupported@fields.b*"},
		{`{"fields":{"*":{"type":"string","primaryKey":true}}}`, "index:field:primary_key:wildcard_unsupported@fields.*"},
		{field(`{"type":"string","primaryKey":true,"multiple":true}`), "index:field:primary_key:multiple_unsupported@fields.f"},
		{field(`{"type":"double","primaryKey":true}`), "index:field:primary_key:type_unsupported@fields.f"},
		{field(`{"type":"string","primaryKey":true,"required":false}`), "index:schema:primary_key_not_required@fields.f"},
		{field(`{"type":"string","primaryKey":true,"locales":{}}`), "index:schema:primary_key_locales_unsupported@fields.f"},
		{`{"fields":{"a":{"type":"string","primaryKey":true},"b":{"type":"string","primaryKey":true}}}`, "index:schema:primary_key_duplicate@"},
		{field(`{"type":"int32","multiple":true,"sort":{}}`), "index:field:sort:multiple_unsupported@fields.f"},
		{field(`{"type":"int32","sort":{"collation":"binary"}}`), "index:field:sort:collation_unsupported@fields.f"},
		{field(`{"type":"geo_point","facet":{}}`), "index:field:facet:type_unsupported@fields.f"},
		{field(`{"type":"string","signal":{}}`), "index:field:signal:type_unsupported@fields.f"},
		{field(`{"type":"int32","signal":{},"filter":{},"facet":{}}`), "index:field:signal:usage_conflicting@fields.f index:field:signal:usage_conflicting@fields.f"},
		{`{"fields":{"n*":{"type":"int32","signal":{}}}}`, "index:field:signal:wildcard_unsupported@fields.n*"},
		{field(`{"type":"object","fields":{"n":{"type":"int32","signal":{}},"k":{"type":"string","primaryKey":true}}}`),
			"index:field:object:inner_usage_unsupported@fields.f.fields.k index:field:object:inner_usage_unsupported@fields.f.fields.n"},
		{field(`{"type":"string","locales":{"defaultLocale":"xx"}}`), "index:field:locales:locale_unsupported@fields.f"},
		{field(`{"type":"string","locales":{"only":["en"]}}`), "index:field:locales:only_without_declaration@fields.f.locales.only"},
		{`{"locales":{"defaultLocale":"en"},"fields":{"f":{"type":"string","locales":{"locales":["sv"]}}}}`, "index:field:locales:list_with_declaration@fields.f.locales.locales"},
		{`{"locales":{"defaultLocale":"en"},"fields":{"f":{"type":"string","locales":{"only":["en","sv"]}}}}`, "index:field:locales:locale_unknown@fields.f.locales.only[1]"},
		{`{"locales":{"defaultLocale":"en","supported":["sv"]},"fields":{"f":{"type":"string","locales":{"only":["sv"]}}}}`, "index:field:locales:default_not_in_only@fields.f.locales.only"},
		{`{"locales":{"supported":["sv"]}}`, "index:locales:default_locale_required@locales.defaultLocale"},
		{field(`{"type":"string","locales":{"fallback":"enabled"}}`), "index:field:locales:fallback_without_index@fields.f.locales.fallback"},
		{`{"localeFallback":{}}`, "index:locale_fallback:locale_fields_required@localeFallback"},
		{`{"localeFallback":{"chain":["en","en","sv","xx"]},"fields":{"f":{"type":"string","locales":{}}}}`,
			"index:locale_fallback:locale_duplicate@localeFallback.chain[1] index:locale_fallback:locale_not_held@localeFallback.chain[2] index:locale_fallback:locale_unsupported@localeFallback.chain[3]"},
		{field(`{"type":"string","matching":{"weight":0}}`), "index:field:matching:weight_out_of_range@fields.f"},
		{field(`{"type":"string","autocomplete":{"weight":-1}}`), "index:field:autocomplete:weight_out_of_range@fields.f"},
		{field(`{"type":"string","matching":{"typoTolerance":{"minLengthOneTypo":0}}}`), "index:field:matching:typo_min_length_out_of_range@fields.f"},
		{field(`{"type":"string","matching":{"typoTolerance":{"minLengthOneTypo":10}}}`), "index:field:matching:typo_lengths_conflicting@fields.f"},
		{field(`{"type":"string","matching":{"typoTolerance":{"prefixLength":-1}}}`), "index:field:matching:typo_prefix_out_of_range@fields.f"},
		{field(`{"type":"string","matching":{"exact":{"boost":0}}}`), "index:field:exact:boost_out_of_range@fields.f"},
		{field(`{"type":"string","hierarchy":{"separator":""}}`), "index:field:hierarchy:separator_invalid@fields.f"},
		{field(`{"type":"string","matching":{"analyzer":{}}}`), "index:field:analyzer:invalid@fields.f"},
		{field(`{"type":"string","matching":{"analyzer":{"preset":"other"}}}`), "index:field:analyzer:invalid@fields.f"},
		{field(`{"type":"string","matching":{"analyzer":{"named":"n","custom":{}}}}`), "index:field:analyzer:conflicting@fields.f"},
		{field(`{"type":"string","matching":{"analyzer":{"named":"n"}}}`), "index:field:analyzer:chain_unknown@fields.f"},
		{field(`{"type":"string","matching":{"analyzer":{"custom":{"filters":[{"stopwords":{"named":"n"}},{"synonyms":{"named":"s"}}]}}}}`),
			"index:field:analyzer:stopwords_unknown@fields.f index:field:analyzer:synonyms_unknown@fields.f"},
		{field(`{"type":"string","matching":{"analyzer":{"custom":{"filters":[{}]}}}}`), "index:field:analyzer:component_invalid@fields.f"},
		{field(`{"type":"string","matching":{"analyzer":{"custom":{"filters":[{"sing":{}}]}}}}`), "index:field:analyzer:component_invalid@fields.f"},
		{field(`{"type":"string","matching":{"analyzer":{"custom":{"filters":[{"stopwords":{"locale":"en","words":[]}}]}}}}`), "index:field:analyzer:component_invalid@fields.f"},
		{field(`{"type":"string","matching":{},"locales":{"defaultLocale":"de"}}`), "index:field:analyzer:decompound_locale_unsupported@fields.f"},
		{field(`{"type":"string","matching":{},"locales":{"locales":["de","sv"]}}`), "index:field:analyzer:decompound_locale_unsupported@fields.f"},
		{field(`{"type":"string","role":"title","locales":{"defaultLocale":"de"}}`), "index:field:analyzer:decompound_locale_unsupported@fields.f"},
		{field(`{"type":"string","matching":{"analyzer":{"preset":"full_text"}},"locales":{"defaultLocale":"de"}}`), "index:field:analyzer:decompound_locale_unsupported@fields.f"},
		{field(`{"type":"string","matching":{},"locales":{"defaultLocale":"is"}}`), "index:field:locales:locale_unsupported@fields.f"},
		{field(`{"type":"string","matching":{"decompound":"none"},"locales":{"defaultLocale":"de"}}`), ""},
		{field(`{"type":"string","matching":{"analyzer":{"preset":"full_text"},"decompound":"none"},"locales":{"defaultLocale":"de"}}`), ""},
		{field(`{"type":"string","autocomplete":{},"locales":{"defaultLocale":"de"}}`), ""},
		{field(`{"type":"string","matching":{},"locales":{"defaultLocale":"sv"}}`), ""},
		{field(`{"type":"string","keyword":{"folding":"yes"}}`), "request:property_unknown@fields.f.keyword.folding"},
		{field(`{"type":"string","hierarchy":{"by":1}}`), "request:property_unknown@fields.f.hierarchy.by"},
		{field(`{"type":"string","matching":{"exact":{"lift":"a"}}}`), "request:property_unknown@fields.f.matching.exact.lift"},
		{`{"fields":{"a":{"type":"string","role":"geo"},"b":{"type":"string","role":"geo"}}}`, "index:field:role:type_unsupported@fields.a"},
		{`{"fields":{"a":{"type":"string","role":"geo"},"b":{"type":"int32","unit":""}}}`, "index:field:role:type_unsupported@fields.a"},
		{`{"locales":{},"fields":{"f":{"type":"string","locales":{}}}}`, "index:locales:default_locale_required@locales.defaultLocale"},
		{field(`{"type":"string","matching":{"analyzer":{"preset":"preserve_terms"},"decompound":"none"}}`), "index:field:analyzer:decompound_conflicting@fields.f"},
		{field(`{"type":"string","matching":{"analyzer":{"custom":{"filters":[{"stemming":{"locale":"xx"}}]}}}}`), "index:field:analyzer:locale_unsupported@fields.f"},
		{field(`{"type":"string","matching":{"analyzer":{"custom":{"filters":[{"decompound":{"locale":"de"}}]}}}}`), "index:field:analyzer:decompound_locale_unsupported@fields.f"},
		{field(`{"type":"string","matching":{"analyzer":{"custom":{"filters":[{"edgeNgram":{"minGram":0}},{"ngram":{"minGram":3,"maxGram":2}}]}}}}`),
			"index:field:analyzer:grams_invalid@fields.f index:field:analyzer:grams_invalid@fields.f"},
		{field(`{"type":"string","matching":{"analyzer":{"custom":{"charFilters":[{"patternReplace":{"pattern":"("}}]}}}}`), "index:field:analyzer:pattern_invalid@fields.f"},
		{`{"resources":{"analyzers":{"a":{"named":"b"}}}}`, "index:resources:analyzers:named@resources.analyzers.a"},
		{`{"resources":{"synonyms":{"s":{"rules":[{},{"equivalent":["a"]},{"mapping":{"from":["a"]}},{"equivalent":["a"," "]}]}}}}`,
			"index:resources:synonyms:one_sided@resources.synonyms.s.rules[2] index:resources:synonyms:rule_invalid@resources.synonyms.s.rules[0] " +
				"index:resources:synonyms:word_required@resources.synonyms.s.rules[3] index:resources:synonyms:words_too_few@resources.synonyms.s.rules[1]"},
		{field(`{"type":"int32","validation":{"min":1.5}}`), "index:field:number:bound_invalid@fields.f"},
		{field(`{"type":"int32","validation":{"min":3,"max":2}}`), "index:field:number:bounds_conflicting@fields.f"},
		{field(`{"type":"int32","unit":" "}`), "index:field:number:unit_invalid@fields.f"},
		{field(`{"type":"vector","filter":{},"multiple":true,"locales":{},"hnsw":{"m":0,"efConstruction":9999}}`),
			"index:field:vector:dimensions_required@fields.f index:field:vector:filter_unsupported@fields.f index:field:vector:hnsw_ef_construction_out_of_range@fields.f " +
				"index:field:vector:hnsw_m_out_of_range@fields.f index:field:vector:locales_unsupported@fields.f index:field:vector:multiple_unsupported@fields.f"},
		{field(`{"type":"vector","dimensions":4097,"sort":{}}`), "index:field:sort:type_unsupported@fields.f index:field:vector:dimensions_out_of_range@fields.f"},
		{field(`{"type":"object","filter":{},"sort":{},"facet":{}}`),
			"index:field:facet:type_unsupported@fields.f index:field:object:fields_required@fields.f index:field:object:usage_unsupported@fields.f index:field:sort:type_unsupported@fields.f"},
		{field(`{"type":"object","multiple":true,"fields":{"a":{"type":"string"}}}`), "index:field:object:mode_required@fields.f.mode"},
		{field(`{"type":"object","mode":"nested","key":"b","fields":{"a":{"type":"string"}}}`),
			"index:field:object:key_unknown@fields.f.key index:field:object:key_without_multiple@fields.f.key index:field:object:mode_without_multiple@fields.f.mode"},
		{field(`{"type":"object","multiple":true,"mode":"nested","key":"a","fields":{"a":{"type":"string"}}}`), "index:field:object:key_invalid@fields.f.key"},
		{field(`{"type":"object","multiple":true,"mode":"nested","fields":{"a":{"type":"object","fields":{"b":{"type":"object","multiple":true,"mode":"nested","fields":{"c":{"type":"string"}}}}}}}`),
			"index:field:object:nested_in_nested@fields.f.fields.a.fields.b"},
		{field(`{"type":"object","multiple":true,"mode":"flattened","fields":{"a":{"type":"string","sort":{},"stored":true}}}`),
			"index:field:object:flattened_sort_unsupported@fields.f.fields.a index:field:object:flattened_stored_unsupported@fields.f.fields.a"},
		{`{"fields":{"n":{"type":"int32"},"s*":{"type":"int32","sort":{}},"o":{"type":"int32","sort":{}}},"ranking":{"tieBreakers":[{"field":"x"},{"field":"n"},{"field":"s1"},{"field":"o"},{"field":"o"}]}}`,
			"index:ranking:field_duplicate@ranking.tieBreakers[4] index:ranking:field_not_sortable@ranking.tieBreakers[1] index:ranking:field_unknown@ranking.tieBreakers[0] index:ranking:wildcard_unsupported@ranking.tieBreakers[2]"},
		{`{"fields":{"o":{"type":"int32","sort":{}},"t":{"type":"timestamp","sort":{}}},"ranking":{"signals":[{"field":"o"},{"field":"o","decay":{"halfLife":1}},{"field":"t","linear":{}},{"field":"o","saturation":{"pivot":0},"weight":-1},{"field":"o","saturation":{"pivot":1},"linear":{"ceiling":1}}]}}`,
			"index:ranking:signal:ceiling_out_of_range@ranking.signals[2] index:ranking:signal:pivot_out_of_range@ranking.signals[3] index:ranking:signal:shape_invalid@ranking.signals[4] " +
				"index:ranking:signal:shape_required@ranking.signals[0] index:ranking:signal:shape_unsupported@ranking.signals[1] index:ranking:signal:shape_unsupported@ranking.signals[2] index:ranking:signal:weight_out_of_range@ranking.signals[3]"},
	} {
		_, err := Parse([]byte(c.body), node)
		if got := told(err); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.body, got, c.want)
		}
	}
}

const rich = `{"source":"full","metadata":{"b":"2","a":"1"},"locales":{"defaultLocale":"EN","supported":["sv","ZH-hant"]},
	"localeFallback":{"chain":["SV","en"]},
	"fields":{"id":{"type":"string","role":"id"},"name":{"type":"string","role":"title","locales":{}},
	 "body":{"type":"string","matching":{"analyzer":{"preset":"full_text"},"decompound":"none","weight":2.50},"locales":{"only":["sv","en"],"fallback":"disabled"}},
	 "tags":{"type":"string","role":"tag","multiple":true},"n":{"type":"int64","validation":{"min":-9223372036854775808,"max":1e3},"unit":"SEK","signal":{}},
	 "v":{"type":"vector","dimensions":3,"hnsw":{"m":8}},
	 "o":{"type":"object","multiple":true,"mode":"nested","key":"sku","fields":{"sku":{"type":"string","required":true},"*":{"type":"double","filter":{}}}}},
	"ranking":{"tieBreakers":[{"field":"n","direction":"ascending"}],"signals":[{"field":"n","saturation":{"pivot":20}}]},
	"resources":{"analyzers":{"a":{"preset":"preserve_terms"}},"stopwords":{},"synonyms":{"s":{"rules":[{"equivalent":["a","b"]}]}}}}`

func TestEncodeIsStable(t *testing.T) {
	d := mustParse(t, rich)
	again := mustParse(t, string(d.Encode()))
	if string(d.Encode()) != string(again.Encode()) || d.Version() != again.Version() {
		t.Errorf("first  %s\nsecond %s", d.Encode(), again.Encode())
	}
	if len(Compare(d, again)) != 0 {
		t.Errorf("an equal definition differs: %v", Compare(d, again))
	}
	kept, err := DecodeStored(d.EncodeStored(), node)
	if err != nil || kept.Version() != d.Version() {
		t.Errorf("stored form: %v", err)
	}
	if len(d.Version()) != 16 {
		t.Errorf("version %q", d.Version())
	}
	if _, err := DecodeStored([]byte(`{"requiredFeatures":["type.wave"],"definition":{}}`), node); !errors.Is(err, problem.IndexUnsupported) {
		t.Errorf("unknown feature: %v", err)
	}
	compounds := mustParse(t, field(`{"type":"string","matching":{},"locales":{"locales":["sv"]}}`)).EncodeStored()
	poorer := node
	poorer.Decompounds = func(string) bool { return false }
	if _, err := DecodeStored(compounds, poorer); !errors.Is(err, problem.IndexUnsupported) || problem.All(err)[0].Arguments["features"] == "" {
		t.Errorf("language data that is not there: %v", err)
	}
	later := `{"requiredFeatures":[],"definition":{"fields":{"o":{"type":"object","fields":{"w":{"type":"wave"}}}}}}`
	if _, err := DecodeStored([]byte(later), node); !errors.Is(err, problem.IndexFieldTypeUnrepresentable) ||
		problem.All(err)[0].Arguments["name"] != "o.w" || problem.All(err)[0].Arguments["type"] != "wave" {
		t.Errorf("unknown type: %v", err)
	}
	if _, err := DecodeStored([]byte(`{"requiredFeatures":[],"definition":{"later":1}}`), node); !errors.Is(err, problem.IndexDefinitionUnrepresentable) {
		t.Errorf("unknown part: %v", err)
	}
}

func TestExpansionIsStoredAndShorthandsAreNot(t *testing.T) {
	d := mustParse(t, rich)
	want := `"body":{"type":"string","locales":{"defaultLocale":"en","locales":["en","sv"],"fallback":"disabled"},` +
		`"matching":{"analyzer":{"custom":{"filters":[{"normalize":{}},{"stopwords":{}},{"stemming":{}}]}},"weight":2.5}}`
	if !strings.Contains(string(d.Encode()), want) {
		t.Errorf("%s\nlacks %s", d.Encode(), want)
	}
	if !strings.Contains(string(d.Encode()), `"validation":{"min":-9223372036854775808,"max":1000}`) {
		t.Errorf("bounds of %s", d.Encode())
	}
	below := mustParse(t, field(`{"type":"object","multiple":true,"mode":"flattened","fields":{"t":{"type":"string","role":"title"}}}`))
	if child := below.Fields["f"].Fields["t"]; child.Sort != nil || child.Stored != nil || child.Matching == nil {
		t.Errorf("role below a flattened list: %+v", child)
	}
}

func TestFeaturesAreNamed(t *testing.T) {
	got := strings.Join(mustParse(t, rich).Features(), " ")
	want := "field.signal field.unit locale.en locale.sv locale.zh-Hant type.object type.object.key type.object.wildcard"
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(rich))
	f.Add([]byte(field(`{"type":"string","matching":{"analyzer":{"custom":{"charFilters":[{"mapping":{"mappings":{"a":""}}}],"tokenizer":{"icu":{}}}}}}`)))
	f.Add([]byte(`{"fields":{"**":{"type":"object","fields":{"*":{"type":"string"}}}}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		d, err := Parse(body, node)
		if err != nil {
			for _, p := range problem.All(err) {
				if p.Code == problem.NodeError {
					t.Fatalf("undocumented: %v", err)
				}
			}
			return
		}
		again, err := Parse(d.Encode(), node)
		if err != nil || string(again.Encode()) != string(d.Encode()) {
			t.Fatalf("%s\nreads back as %v", d.Encode(), err)
		}
		NewSchema(d).Resolve("a.b")
		Compare(d, again)
	})
}

// TestObjectsNestDeep checks that every accepted definition can be read back from
// storage, although expanded roles and presets nest deeper.
func TestObjectsNestDeep(t *testing.T) {
	nested := func(levels int) string {
		f := `{"type":"string","role":"tag","locales":{}}`
		for range levels {
			f = `{"type":"object","multiple":true,"mode":"flattened","fields":{"a":` + f + `}}`
		}
		return field(f)
	}
	d, err := DecodeStored(mustParse(t, nested(maxObjects)).EncodeStored(), node)
	if err != nil {
		t.Fatal(err)
	}
	if found, ok := NewSchema(d).Resolve("f" + strings.Repeat(".a", maxObjects)); !ok || !found.Filter {
		t.Error("the field below all objects is not found")
	}
	_, err = Parse([]byte(nested(maxObjects+1)), node)
	if got, want := told(err), "request:value_invalid@fields.f"+strings.Repeat(".fields.a", maxObjects)+".fields"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
