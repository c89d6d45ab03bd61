package definition

import (
	"sort"
	"strings"
	"testing"
)

func differences(t *testing.T, before, after string) string {
	t.Helper()
	var parts []string
	for _, p := range Compare(mustParse(t, before), mustParse(t, after)) {
		name := strings.TrimPrefix(p.Code.Name(), "index:definition:")
		parts = append(parts, name+"@"+p.Path+" "+p.Arguments["setting"]+p.Arguments["usage"])
	}
	sort.Strings(parts)
	return strings.Join(parts, ", ")
}

func TestChangesThatDocumentsDoNotFit(t *testing.T) {
	str := func(rest string) string { return field(`{"type":"string"` + rest + `}`) }
	words := func(filters string) string {
		return `{"type":"string","matching":{"analyzer":{"custom":{"filters":[` + filters + `]}}}}`
	}
	list := func(mode, key, rest string) string {
		return `{"fields":{"variants":{"type":"object","multiple":true,"mode":"` + mode + `"` + key + `,"fields":{"sku":{"type":"string","required":true` + rest + `}}}}}`
	}
	for _, c := range []struct{ before, after, want string }{
		{str(``), str(`,"filter":{},"sort":{},"facet":{}`), "usage_added@f facet, usage_added@f filter, usage_added@f sort"},
		{str(``), str(`,"matching":{},"autocomplete":{},"hierarchy":{}`), "usage_added@f autocomplete, usage_added@f hierarchy, usage_added@f matching"},
		{str(`,"matching":{}`), str(`,"matching":{"highlight":{},"exact":{}}`), "usage_added@f matching.exact, usage_added@f matching.highlight"},
		{str(``), field(`{"type":"int32","filter":{}}`), "setting_changed@f type"},
		{str(`,"primaryKey":true`), str(``), "setting_changed@f primaryKey"},
		{str(`,"primaryKey":true`), `{}`, "setting_changed@f primaryKey"},
		{`{}`, str(`,"primaryKey":true`), "setting_changed@f primaryKey"},
		{str(`,"primaryKey":true`), `{"fields":{"g":{"type":"string","primaryKey":true}}}`, "setting_changed@f primaryKey, setting_changed@g primaryKey"},
		{str(``), str(`,"multiple":true`), "setting_changed@f multiple"},
		{str(``), str(`,"stored":true,"required":true`), ""},
		{str(`,"stored":true,"filter":{}`), str(``), ""},
		{field(words(`{"normalize":{}}`)), field(words(`{"normalize":{"caseFolding":true}}`)), ""},
		{field(words(`{"normalize":{}}`)), field(words(`{"normalize":{"caseFolding":false}}`)), "analysis_changed@f matching"},
		{str(`,"matching":{}`), str(`,"matching":{"decompound":"none"}`), "analysis_changed@f matching"},
		{str(`,"matching":{}`), str(`,"matching":{"analyzer":{"preset":"full_text"}}`), ""},
		{str(`,"matching":{}`), str(`,"matching":{"analyzer":{"preset":"preserve_terms"}}`), "analysis_changed@f matching"},
		{str(`,"autocomplete":{}`), str(`,"autocomplete":{"analyzer":{"custom":{"tokenizer":{"icu":{}},"filters":[{"normalize":{}},{"edgeNgram":{"minGram":1}}]}}}`), ""},
		{str(`,"matching":{"analyzer":{"preset":"preserve_terms"}}`), str(`,"matching":{"analyzer":{"custom":{"tokenizer":{"icu":{}},"filters":[{"normalize":{}}]}}}`), ""},
		{str(`,"matching":{"analyzer":{"preset":"preserve_terms"}}`), str(`,"matching":{"analyzer":{"custom":{"tokenizer":{"letter":{}},"filters":[{"normalize":{}}]}}}`), "analysis_changed@f matching"},
		{str(`,"locales":{"locales":["zh-Hant"]},"matching":{"analyzer":{"preset":"preserve_terms"}}`),
			str(`,"locales":{"locales":["zh-Hant"]},"matching":{"analyzer":{"custom":{"tokenizer":{"icu":{}},"filters":[{"normalize":{}}]}}}`), "analysis_changed@f matching"},
		{str(`,"matching":{}`), str(`,"matching":{"weight":4,"typoTolerance":{},"lengthNormalization":"none"}`), ""},
		{str(`,"filter":{}`), str(`,"filter":{},"keyword":{"caseFolding":false}`), "setting_changed@f keyword.caseFolding"},
		{str(`,"sort":{}`), str(`,"sort":{"collation":"binary"}`), "setting_changed@f sort.collation"},
		{str(`,"sort":{}`), str(`,"sort":{"collation":"locale","missing":"first"}`), ""},
		{str(`,"hierarchy":{}`), str(`,"hierarchy":{"separator":">"}`), "setting_changed@f hierarchy.separator"},
		{str(``), str(`,"locales":{}`), "usage_added@f locales"},
		{str(`,"locales":{}`), str(`,"locales":{"locales":["sv"]}`), "setting_changed@f locales.locales"},
		{str(`,"locales":{"locales":["sv"]}`), str(`,"locales":{}`), ""},
		{str(`,"locales":{"locales":["sv"]}`), str(`,"locales":{"defaultLocale":"sv","locales":["en"]}`), "setting_changed@f locales.defaultLocale"},
		{field(`{"type":"int32","sort":{}}`), field(`{"type":"int32","signal":{}}`), "usage_added@f signal"},
		{field(`{"type":"int32","signal":{}}`), field(`{"type":"int32"}`), "setting_changed@f signal"},
		{field(`{"type":"int32","signal":{}}`), field(`{"type":"int32","signal":{},"sort":{},"unit":"SEK","validation":{"min":1}}`), ""},
		{field(`{"type":"vector","dimensions":2}`), field(`{"type":"vector","dimensions":2,"similarity":"cosine","quantization":"none","hnsw":{"m":16}}`), ""},
		{field(`{"type":"vector","dimensions":2}`), field(`{"type":"vector","dimensions":3,"similarity":"euclidean","quantization":"int8","hnsw":{"m":33}}`),
			"setting_changed@f dimensions, setting_changed@f hnsw, setting_changed@f quantization, setting_changed@f similarity"},
		{list("nested", "", ""), list("flattened", "", ""), "setting_changed@variants mode"},
		{list("nested", "", ""), list("nested", `,"key":"sku"`, `,"filter":{}`), "setting_changed@variants key, usage_added@variants.sku filter"},
		{`{"source":"none"}`, `{"source":"full"}`, "source_added@source "},
		{`{}`, `{"source":"none","metadata":{"a":"b"}}`, ""},
		{`{"fields":{"f":{"type":"string","locales":{}}}}`, `{"localeFallback":{},"fields":{"f":{"type":"string","locales":{}}}}`, "locale_fallback_changed@localeFallback "},
		{`{"localeFallback":{},"fields":{"f":{"type":"string","locales":{}}}}`, `{"fields":{"f":{"type":"string","locales":{}}}}`, ""},
		{`{"localeFallback":{},"fields":{"f":{"type":"string","locales":{"fallback":"disabled"}}}}`, `{"localeFallback":{},"fields":{"f":{"type":"string","locales":{}}}}`, "usage_added@f locales.fallback"},
		{`{"localeFallback":{},"fields":{"f":{"type":"string","locales":{"locales":["sv","fr"],"fallback":"disabled"}}}}`,
			`{"localeFallback":{},"fields":{"f":{"type":"string","locales":{"locales":["sv"]}}}}`, "usage_added@f locales.fallback"},
		{`{"localeFallback":{},"fields":{"f":{"type":"string","locales":{"fallback":"disabled"}}}}`,
			`{"localeFallback":{},"fields":{"f":{"type":"string","locales":{"locales":["sv"]}}}}`, "setting_changed@f locales.locales, usage_added@f locales.fallback"},
		{`{"fields":{"f":` + words(`{"stopwords":{"named":"s"}}`) + `},"resources":{"stopwords":{"s":["a"],"unused":["x"]}}}`,
			`{"fields":{"f":` + words(`{"stopwords":{"named":"s"}}`) + `},"resources":{"stopwords":{"s":["a"],"unused":["y"]}}}`, ""},
		{`{"fields":{"f":` + words(`{"synonyms":{"named":"s"}}`) + `},"resources":{"synonyms":{"s":{"rules":[{"equivalent":["a","b"]}]}}}}`,
			`{"fields":{"f":` + words(`{"synonyms":{"named":"s"}}`) + `},"resources":{"synonyms":{"s":{"rules":[{"equivalent":["a","c"]}]}}}}`, "analysis_changed@f matching"},
		{str(``), `{"fields":{"g":{"type":"string","filter":{}}}}`, ""},
	} {
		if got := differences(t, c.before, c.after); got != c.want {
			t.Errorf("%s → %s\n got %s\nwant %s", c.before, c.after, got, c.want)
		}
	}
}
