package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/quiresearch/quire/definition"
)

func TestDrafts(t *testing.T) {
	for _, c := range []struct{ name, documents, want string }{
		{
			"one per line, every kind",
			`{"id":"a","title":"The Left Hand","pages":300,"price":9.5,"stock":true,"out":"1969-03-01T00:00:00Z","at":{"lat":1,"lon":2.5},"url":"https://x"}
			{"id":"b","title":"The Word for World","pages":189,"price":7,"stock":false,"out":"1972-01-01T00:00:00+01:00","at":null,"url":"http://y"}`,
			`{"fields":{"at":{"type":"geo_point","filter":{},"sort":{}},"id":{"type":"string","role":"id"},"out":{"type":"timestamp","filter":{},"sort":{},"facet":{}},
			"pages":{"type":"int64","filter":{},"sort":{}},"price":{"type":"double","filter":{},"sort":{}},"stock":{"type":"boolean","filter":{},"facet":{}},
			"title":{"type":"string","role":"title"},"url":{"type":"string"}}}`,
		},
		{
			"an array; the key is a number",
			`[{"id":1,"name":"Oslo","country":"NO"},{"id":2,"name":"Bergen","country":"NO"}]`,
			`{"fields":{"country":{"type":"string","role":"tag"},"id":{"type":"int64","primaryKey":true},"name":{"type":"string","role":"title"}}}`,
		},
		{
			"an array inside an object; a key that comes twice is none",
			`{"items":[{"id":"1","tags":[]},{"id":"1","tags":["x","y"]}]}`,
			`{"fields":{"id":{"type":"string","role":"tag"},"tags":{"type":"string","role":"tag","multiple":true}}}`,
		},
		{
			"objects and lists of objects; nothing is sorted by what stands in a list",
			`{"sku":"a1","maker":{"town":"Oslo","founded":1901},"variants":[{"size":1,"sold":"2024-01-01T00:00:00Z"},{"size":2.5}]}`,
			`{"fields":{"maker":{"type":"object","fields":{"founded":{"type":"int64","filter":{},"sort":{}},"town":{"type":"string","role":"tag"}}},
			"sku":{"type":"string","role":"id"},"variants":{"type":"object","multiple":true,"mode":"nested","fields":{"size":{"type":"double","filter":{}},
			"sold":{"type":"timestamp","filter":{},"facet":{}}}}}}`,
		},
		{
			"a list inside values of a list",
			`{"id":"a","variants":[{"size":1,"box":{"parts":[{"name":"Lid of tin","made":["2024-01-01T00:00:00Z"]}]}}]}`,
			`{"fields":{"id":{"type":"string","role":"id"},"variants":{"type":"object","multiple":true,"mode":"nested","fields":{"box":{"type":"object","fields":{
			"parts":{"type":"object","multiple":true,"mode":"flattened","fields":{"made":{"type":"timestamp","multiple":true,"filter":{},"facet":{}},
			"name":{"type":"string","role":"title"}}}}},"size":{"type":"int64","filter":{}}}}}}`,
		},
		{
			"long text; what is always null is left out",
			`{"id":"a","body":"` + strings.Repeat("word ", 20) + `","gone":null}`,
			`{"fields":{"body":{"type":"string","role":"description"},"id":{"type":"string","role":"id"}}}`,
		},
	} {
		var out, notes strings.Builder
		if err := run(nil, strings.NewReader(c.documents), &out, &notes); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got, want := compact(t, out.String()), compact(t, c.want); got != want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, want)
		}
		parsed, err := definition.Parse([]byte(out.String()), definition.Capabilities{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if hasKey := definition.NewSchema(parsed).PrimaryKey() != nil; hasKey != (notes.Len() == 0) {
			t.Errorf("%s: a key %v, %s", c.name, hasKey, notes.String())
		}
	}
}

func compact(t *testing.T, text string) string {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	canonical, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(canonical)
}

func TestWhatCannotBeDeclaredIsTold(t *testing.T) {
	for documents, want := range map[string]string{
		"":                                       "there are no documents",
		"[1]":                                    "document 1 is not an object",
		"{\"a\":1}\n7":                           "document 2 is not an object",
		"{\"a\":1}\n{\"a\":\"x\"}":               "a is now text, now a number: make them one",
		`{"o":{"a":1,"b":[{"c":true},{"c":2}]}}`: "o.b.c is now a number, now true or false: make them one",
		`{"a":1}{"a"`:                            "document 2: unexpected EOF",
		`{"Product Name":"x"}`:                   "Product Name is not a valid field name. Use letters, digits",
		"ID,Name\n1,Hose":                        "give JSON, one document per line or an array",
	} {
		var out, notes strings.Builder
		err := run(nil, strings.NewReader(documents), &out, &notes)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", documents, err, want)
		}
		if out.Len() > 0 {
			t.Errorf("%s: %s", documents, out.String())
		}
	}
}
